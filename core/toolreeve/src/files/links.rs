//! Looks for the symbolic links that patterns and trees of a command lead through, so that permissions can judge where they
//! lead. Only looks, at a bounded number of entries; what a link means is decided by the permission crate.

use std::fs::FileType;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use toolreeve_permission::{FoundLink, LinkResolver, LinkSearch, LinksFound};
use toolreeve_shell::{ANY_DEPTH, pattern_matches, plain_name};

use super::path::real_path;

/// What following one link costs of the budget, in entries of a folder.
const LINK_COST: usize = 10;

/// A resolver that looks at the file system of this machine, as the calling user may. Its searches are bounded.
pub fn resolver() -> LinkResolver {
    LinkResolver::new(real_path).with_search(search)
}

fn search(search: &LinkSearch<'_>) -> LinksFound {
    let mut walk = Walk {
        budget: search.budget,
        found: LinksFound { complete: true, ..LinksFound::default() },
        follows: search.follows,
    };
    if search.below.is_empty() && search.follows {
        walk.tree(search.folder);
    }
    for pattern in search.below {
        let components: Vec<&str> = pattern.split('/').collect();
        walk.pattern(search.folder, &components);
    }
    walk.found
}

struct Walk {
    budget: usize,
    found: LinksFound,
    follows: bool,
}

impl Walk {
    /// Takes from the budget; false where nothing is left.
    fn pay(&mut self, cost: usize) -> bool {
        self.found.looked_at += cost;
        let left = self.found.looked_at <= self.budget;
        self.found.complete &= left;
        left
    }

    /// Everything that `components` match below `folder`, and whether that is anything. A link on the way is noted only
    /// where something behind it is matched.
    fn pattern(&mut self, folder: &Path, components: &[&str]) -> bool {
        let Some((first, rest)) = components.split_first() else { return false };
        if first.is_empty() {
            return self.pattern(folder, rest);
        }
        if *first == ANY_DEPTH {
            return self.any_depth(folder, rest);
        }
        if let Some(name) = plain_name(first) {
            let path = folder.join(name);
            return self.pay(1)
                && self
                    .kept(path.symlink_metadata())
                    .is_some_and(|metadata| self.matched(path, metadata.file_type(), rest));
        }
        let mut any = false;
        for (path, kind) in self.entries(folder) {
            let matches = path.file_name().is_some_and(|name| pattern_matches(first, &name.to_string_lossy()));
            any |= matches && self.matched(path, kind, rest);
        }
        any
    }

    /// A component was matched by this path; whether the rest is matched too.
    fn matched(&mut self, path: PathBuf, kind: FileType, rest: &[&str]) -> bool {
        let ends = rest.is_empty();
        let link = if kind.is_symlink() {
            if !self.pay(LINK_COST) {
                return false;
            }
            Some(real_path(&path))
        } else {
            None
        };
        // A slash behind it, or more: only a folder will do.
        if !ends && !link.as_ref().map_or(kind.is_dir(), |real| real.is_dir()) {
            return false;
        }
        let goes_on = rest.iter().any(|component| !component.is_empty());
        if goes_on && !self.pattern(&path, rest) {
            return false;
        }
        if let Some(real) = link {
            self.found.links.push(FoundLink { path, real, is_end: ends && !self.follows });
        } else if !goes_on && self.follows && kind.is_dir() {
            self.tree(&path);
        }
        true
    }

    /// `rest` in the folder and in every folder below it that no link leads to.
    fn any_depth(&mut self, folder: &Path, rest: &[&str]) -> bool {
        let mut any = false;
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            any |= rest.is_empty() || self.pattern(&folder, rest);
            for (path, kind) in self.entries(&folder) {
                if kind.is_dir() {
                    folders.push(path);
                } else if rest.is_empty() {
                    self.matched(path, kind, rest);
                }
            }
        }
        any
    }

    /// Every link in a tree. They are not gone through: where they lead to other places, those are asked for.
    fn tree(&mut self, folder: &Path) {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for (path, kind) in self.entries(&folder) {
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_symlink() && self.pay(LINK_COST) {
                    let real = real_path(&path);
                    self.found.links.push(FoundLink { path, real, is_end: false });
                }
            }
        }
    }

    fn entries(&mut self, folder: &Path) -> Vec<(PathBuf, FileType)> {
        let mut entries = Vec::new();
        let Some(listed) = self.kept(folder.read_dir()) else { return entries };
        for entry in listed {
            if !self.pay(1) {
                break;
            }
            let read = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
            entries.extend(self.kept(read));
        }
        entries
    }

    /// The value, or nothing where the command would find nothing either.
    fn kept<T>(&mut self, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            // What this user may not see, the command cannot use: it runs as the same one.
            Err(error) => {
                let nothing = matches!(
                    error.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
                );
                self.found.complete &= nothing;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn found(root: &Path, below: &[&str], follows: bool, budget: usize) -> (Vec<String>, bool) {
        let below: Vec<String> = below.iter().map(|&pattern| pattern.to_owned()).collect();
        let found = search(&LinkSearch { folder: root, below: &below, follows, budget });
        let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let mut links: Vec<String> = found
            .links
            .iter()
            .map(|link| format!("{}>{}{}", name(&link.path), name(&link.real), if link.is_end { "" } else { "/.." }))
            .collect();
        links.sort();
        (links, found.complete)
    }

    #[test]
    fn patterns_and_trees_find_the_links_on_their_way() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::fs::create_dir_all(root.join("other")).unwrap();
        std::fs::write(root.join("a/f"), "x").unwrap();
        std::fs::write(root.join("other/g"), "x").unwrap();
        symlink("/etc", root.join("a/out")).unwrap();
        symlink("../other", root.join("a/in")).unwrap();
        symlink("f", root.join("a/file")).unwrap();
        symlink("nowhere", root.join("a/b/c/gone")).unwrap();
        symlink("/etc/passwd", root.join(".hidden")).unwrap();
        let rows: [(&[&str], bool, &[&str]); 15] = [
            (&["*"], false, &[]),
            (&[".*"], false, &[".hidden>/etc/passwd"]),
            (&["a/*"], false, &["a/file>a/f", "a/in>other", "a/out>/etc"]),
            (&["a/f*"], false, &["a/file>a/f"]),
            (&["*/o*"], false, &["a/out>/etc"]),
            (&["a/*/"], false, &["a/in>other/..", "a/out>/etc/.."]),
            (&["a/*/passwd"], false, &["a/out>/etc/.."]),
            (&["*/*/[*"], false, &[]),
            (&["a/out"], false, &["a/out>/etc"]),
            (&["a/nothing"], false, &[]),
            (&["a/**"], false, &["a/b/c/gone>a/b/c/nowhere", "a/file>a/f", "a/in>other", "a/out>/etc"]),
            (&["a/**/gone"], false, &["a/b/c/gone>a/b/c/nowhere"]),
            (&["a/b"], true, &["a/b/c/gone>a/b/c/nowhere/.."]),
            (&["a/b", "a/fi*"], true, &["a/b/c/gone>a/b/c/nowhere/..", "a/file>a/f/.."]),
            (
                &[],
                true,
                &[
                    ".hidden>/etc/passwd/..",
                    "a/b/c/gone>a/b/c/nowhere/..",
                    "a/file>a/f/..",
                    "a/in>other/..",
                    "a/out>/etc/..",
                ],
            ),
        ];
        for (below, follows, expected) in rows {
            let (links, complete) = found(&root, below, follows, 1_000);
            assert_eq!(links, expected, "{below:?}");
            assert!(complete, "{below:?}");
        }
        assert!(!found(&root, &["*"], false, 1).1 && !found(&root, &[], true, 40).1);
        assert_eq!(found(&root.join("gone"), &["*"], true, 10), (Vec::new(), true));
        assert_eq!(found(&root.join("a/f"), &["*"], true, 10), (Vec::new(), true));
    }
}
