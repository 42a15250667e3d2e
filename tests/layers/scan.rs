//! Finds the modules that a Rust source file names: a small lexer and a reader of paths. Knows nothing of layers.

/// A path that a file names, as segments from the crate's root, with the line it stands in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) line: usize,
    pub(crate) path: Vec<String>,
}

/// Everything that `source` names by `crate::`, `self::` or `super::`, in `use` lines and elsewhere. `module` is the
/// module that the file holds, for example `["tools", "read", "run"]`.
pub(crate) fn mentions(source: &str, module: &[String]) -> Vec<Mention> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    // Inline modules that are open, each with the brace depth at which it began.
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => {
                depth += 1;
                let name = (at >= 2 && tokens[at - 2].text == "mod").then(|| tokens[at - 1].text.to_owned());
                inline.extend(name.map(|name| (name, depth)));
            }
            "}" => {
                inline.retain(|(_, began)| *began < depth);
                depth = depth.saturating_sub(1);
            }
            "crate" | "self" | "super" if tokens.get(at + 1).is_some_and(|next| next.text == "::") => {
                let mut here: Vec<String> = module.to_vec();
                here.extend(inline.iter().map(|(name, _)| name.clone()));
                at = read_tree(&tokens, at, &here, true, &mut found);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Reads one path or tree of paths (`a::{b, c::d}`) from `at` on and returns where it ends.
fn read_tree(tokens: &[Token<'_>], mut at: usize, base: &[String], first: bool, found: &mut Vec<Mention>) -> usize {
    let mut path = base.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    let mut is_first = first;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "crate" if is_first => path.clear(),
            "self" => {}
            "super" => {
                path.pop();
            }
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    let next = read_tree(tokens, at, &path, false, found);
                    // Whatever is no path (`,`, `as x`) is stepped over.
                    at = next.max(at + 1);
                }
                return at + 1;
            }
            "*" => {
                found.push(Mention { line, path });
                return at + 1;
            }
            name if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => path.push(name.to_owned()),
            _ => return at,
        }
        is_first = false;
        at += 1;
        if tokens.get(at).is_some_and(|token| token.text == "::") {
            at += 1;
        } else {
            break;
        }
    }
    found.push(Mention { line, path });
    // A new name for the path (`as x`) is not a path of its own.
    if tokens.get(at).is_some_and(|token| token.text == "as") { at + 2 } else { at }
}

struct Token<'a> {
    line: usize,
    text: &'a str,
}

/// Names and punctuation, without comments, strings and character literals.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let rest = &source[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => block_comment(rest),
            b'"' => string(rest, 0),
            b'r' | b'b' | b'c' if literal_prefix(rest) > 0 => string(rest, literal_prefix(rest)),
            b'\'' => char_or_lifetime(rest),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii() => {
                let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                // At least one character, so that a symbol beyond ASCII is stepped over as well.
                let length = end.filter(|end| *end > 0).unwrap_or_else(|| match end {
                    Some(_) => rest.chars().next().map_or(1, char::len_utf8),
                    None => rest.len(),
                });
                tokens.push(Token { line, text: &rest[..length] });
                length
            }
            b':' if rest.starts_with("::") => {
                tokens.push(Token { line, text: "::" });
                2
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    tokens.push(Token { line, text: &rest[..1] });
                }
                1
            }
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of what stands before the quote of a string such as `r#"…"#` or `b"…"`; 0 if this is none.
fn literal_prefix(rest: &str) -> usize {
    let letters = rest.len() - rest.trim_start_matches(['r', 'b', 'c']).len();
    let marks = rest[letters..].len() - rest[letters..].trim_start_matches('#').len();
    let is_string = rest[letters + marks..].starts_with('"') && letters <= 2;
    let is_raw = rest[..letters].contains('r');
    if is_string && (is_raw || marks == 0) { letters + marks } else { 0 }
}

fn string(rest: &str, prefix: usize) -> usize {
    let body = &rest[prefix + 1..];
    if rest[..prefix].contains('r') {
        let close = format!("\"{}", "#".repeat(rest[..prefix].matches('#').count()));
        return body.find(&close).map_or(rest.len(), |end| prefix + 1 + end + close.len());
    }
    let mut escaped = false;
    for (index, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return prefix + 1 + index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a character literal, or 1 for the mark of a lifetime.
fn char_or_lifetime(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => rest[3.min(rest.len())..].find('\'').map_or(rest.len(), |end| 3 + end + 1),
        Some(_) => match letters.next() {
            Some((index, '\'')) => index + 1,
            _ => 1,
        },
        None => 1,
    }
}
