//! Check 16, `BRACE_EXPANSION`: one word that becomes several, options among them. Bad: `git diff {--output=x,HEAD}`, `rm {-r,src}`.
//! Good: `git show HEAD^{tree}`, `awk '{print $1,$2}' x`.

use super::{Check, Hit, Subject};
use crate::syntax::{ExpansionKind, Piece};

pub(super) const CHECK: Check = Check { id: 16, name: "BRACE_EXPANSION", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'{') {
        return None;
    }
    for command in subject.commands() {
        for word in &command.words {
            let braces =
                word.pieces.iter().any(|piece| matches!(piece, Piece::Expansion { kind: ExpansionKind::Brace, .. }));
            if braces {
                const MESSAGE: &str = "braces make several words of one";
                let prefix = word.fixed_prefix();
                // With a fixed start that is no option, all the words share it.
                let open = prefix.is_empty() || prefix.starts_with('-');
                return Some(if open { Hit::decisive(MESSAGE, word.span) } else { Hit::doubtful(MESSAGE, word.span) });
            }
        }
    }
    None
}
