//! Check 5, `SHELL_METACHARACTERS`: operators of the shell inside of quoted arguments, which a program may
//! hand to a shell. Bad: `find . -name "a;id"`. Good: `find . -name "*.rs"`.

use super::{Check, Hit, Subject};
use crate::syntax::Piece;

pub(super) const CHECK: Check = Check { id: 5, name: "SHELL_METACHARACTERS", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_any(b"'\"\\") {
        return None;
    }
    let inside = |value: &str| value.bytes().any(|byte| matches!(byte, b';' | b'&' | b'|' | b'`'));
    for command in subject.commands() {
        for word in command.words.iter().skip(1) {
            let quoted = word.pieces.iter().any(
                |piece| matches!(piece, Piece::Literal { value, quoted: true } if value.len() > 1 && inside(value)),
            );
            if quoted {
                return Some(Hit::doubtful("an argument has operators of the shell in it", word.span));
            }
        }
    }
    None
}
