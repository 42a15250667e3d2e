//! Check 5, `SHELL_METACHARACTERS`: operators of the shell inside of quoted arguments, which a program may
//! hand to a shell. Bad: `find . -name "a;id"`. Good: `find . -name "*.rs"`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Piece;

pub(super) const CHECK: Check = Check { id: 5, name: "SHELL_METACHARACTERS", find };

static INSIDE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"[;&|`]"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let inside = INSIDE.as_ref()?;
    for command in &subject.commands {
        for word in command.words.iter().skip(1) {
            let quoted = word.pieces.iter().any(|piece| {
                matches!(piece, Piece::Literal { value, quoted: true } if value.len() > 1 && inside.is_match(value))
            });
            if quoted {
                return Some(Hit::doubtful("an argument has operators of the shell in it", word.span));
            }
        }
    }
    None
}
