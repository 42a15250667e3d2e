//! Check 12, `GIT_COMMIT_SUBSTITUTION`: a commit message that is built by running something. Bad:
//! `git commit -m "$(id)"`. Good: `git commit -m 'fix $(x)'`.

use super::{Check, Hit, Subject};
use crate::syntax::{ExpansionKind, Piece};

pub(super) const CHECK: Check = Check { id: 12, name: "GIT_COMMIT_SUBSTITUTION", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_any(b"$`(") || !subject.may_name("git") {
        return None;
    }
    subject.programs(&["git"]).find_map(|(_, words)| {
        let at = words.iter().position(|word| word.known().as_deref() == Some("commit"))?;
        let word = words[at + 1..].iter().find(|word| {
            word.pieces.iter().any(|piece| {
                matches!(
                    piece,
                    Piece::Expansion {
                        kind: ExpansionKind::Command(_) | ExpansionKind::Parameter | ExpansionKind::Process(_),
                        ..
                    }
                )
            })
        })?;
        Some(Hit::doubtful("a commit message is built by a substitution", word.span))
    })
}
