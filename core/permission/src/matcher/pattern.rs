//! Text patterns of rules: exact texts, `*` for any run of characters, and the word boundary of a final ` *` or `:*`.
//! Owns this one small language, which commands, agent types, skills and parameter values share; it knows no tool.
//!
//! Matching walks the text once per literal piece, so it needs no compiled automaton and cannot blow up.

/// A compiled text pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    /// The literal texts between the stars; one entry means that there is no star.
    pieces: Vec<String>,
    /// Whether the pattern ends in ` *` or `:*`: what follows the last piece starts with a blank, or nothing follows.
    boundary: bool,
    /// The one text it matches, blanks as they were written, if there is no wildcard.
    exact: Option<String>,
}

impl Pattern {
    /// Compiles a pattern. Runs of blanks outside of quotes count as one blank; `\*` is a literal star.
    pub(crate) fn new(text: &str) -> Self {
        let text = text.trim_matches(BLANKS);
        let (body, boundary) = match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            Some(body) => (body.trim_end_matches(BLANKS), true),
            None => (text, false),
        };
        let pieces = split_at_stars(body);
        let exact = (pieces.len() == 1 && !boundary).then(|| body.replace("\\*", "*"));
        Self { pieces, boundary, exact }
    }

    /// Compiles a pattern in which only `*` is special: no word boundary, blanks as they stand.
    pub(crate) fn plain(text: &str) -> Self {
        let pieces: Vec<String> = text.split('*').map(str::to_owned).collect();
        let exact = (pieces.len() == 1).then(|| text.to_owned());
        Self { pieces, boundary: false, exact }
    }

    /// Whether it matches this one text only.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact.is_some()
    }

    /// That text, blanks as they were written.
    pub(crate) fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// The literal text that everything it matches starts with.
    pub(crate) fn literal_start(&self) -> &str {
        self.pieces.first().map_or("", String::as_str)
    }

    /// The first word of everything it matches, where that is fixed.
    pub(crate) fn first_word(&self) -> Option<&str> {
        let start = self.literal_start();
        match start.find(BLANKS) {
            Some(end) => Some(&start[..end]),
            None if self.pieces.len() == 1 && !start.is_empty() => Some(start),
            None => None,
        }
    }

    /// Whether the pattern matches the whole text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else { return false };
        let Some(mut tail) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else {
            return if self.boundary { at_boundary(tail) } else { tail.is_empty() };
        };
        for piece in middle {
            match tail.find(piece.as_str()) {
                Some(at) => tail = &tail[at + piece.len()..],
                None => return false,
            }
        }
        if self.boundary {
            last.is_empty() || tail.match_indices(last.as_str()).any(|(at, _)| at_boundary(&tail[at + last.len()..]))
        } else {
            tail.ends_with(last.as_str())
        }
    }
}

const BLANKS: [char; 3] = [' ', '\t', '\n'];

fn at_boundary(tail: &str) -> bool {
    tail.is_empty() || tail.starts_with(BLANKS)
}

/// Splits at unescaped stars and joins runs of blanks outside of quotes.
fn split_at_stars(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'*') => {
                piece.push('*');
                chars.next();
            }
            '*' => pieces.push(std::mem::take(&mut piece)),
            '\'' | '"' if quote.is_none() => {
                quote = Some(c);
                piece.push(c);
            }
            ' ' | '\t' if quote.is_none() => {
                if !piece.ends_with(' ') {
                    piece.push(' ');
                }
            }
            _ => {
                if quote == Some(c) {
                    quote = None;
                }
                piece.push(c);
            }
        }
    }
    pieces.push(piece);
    pieces
}

/// Writes a text so that as a pattern it matches this text only.
pub(crate) fn escape(text: &str) -> String {
    text.replace('*', "\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_documented() {
        for (pattern, text, expected) in [
            ("npm install", "npm install", true),
            ("npm install", "npm install x", false),
            ("git commit:*", "git commit", true),
            ("git commit:*", "git commit -m x", true),
            ("git commit:*", "git commit-tree", false),
            ("git commit *", "git commit", true),
            ("git commit *", "git committed", false),
            ("ls*", "lsof", true),
            ("ls *", "lsof", false),
            ("* install", "npm install", true),
            ("* install", "npm install x", false),
            ("git * main", "git merge --ff main", true),
            ("git * main", "git main", false),
            ("ssh * uptime *", "ssh h uptime", true),
            ("ssh * uptime *", "ssh h uptime -s", true),
            ("ssh * uptime *", "ssh uptimes uptime", true),
            ("ssh * uptime *", "ssh h uptimes", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("npm  run   *", "npm run x", true),
            ("echo \"a  b\"", "echo \"a  b\"", true),
            ("echo \"a  b\"", "echo \"a b\"", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "abcbc", true),
            ("npm run test:unit", "npm run test:unit", true),
            ("*", "anything", true),
            ("curl http://x/:*", "curl http://x/y", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn the_first_word_is_known_only_where_it_is_fixed() {
        for (pattern, word) in [
            ("git commit:*", Some("git")),
            ("git:*", Some("git")),
            ("git*", None),
            ("git *", Some("git")),
            ("* install", None),
            ("ls", Some("ls")),
            ("npm run test*", Some("npm")),
        ] {
            assert_eq!(Pattern::new(pattern).first_word(), word, "{pattern:?}");
        }
    }

    #[test]
    fn an_escaped_text_matches_itself_only() {
        for text in ["ls *.c", "a:*", "echo \\*", "x *", "grep 'a*' b"] {
            let pattern = Pattern::new(&escape(text));
            assert!(pattern.is_exact() && pattern.matches(text), "{text:?} -> {pattern:?}");
        }
    }
}
