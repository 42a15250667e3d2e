//! Hints for mistakes: where a text that was not found almost is, and which names are like one that does not exist.
//! Bounded work; changes nothing.

use std::path::Path;

use rustix::io::Errno;
use toolreeve_engine::ToolError;

use super::path::ResolvedPath;

/// How much of a file is searched for a place that is almost right.
const MAX_SEARCHED_BYTES: usize = 8 * 1024 * 1024;
/// How many places are compared.
const MAX_PLACES: usize = 200;
/// How many lines of the file a hint shows.
const MAX_SHOWN_LINES: usize = 12;
/// How many characters of a line a hint shows.
const MAX_SHOWN_CHARS: usize = 200;
/// How many names of a folder are compared.
const MAX_NAMES: usize = 10_000;

/// A hint where `old` almost is in a text, in words for the model.
pub fn place(body: &str, old: &str) -> Option<String> {
    if let Some(stripped) = without_line_numbers(old)
        && body.contains(stripped.trim_end_matches('\n'))
    {
        return Some(
            "old_string contains the line numbers that Read prints before each line: leave them out.".to_owned(),
        );
    }
    let end = (0..=body.len().min(MAX_SEARCHED_BYTES)).rev().find(|at| body.is_char_boundary(*at))?;
    let lines: Vec<&str> = body.get(..end)?.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    // The first line that says something is the anchor.
    let (anchor_at, anchor) = wanted.iter().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let best = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.trim() == anchor.trim())
        .take(MAX_PLACES)
        .filter_map(|(at, _)| at.checked_sub(anchor_at))
        .map(|start| (matching_lines(lines.get(start..).unwrap_or_default(), &wanted), start))
        // The first of those that match best.
        .fold(
            None,
            |best: Option<(usize, usize)>, it| if best.is_some_and(|best| best.0 >= it.0) { best } else { Some(it) },
        );
    match best {
        Some((matched, start)) if matched == wanted.len() => Some(format!(
            "Lines {}-{} differ from it only in white space. The file has there:\n{}",
            start + 1,
            start + wanted.len(),
            shown(lines.get(start..start + wanted.len()).unwrap_or_default(), start)
        )),
        Some((matched, start)) => {
            let (at, expected) = (start + matched, wanted.get(matched)?);
            let found =
                lines.get(at).map_or_else(|| "the end of the file".to_owned(), |line| format!("`{}`", cut(line)));
            Some(format!(
                "The closest place begins at line {}. Line {} of old_string is `{}`, but line {} of the file is {found}.",
                start + 1,
                matched + 1,
                cut(expected),
                at + 1,
            ))
        }
        None => contained(&lines, anchor),
    }
}

/// A line that shares most words with the anchor.
fn contained(lines: &[&str], anchor: &str) -> Option<String> {
    let words: Vec<&str> =
        anchor.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() >= 3).take(20).collect();
    let mut best: Option<(usize, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let shared = words.iter().filter(|word| line.contains(**word)).count();
        if shared > 0 && best.is_none_or(|(most, _)| shared > most) {
            best = Some((shared, at));
        }
    }
    let (_, at) = best.filter(|(shared, _)| shared * 2 > words.len())?;
    Some(format!("The closest line is line {}: `{}`.", at + 1, cut(lines.get(at)?.trim())))
}

fn matching_lines(lines: &[&str], wanted: &[&str]) -> usize {
    lines.iter().zip(wanted).take_while(|(line, wanted)| line.trim() == wanted.trim()).count()
}

fn shown(lines: &[&str], start: usize) -> String {
    let mut out: Vec<String> = lines
        .iter()
        .take(MAX_SHOWN_LINES)
        .enumerate()
        .map(|(n, line)| format!("{:>6}\t{}", start + n + 1, cut(line)))
        .collect();
    if lines.len() > MAX_SHOWN_LINES {
        out.push("     …".to_owned());
    }
    out.join("\n")
}

fn cut(line: &str) -> &str {
    line.char_indices().nth(MAX_SHOWN_CHARS).and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

/// The text without the numbers that Read prints, if every line has one.
fn without_line_numbers(old: &str) -> Option<String> {
    let mut out = String::new();
    for line in old.lines() {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == line.trim_start().len() {
            return None;
        }
        out.push_str(rest.strip_prefix(['\t', '→'])?);
        out.push('\n');
    }
    (!out.is_empty()).then_some(out)
}

/// The error of a file that does not exist, with what might have been meant.
pub fn missing(verb: &str, path: &ResolvedPath) -> ToolError {
    let mut error = ToolError::io(format!("Cannot {verb} {}", path.path.display()), &Errno::NOENT.into());
    let (Some(folder), Some(name)) = (path.path.parent(), path.path.file_name()) else { return error };
    let names = names(folder, &name.to_string_lossy());
    if !folder.is_dir() {
        error.message.push_str(&format!(". The folder {} does not exist.", folder.display()));
    } else if names.is_empty() {
        error.message.push_str(". Look for it with Glob.");
    } else {
        error.message.push_str(&format!(". Similar names in {}: {}.", folder.display(), names.join(", ")));
    }
    error
}

/// Names in a folder that are like one that is not there, the likeliest first, at most three.
pub fn names(folder: &Path, name: &str) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut scored: Vec<(usize, String)> = entries
        .take(MAX_NAMES)
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|other| likeness(name, &other).map(|score| (score, other)))
        .collect();
    scored.sort();
    scored.into_iter().take(3).map(|(_, other)| other).collect()
}

/// How far two names are apart; `None` if they are not alike.
fn likeness(name: &str, other: &str) -> Option<usize> {
    let (name, other) = (name.to_lowercase(), other.to_lowercase());
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    if name == other {
        return Some(0);
    }
    if stem(&name) == stem(&other) {
        return Some(1);
    }
    let distance = edit_distance(&name, &other);
    let allowed = (name.chars().count() / 4).clamp(1, 3);
    if distance <= allowed {
        return Some(1 + distance);
    }
    let (short, long) = if name.len() < other.len() { (stem(&name), other) } else { (stem(&other), name) };
    (short.len() >= 4 && long.contains(&short)).then_some(10)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(256).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(256).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (above, y) in row.iter_mut().skip(1).zip(&b) {
            let next = (diagonal + usize::from(x != *y)).min(left + 1).min(*above + 1);
            diagonal = *above;
            *above = next;
            left = next;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("main.rs", "mian.rs", 2), ("kitten", "sitting", 3)]
        {
            assert_eq!(edit_distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn likely_names_come_first() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["Config.rs", "config.toml", "confg.rs", "other.txt", "my_config_old.rs"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        assert_eq!(names(dir.path(), "config.rs"), ["Config.rs", "config.toml", "confg.rs"]);
        assert!(names(dir.path(), "zzz").is_empty());
        assert!(names(&dir.path().join("none"), "x").is_empty());
    }

    #[test]
    fn hints_name_the_place() {
        let body = "fn main() {\n\tlet x = 1;\n\tprintln!(\"{x}\");\n}\n";
        let rows = [
            ("fn main() {\n    let x = 1;", "Lines 1-2 differ from it only in white space"),
            ("     2\t\tlet x = 1;", "line numbers"),
            ("let x = 1;\nlet y = 2;", "Line 2 of old_string is `let y = 2;`, but line 3"),
            ("}\nfn other() {", "line 5 of the file is the end of the file"),
            ("println!(\"{x}\")", "The closest line is line 3"),
        ];
        for (old, expected) in rows {
            let hint = place(body, old).unwrap_or_default();
            assert!(hint.contains(expected), "{old:?}: {hint}");
        }
        assert_eq!(place(body, "zzzzzz qqqqqq"), None);
        assert_eq!(place("", "x"), None);
    }
}
