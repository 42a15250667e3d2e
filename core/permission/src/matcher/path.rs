//! Path patterns of `Read` and `Edit` rules: the four anchors and gitignore syntax. Owns what such a pattern means for
//! a path; it never looks at the file system (of the `ignore` crate only the matcher is used).

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Where a pattern starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathAnchor {
    /// `//p`: the root of the file system.
    Root,
    /// `~/p`: the home directory.
    Home,
    /// `/p`: the directory that belongs to the source of the rule.
    Source,
    /// `p` and `./p`: the current directory.
    Directory,
}

/// The two readings of a pattern. They differ for `dir/**`: as an allow rule it means `dir` in the anchor alone, as a
/// deny or ask rule a `dir` at any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    /// For allow rules.
    Narrow,
    /// For deny and ask rules.
    Wide,
}

/// One compiled path pattern.
#[derive(Debug)]
pub(crate) struct PathPattern {
    pub(crate) anchor: PathAnchor,
    glob: String,
    narrow: OnceLock<Option<Gitignore>>,
    wide: OnceLock<Option<Gitignore>>,
}

impl PathPattern {
    /// Takes a pattern apart; the globs are compiled at the first match.
    ///
    /// # Errors
    /// If it is not a valid pattern: what is wrong, and at which byte.
    pub(crate) fn new(content: &str) -> Result<Self, (String, usize)> {
        let (anchor, glob, offset) = if let Some(rest) = content.strip_prefix("//") {
            (PathAnchor::Root, rest, 2)
        } else if let Some(rest) = content.strip_prefix("~/") {
            (PathAnchor::Home, rest, 2)
        } else if content == "~" {
            (PathAnchor::Home, "", 1)
        } else if let Some(rest) = content.strip_prefix('/') {
            (PathAnchor::Source, rest, 1)
        } else if content == "." {
            (PathAnchor::Directory, "", 1)
        } else if let Some(rest) = content.strip_prefix("./") {
            (PathAnchor::Directory, rest, 2)
        } else {
            (PathAnchor::Directory, content, 0)
        };
        if content.starts_with('!') {
            return Err((
                "a path pattern cannot be negated; write `\\!` for a name that starts with `!`".to_owned(),
                0,
            ));
        }
        if glob.split('/').any(|part| part == "..") {
            return Err((
                "a path pattern cannot climb with `..`; name the folder by `//`, `~/` or `/`".to_owned(),
                offset,
            ));
        }
        // A leading slash was the anchor's; whether the pattern is bound to it follows from the slashes inside.
        let bound =
            content.starts_with("./") || matches!(anchor, PathAnchor::Root | PathAnchor::Home | PathAnchor::Source);
        let inner = glob.trim_end_matches('/');
        let glob = if bound && !inner.is_empty() { format!("/{glob}") } else { glob.to_owned() };
        if let Err(error) = globset::GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build() {
            return Err((format!("the path pattern is not valid: {}", error.kind()), offset));
        }
        Ok(Self { anchor, glob, narrow: OnceLock::new(), wide: OnceLock::new() })
    }

    /// Whether the pattern, anchored at `base`, matches the absolute path or a folder above it.
    pub(crate) fn matches(&self, base: &Path, path: &Path, reading: Reading) -> bool {
        let Ok(relative) = path.strip_prefix(base) else { return false };
        if relative.as_os_str().is_empty() {
            return self.covers_base();
        }
        if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
            return false;
        }
        if self.glob.trim_end_matches('/').is_empty() {
            // The anchor itself: everything below it.
            return true;
        }
        let compiled = match reading {
            Reading::Narrow => self.narrow.get_or_init(|| compile(&self.lines(reading))),
            Reading::Wide => self.wide.get_or_init(|| compile(&self.lines(reading))),
        };
        compiled.as_ref().is_some_and(|compiled| compiled.matched_path_or_any_parents(relative, true).is_ignore())
    }

    /// Whether something below `folder` may match. True is a guess, false is certain.
    pub(crate) fn may_match_below(&self, base: &Path, folder: &Path) -> bool {
        let start: PathBuf = base.join(self.literal_folders());
        folder.starts_with(&start) || start.starts_with(folder)
    }

    /// The pattern of the last name of what it matches; `None` where that may be any.
    pub(crate) fn last_name(&self) -> Option<&str> {
        let name = self.glob.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        (!name.is_empty() && !name.contains("**")).then_some(name)
    }

    /// A component that the path of everything it matches has, where one is fixed.
    pub(crate) fn literal_component(&self) -> Option<&str> {
        let plain = |part: &&str| !part.is_empty() && *part != "." && !part.contains(SPECIAL) && !part.ends_with(' ');
        self.glob.split('/').rev().find(plain)
    }

    fn covers_base(&self) -> bool {
        matches!(self.glob.trim_matches('/'), "" | "**" | "*" | "**/*")
    }

    /// The folders in front of everything that it matches, as far as they are fixed.
    fn literal_folders(&self) -> PathBuf {
        let inner = self.glob.trim_matches('/');
        if !self.glob.trim_end_matches('/').contains('/') || is_single_folder(&self.glob) {
            return PathBuf::new();
        }
        inner.split('/').take_while(|part| !part.contains(SPECIAL)).collect()
    }

    fn lines(&self, reading: Reading) -> Vec<String> {
        let mut lines = vec![self.glob.clone()];
        // `dir/**` means the folder itself as well: listing it is part of reading it.
        if let Some(folder) = self.glob.strip_suffix("/**").filter(|folder| !folder.trim_matches('/').is_empty()) {
            let at_anchor = if folder.starts_with('/') { folder.to_owned() } else { format!("/{folder}") };
            lines.push(at_anchor);
            if reading == Reading::Wide && is_single_folder(&self.glob) {
                lines.push(format!("**/{folder}"));
                lines.push(format!("**/{folder}/**"));
            }
        }
        lines
    }
}

const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Whether this is `dir/**` with one plain folder name.
fn is_single_folder(glob: &str) -> bool {
    glob.strip_suffix("/**").is_some_and(|folder| !folder.contains('/') && !folder.contains(SPECIAL))
}

fn compile(lines: &[String]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in lines {
        let line = if line.starts_with('#') { format!("\\{line}") } else { line.clone() };
        builder.add_line(None, &line).ok()?;
    }
    builder.build().ok()
}

/// Writes a path so that as a pattern it matches this path (and what is below it) only.
pub(crate) fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if SPECIAL.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    if out.ends_with(' ') {
        out.pop();
        out.push_str("\\ ");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, reading: Reading) -> bool {
        let compiled = PathPattern::new(pattern).unwrap();
        let base = match compiled.anchor {
            PathAnchor::Root => "/",
            PathAnchor::Home => "/home/u",
            PathAnchor::Source => "/p",
            PathAnchor::Directory => "/p/sub",
        };
        compiled.matches(Path::new(base), Path::new(path), reading)
    }

    #[test]
    fn anchors_and_gitignore_syntax() {
        for (pattern, path, expected) in [
            ("//etc/**", "/etc/hosts", true),
            ("//etc/**", "/etc", true),
            ("//etc/hosts", "/p/sub/etc/hosts", false),
            ("//**/.env", "/a/b/.env", true),
            ("~/docs/*.md", "/home/u/docs/a.md", true),
            ("~/docs/*.md", "/home/u/docs/x/a.md", false),
            ("~/**", "/home/u", true),
            ("~", "/home/u/x", true),
            ("/src/**", "/p/src/a/b.rs", true),
            ("/src/**", "/p/sub/src/a.rs", false),
            (".env", "/p/sub/.env", true),
            (".env", "/p/sub/deep/.env", true),
            (".env", "/p/.env", false),
            (".env", "/p/sub/.envrc", false),
            ("./.env", "/p/sub/.env", true),
            ("./.env", "/p/sub/deep/.env", false),
            ("secrets", "/p/sub/x/secrets/key", true),
            ("secrets/", "/p/sub/x/secrets/key", true),
            ("a/b.txt", "/p/sub/a/b.txt", true),
            ("a/b.txt", "/p/sub/x/a/b.txt", false),
            ("*.log", "/p/sub/x/y.log", true),
            ("./**", "/p/sub/x/y", true),
            ("./**", "/p/sub", true),
            ("**", "/p/sub/x", true),
            ("a\\*b", "/p/sub/a*b", true),
            ("a\\*b", "/p/sub/axb", false),
            ("#x", "/p/sub/#x", true),
            ("dir/**", "/p/sub/dir/x", true),
            ("dir/**", "/p/sub/dir", true),
            ("//", "/anything", true),
        ] {
            assert_eq!(check(pattern, path, Reading::Narrow), expected, "{pattern:?} on {path:?}");
        }
    }

    #[test]
    fn one_folder_and_everything_in_it_reaches_deeper_as_a_deny_rule() {
        assert!(!check("dir/**", "/p/sub/x/dir/y", Reading::Narrow));
        assert!(check("dir/**", "/p/sub/x/dir/y", Reading::Wide));
        assert!(!check("./dir/**", "/p/sub/x/dir/y", Reading::Wide));
    }

    #[test]
    fn what_may_match_below_a_folder() {
        let may = |pattern: &str, folder: &str| {
            PathPattern::new(pattern).unwrap().may_match_below(Path::new("/p"), Path::new(folder))
        };
        assert!(may(".env", "/p/src") && may(".env", "/p") && may(".env", "/"));
        assert!(!may(".env", "/q"));
        assert!(!may("./a/b/*.key", "/p/src") && may("./a/b/*.key", "/p/a") && may("./a/b/*.key", "/p/a/b/c"));
        assert!(may("dir/**", "/p/src") && !may("./dir/**", "/p/src") && may("./dir/**", "/p"));
    }

    #[test]
    fn bad_patterns_are_refused() {
        for pattern in ["!x", "../x", "a/../b", "[a", "{a"] {
            assert!(PathPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn an_escaped_path_matches_itself_only() {
        for name in ["a*b", "a[1].txt", "x ", "{y}", "back\\slash", "#h"] {
            let pattern = PathPattern::new(&format!("//d/{}", escape(name))).unwrap();
            assert!(pattern.matches(Path::new("/"), &Path::new("/d").join(name), Reading::Narrow), "{name:?}");
            assert!(!pattern.matches(Path::new("/"), Path::new("/d/other"), Reading::Narrow));
        }
    }
}
