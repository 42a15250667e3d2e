//! From the text of a pattern to where a search begins, how deep it goes and which files match. Touches no file.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toolreeve_engine::Context;

use crate::files::path;

/// Longer patterns are refused: no file has so long a name, and compiling them takes time.
const MAX_PATTERN_BYTES: usize = 4096;

/// A pattern, split into the folder that it begins in and the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    /// The folder, absolute and clean.
    pub(super) base: PathBuf,
    /// What is matched below it.
    rest: String,
    /// Whether the rest is matched against the name of a file alone, at any depth.
    by_name: bool,
}

/// Why a pattern cannot be used, in words for the model; `None` if it can.
pub(super) fn misfit(context: &Context, pattern: &str) -> Option<String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Some(format!("`pattern` is too long: at most {MAX_PATTERN_BYTES} bytes"));
    }
    if let Some(problem) = path::misfit(context, "pattern", pattern) {
        return Some(problem);
    }
    let (_, rest) = split_text(pattern);
    if rest.split('/').any(|segment| segment == "..") {
        return Some("`pattern` has a `..` behind a wildcard: put it in front, or use `path`".to_owned());
    }
    compile(&rest).err()
}

/// Splits a pattern: `src/a/**/*.rs` begins in `src/a`, whatever the rest is. The last segment is always of the rest.
pub(super) fn split(context: &Context, folder: &Path, pattern: &str) -> Split {
    let (literal, rest) = split_text(pattern);
    let base = match literal {
        "" => folder.to_path_buf(),
        _ if literal.starts_with(['/', '~']) => path::absolute(context, literal),
        _ => path::clean(&folder.join(literal)),
    };
    Split { base, by_name: !pattern.contains('/') && rest != "**", rest }
}

/// The literal folders in front, and the rest; a rest of nothing stands for everything below.
fn split_text(pattern: &str) -> (&str, String) {
    let mut end = 0;
    for (at, _) in pattern.match_indices('/') {
        if pattern[end..at].contains(['*', '?', '[', ']', '{', '}', '\\']) {
            break;
        }
        end = at + 1;
    }
    let rest = match &pattern[end..] {
        "" => "**".to_owned(),
        rest if rest.ends_with('/') => format!("{rest}**"),
        rest => rest.to_owned(),
    };
    (&pattern[..end], rest)
}

fn compile(rest: &str) -> Result<GlobSet, String> {
    let glob = GlobBuilder::new(rest)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .and_then(|glob| GlobSetBuilder::new().add(glob).build());
    glob.map_err(|error| format!("`pattern` is not a valid glob: {}", error.kind()))
}

/// Decides whether a file matches.
pub(super) struct Matcher {
    glob: GlobSet,
    by_name: bool,
    base_len: usize,
}

impl Split {
    /// Prepares the match of files below `base`, which is what `self.base` leads to.
    pub(super) fn matcher(&self, base: &Path) -> Result<Matcher, String> {
        let base = base.as_os_str().as_bytes();
        // The slash behind the folder is not part of what is matched; the root has it already.
        let base_len = if base == b"/" { 1 } else { base.len() + 1 };
        Ok(Matcher { glob: compile(&self.rest)?, by_name: self.by_name, base_len })
    }

    /// How deep a match can lie, if the pattern says so.
    pub(super) fn max_depth(&self) -> Option<usize> {
        let endless = self.by_name || self.rest.contains("**");
        // A slash inside of braces makes the alternatives differ in depth.
        let uneven = self.rest.contains(['{', '\\']);
        (!endless && !uneven).then(|| self.rest.split('/').count())
    }
}

impl Matcher {
    /// Whether a file, given by a path below the base, matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        if self.by_name {
            return path.file_name().is_some_and(|name| self.glob.is_match(Path::new(name)));
        }
        let below = path.as_os_str().as_bytes().get(self.base_len..).unwrap_or_default();
        self.glob.is_match(Path::new(std::ffi::OsStr::from_bytes(below)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_where_their_literal_part_ends() {
        let mut context = Context::new("/w");
        context.policy.home = Some("/home/u".into());
        let rows = [
            // pattern, base, rest, by name, depth
            ("*.rs", "/w/p", "*.rs", true, None),
            ("main.rs", "/w/p", "main.rs", true, None),
            ("./*.rs", "/w/p", "*.rs", false, Some(1)),
            ("**/*.rs", "/w/p", "**/*.rs", false, None),
            ("**", "/w/p", "**", false, None),
            ("src/*.rs", "/w/p/src", "*.rs", false, Some(1)),
            ("src/*/x/?.rs", "/w/p/src", "*/x/?.rs", false, Some(3)),
            ("src/a/b.rs", "/w/p/src/a", "b.rs", false, Some(1)),
            ("src/{a,b/c}/*.rs", "/w/p/src", "{a,b/c}/*.rs", false, None),
            ("src/", "/w/p/src", "**", false, None),
            ("s*c/", "/w/p", "s*c/**", false, None),
            ("../q/*", "/w/q", "*", false, Some(1)),
            ("/etc/*.conf", "/etc", "*.conf", false, Some(1)),
            ("/*", "/", "*", false, Some(1)),
            ("~/x/*", "/home/u/x", "*", false, Some(1)),
        ];
        for (pattern, base, rest, by_name, depth) in rows {
            let split = split(&context, Path::new("/w/p"), pattern);
            assert_eq!(split, Split { base: base.into(), rest: rest.into(), by_name }, "{pattern}");
            assert_eq!(split.max_depth(), depth, "{pattern}");
            assert_eq!(misfit(&context, pattern), None, "{pattern}");
        }
    }

    #[test]
    fn files_match() {
        let rows = [
            ("*.rs", "/w/a/b.rs", true),
            ("*.rs", "/w/b.rsx", false),
            ("./*.rs", "/w/b.rs", true),
            ("./*.rs", "/w/a/b.rs", false),
            ("**/*.rs", "/w/b.rs", true),
            ("**/*.rs", "/w/a/.h/b.rs", true),
            ("a/*", "/w/a/b/c", false),
            ("**/{x,y}.{ts,tsx}", "/w/q/y.tsx", true),
            ("**/{x,y}.{ts,tsx}", "/w/q/z.tsx", false),
            ("**/[a-c]?.md", "/w/bz.md", true),
            ("**/[!a-c]?.md", "/w/bz.md", false),
            ("**", "/w/a/b", true),
            (r"./\[id\].ts", "/w/[id].ts", true),
        ];
        let context = Context::new("/w");
        for (pattern, file, expected) in rows {
            let split = split(&context, Path::new("/w"), pattern);
            let base = split.base.clone();
            assert_eq!(split.matcher(&base).unwrap().matches(Path::new(file)), expected, "{pattern} {file}");
        }
    }

    #[test]
    fn bad_patterns_are_refused_with_a_reason() {
        let context = Context::new("/w");
        let long = "x".repeat(MAX_PATTERN_BYTES + 1);
        let rows = [
            ("", "`pattern` is empty"),
            ("a\0b", "NUL"),
            ("*/../../x", "`..` behind a wildcard"),
            ("{a,b", "not a valid glob"),
            ("[a", "not a valid glob"),
            (long.as_str(), "too long"),
        ];
        for (pattern, reason) in rows {
            let message = misfit(&context, pattern).unwrap_or_default();
            assert!(message.contains(reason), "{pattern:.10}: {message}");
        }
    }
}
