//! What else a command does: reading everything below a folder, files that words of unknown programs may name. Owns these
//! few facts; parsing is the shell crate's.

use toolreeve_shell::CommandFacts;

/// How a command reads below the folders it is given.
pub(super) struct ReadsBelow {
    /// Names that start with a dot are passed over.
    skips_hidden: bool,
    /// Patterns of names that are passed over.
    excluded: Vec<globset::GlobMatcher>,
}

impl ReadsBelow {
    /// Whether a file or folder of this name may be read.
    pub(super) fn may_read(&self, name: &str) -> bool {
        let hidden = self.skips_hidden && name.starts_with('.');
        !hidden && !self.excluded.iter().any(|glob| glob.is_match(name))
    }
}

/// Whether the command reads the content of everything below its folders.
pub(super) fn reads_below(command: &CommandFacts) -> Option<ReadsBelow> {
    let words: Vec<&str> = command.argv.iter().skip(1).map(toolreeve_shell::Arg::text).collect();
    let has = |short: &[char], long: &[&str]| {
        words.iter().any(|word| match word.strip_prefix("--") {
            Some(rest) => long.contains(&rest.split('=').next().unwrap_or(rest)),
            None => word.strip_prefix('-').is_some_and(|cluster| cluster.contains(short)),
        })
    };
    let every = |skips_hidden| Some(ReadsBelow { skips_hidden, excluded: Vec::new() });
    match command.program.as_deref()? {
        "rg" => every(!has(&['.', 'u'], &["hidden", "unrestricted", "no-ignore"])),
        "ag" => every(!has(&['u', 'a'], &["hidden", "unrestricted", "all-types"])),
        "ack" | "zip" | "tar" | "bsdtar" | "rsync" | "7z" => every(false),
        "grep" | "egrep" | "fgrep" | "zgrep"
            if has(&['r', 'R', 'd'], &["recursive", "dereference-recursive", "directories"]) =>
        {
            let excluded = words
                .iter()
                .filter_map(|word| word.strip_prefix("--exclude=").or_else(|| word.strip_prefix("--exclude-dir=")))
                .filter_map(|glob| globset::Glob::new(glob).ok())
                .map(|glob| glob.compile_matcher())
                .collect();
            Some(ReadsBelow { skips_hidden: false, excluded })
        }
        "diff" if has(&['r'], &["recursive"]) => every(false),
        "cp" | "scp" if has(&['r', 'R', 'a'], &["recursive", "archive"]) => every(false),
        _ => None,
    }
}

/// Whether a pattern of the shell may stand, in one of its components, for a name that `wanted` matches.
pub(super) fn pattern_may_name(shown: &str, wanted: &str) -> bool {
    shown.split('/').any(|part| {
        if part.contains(['$', '`', '(']) {
            return true;
        }
        // A star of the shell does not stand for the dot of a hidden file.
        let hidden = wanted.starts_with('.') && part.starts_with(['*', '?']);
        !hidden && may_meet(part, wanted)
    })
}

/// Whether some name matches both patterns. True is a guess where one of them has more than `*` and `?`.
fn may_meet(one: &str, other: &str) -> bool {
    if [one, other].iter().any(|pattern| pattern.contains(['[', '{', '\\'])) || one.len() * other.len() > 10_000 {
        return true;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // meets[j]: whether the rest of `one` from the current position and the rest of `other` from j can be equal.
    let stars_only = |rest: &[char]| rest.iter().all(|c| *c == '*');
    let mut below: Vec<bool> = (0..=other.len()).map(|j| stars_only(&other[j..])).collect();
    for i in (0..one.len()).rev() {
        let mut row = vec![false; other.len() + 1];
        row[other.len()] = stars_only(&one[i..]);
        for j in (0..other.len()).rev() {
            let both = one[i] == other[j] || one[i] == '?' || other[j] == '?';
            row[j] = match (one[i], other[j]) {
                ('*', _) | (_, '*') => below[j] || row[j + 1],
                _ => both && below[j + 1],
            };
        }
        below = row;
    }
    below[0]
}

/// Words of a command that may name a file although nobody knows what the program does with them: the word itself, and
/// what stands behind `@`, `=` or `:`.
pub(super) fn possible_files(command: &CommandFacts) -> Vec<&str> {
    // What git shows of a file may come from its history, and `curl -d @file` sends one: their words are no plain paths.
    let says_more = matches!(command.program.as_deref(), Some("git" | "curl" | "wget" | "gh"));
    if command.paths_complete && !says_more {
        return Vec::new();
    }
    let words = command.argv.iter().skip(1).filter_map(|word| word.known());
    let tails = |word: &'_ str| -> Vec<usize> { word.match_indices(['@', '=', ':']).map(|(at, _)| at + 1).collect() };
    words
        .filter(|word| word.len() < 4_096)
        .flat_map(|word| std::iter::once(word).chain(tails(word).into_iter().take(8).map(move |at| &word[at..])))
        .filter(|word| !word.is_empty() && !word.starts_with('-'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolreeve_shell::{Shell, analyze};

    fn first(text: &str) -> CommandFacts {
        analyze(text, Shell::Bash).commands.remove(0)
    }

    #[test]
    fn what_is_read_below_a_folder() {
        for (text, name, expected) in [
            ("rg x", ".env", false),
            ("rg --hidden x", ".env", true),
            ("rg -uu x", ".env", true),
            ("rg x", "key", true),
            ("grep -rn x .", ".env", true),
            ("grep -r --exclude=.env x .", ".env", false),
            ("grep x a", ".env", false),
            ("cat a", ".env", false),
        ] {
            assert_eq!(reads_below(&first(text)).is_some_and(|below| below.may_read(name)), expected, "{text} {name}");
        }
    }

    #[test]
    fn patterns_of_the_shell_and_names() {
        for (shown, name, expected) in [
            ("*", ".env", false),
            (".*", ".env", true),
            ("*.md", "a.md", true),
            ("*.md", "key", false),
            ("*/key", "secrets", true),
            ("src/*.rs", "*.pem", false),
            ("src/*", "*.pem", true),
            ("a*b", "*c*", true),
            ("a*b", "c*", false),
            ("?", "ab", false),
            ("a?", "?b", true),
            ("[a]", "b", true),
            ("a/key*", "key1", true),
        ] {
            assert_eq!(pattern_may_name(shown, name), expected, "{shown} {name}");
        }
    }
}
