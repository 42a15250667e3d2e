//! Check 23, `QUOTED_NEWLINE`: a newline inside of quotes: what follows looks like a line of its own, and a line that starts with `#` like a
//! comment that hides the rest. Bad: `mv a 'x`, newline, `#' ~/.bashrc`. Good: `echo 'a b'`.

use super::{Check, Hit, Subject};
use crate::syntax::Piece;

pub(super) const CHECK: Check = Check { id: 23, name: "QUOTED_NEWLINE", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'\n') || !subject.has_any(b"'\"\\") {
        return None;
    }
    let mut seen = None;
    for command in subject.commands() {
        for word in &command.words {
            for piece in &word.pieces {
                let Piece::Literal { value, quoted: true } = piece else { continue };
                // `$'\n'` is no newline in the text.
                if !value.contains('\n') || !word.source.contains('\n') {
                    continue;
                }
                let comment =
                    value.split('\n').skip(1).any(|line| line.trim_start_matches([' ', '\t']).starts_with('#'));
                if comment {
                    return Some(Hit::decisive("a quoted line looks like a comment", word.span));
                }
                seen = seen.or(Some(Hit::doubtful("a newline is quoted", word.span)));
            }
        }
    }
    seen
}
