//! Paths that lead through a link made earlier in the same text. Where a command makes or moves something that may be a
//! symbolic link, nobody can know any more where a later path through it leads.

use crate::analysis::{Access, Anchor, CommandFacts, Follows, PathUse};
use crate::pattern::passes;

/// With more places than this, all later paths are unknown.
const MAX_PLACES: usize = 64;

/// Commands whose result may be a link.
fn may_link(program: Option<&str>, words: &[String]) -> bool {
    match program {
        Some("ln" | "link" | "mv" | "rsync") => true,
        // A plain `cp` follows links; with folders it copies them.
        Some("cp") => words.iter().any(|word| word.starts_with('-')),
        _ => false,
    }
}

/// Makes every later path through such a place unknown.
pub(crate) fn forget_paths_through(listed: &mut [(CommandFacts, Vec<String>)]) {
    let mut made: Vec<(Anchor, String)> = Vec::new();
    for (facts, words) in listed {
        for path in &mut facts.paths {
            if made.iter().any(|place| leads_through(path, place)) {
                path.anchor = Anchor::Unknown;
                path.exact = false;
            }
        }
        if may_link(facts.program.as_deref(), words) {
            let new = facts.paths.iter().filter(|path| matches!(path.access, Access::Create | Access::Write));
            made.extend(new.map(|path| (path.anchor, key(&path.known, path.anchor))));
            if made.len() > MAX_PLACES {
                made = vec![(Anchor::Unknown, String::new())];
            }
        }
    }
}

fn key(known: &str, anchor: Anchor) -> String {
    crate::paths::clean(known, anchor == Anchor::Root)
}

fn leads_through(path: &PathUse, (anchor, place): &(Anchor, String)) -> bool {
    if *anchor == Anchor::Unknown {
        return true;
    }
    if path.anchor != *anchor || path.anchor == Anchor::Unknown {
        return path.anchor != Anchor::Unknown && !matches!((path.anchor, anchor), (Anchor::Start, Anchor::Start));
    }
    let known = key(&path.known, path.anchor);
    if place.is_empty() {
        // Something unnamed in the starting directory itself.
        return true;
    }
    if known == *place || known.starts_with(&format!("{}/", place.trim_end_matches('/'))) {
        return true;
    }
    // The place lies below the path: does the path reach that far?
    let below = match known.as_str() {
        "" | "/" => Some(place.trim_start_matches('/')),
        known => place.strip_prefix(known).and_then(|rest| rest.strip_prefix('/')),
    };
    let Some(below) = below else { return false };
    let names: Vec<&str> = below.split('/').collect();
    path.follows != Follows::No || path.below.iter().any(|pattern| passes(pattern, &names))
}
