//! From an input to a compiled regular expression, within limits of size, and the filters of the walk.

use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::schema::GrepInput;

/// Longer patterns are refused: to parse one costs about a hundred times its size in memory.
const MAX_PATTERN_BYTES: usize = 64 * 1024;
/// The size of a compiled pattern. A pattern within it compiles in well under a second.
const MAX_COMPILED_BYTES: usize = 10 * 1024 * 1024;
/// The memory for what a pattern learns as it runs, for each thread.
const MAX_LEARNED_BYTES: usize = 16 * 1024 * 1024;

/// Compiles the pattern of an input; a failure is in words for the model.
pub(super) fn compile(input: &GrepInput) -> Result<RegexMatcher, String> {
    if input.pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("`pattern` is too long: at most {MAX_PATTERN_BYTES} bytes"));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(input.ignore_case)
        .dot_matches_new_line(input.multiline)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_LEARNED_BYTES);
    if !input.multiline {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&input.pattern).map_err(|error| {
        let text = error.to_string();
        match error.kind() {
            grep_regex::ErrorKind::NotAllowed(_) => {
                format!("{text}: set `multiline` to true to match across line ends")
            }
            _ if text.contains("size limit") => {
                format!("`pattern` is too large once compiled ({text}): use fewer or smaller repetitions")
            }
            // The searching crate shows the pattern inside of a group of its own; the plain one does not.
            _ => match regex::bytes::Regex::new(&input.pattern) {
                Err(plain @ regex::Error::Syntax(_)) => plain.to_string(),
                _ => text,
            },
        }
    })
}

/// The files that `glob` selects or leaves out, relative to the root of the search.
pub(super) fn overrides(root: &Path, globs: Option<&str>) -> Result<Option<Override>, String> {
    let Some(globs) = globs else { return Ok(None) };
    let mut builder = OverrideBuilder::new(root);
    for glob in split_globs(globs) {
        builder.add(glob).map_err(|error| format!("`glob` is not valid: {error}"))?;
    }
    builder.build().map(Some).map_err(|error| format!("`glob` is not valid: {error}"))
}

/// Several patterns may stand in one text, with commas or blanks between them; inside of braces and sets these are
/// part of the pattern.
fn split_globs(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    })
    .filter(|glob| !glob.is_empty())
}

/// The files of a type that ripgrep knows.
pub(super) fn types(name: Option<&str>) -> Result<Option<Types>, String> {
    let Some(name) = name else { return Ok(None) };
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    builder.build().map(Some).map_err(|_| {
        format!(
            "`type` {name:?} is not known: use a name such as js, ts, py, rust, go, java, c, cpp, md, or use `glob`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(pattern: &str, multiline: bool) -> String {
        let input = GrepInput { pattern: pattern.into(), multiline, ..GrepInput::default() };
        compile(&input).err().unwrap_or_default()
    }

    #[test]
    fn bad_patterns_come_back_with_the_diagnostic() {
        let rows = [
            ("(foo", "unclosed group"),
            ("a{2,1}", "repetition"),
            ("[z-a]", "character class range"),
            (r"\p{Nope}", "Unicode property not found"),
            ("(?=x)", "look-around"),
            (r"(x)\1", "backreferences are not supported"),
            (r"foo\nbar", "set `multiline` to true"),
            ("((a{999}){999}){999}", "too large once compiled"),
        ];
        for (pattern, words) in rows {
            let text = problem(pattern, false);
            assert!(text.contains(words), "{pattern}: {text}");
        }
        assert!(problem(&"a".repeat(MAX_PATTERN_BYTES + 1), false).contains("too long"));
        assert_eq!(problem(r"foo\nbar", true), "");
        assert_eq!(problem("(a*)*b", false), "");
    }

    #[test]
    fn globs_are_split_outside_of_braces() {
        let rows: [(&str, &[&str]); 5] = [
            ("*.rs", &["*.rs"]),
            ("*.{ts,tsx}", &["*.{ts,tsx}"]),
            ("*.ts, *.tsx", &["*.ts", "*.tsx"]),
            ("*.{a,b} !x[ ,]y", &["*.{a,b}", "!x[ ,]y"]),
            ("", &[]),
        ];
        for (text, globs) in rows {
            assert_eq!(split_globs(text).collect::<Vec<_>>(), globs, "{text}");
        }
    }
}
