//! The text of a settings file as a tree with places: JSON with comments, trailing commas, a byte order mark and any
//! line ends. Owns the syntax and nothing about what keys mean.

use jsonc_parser::ast::Value as Tree;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

/// Deeper nesting is refused before anything recurses into it.
const MAX_DEPTH: usize = 64;

/// A text that is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    /// Where, from 1.
    pub(super) line: u32,
    /// Where, in characters from 1.
    pub(super) column: u32,
    /// What is wrong and what would be right.
    pub(super) message: String,
}

/// What is accepted beyond JSON: comments and trailing commas.
pub(super) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Reads a text. A byte order mark is taken off first, so the places count without it.
pub(super) fn parse(text: &str) -> Result<Tree<'_>, SyntaxError> {
    let text = without_mark(text);
    let at = |byte: usize, message: String| {
        let (line, column) = Lines::new(text).place(byte);
        SyntaxError { line, column, message }
    };
    if let Some(byte) = too_deep(text) {
        return Err(at(byte, format!("it nests deeper than {MAX_DEPTH} levels; settings are flat")));
    }
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(parsed) => match parsed.value {
            Some(tree) => Ok(tree),
            None => Err(at(text.len(), "it is empty, or still being written; write `{}` or remove it".to_owned())),
        },
        Err(error) => {
            let message = format!("{}; settings are JSON with comments and trailing commas", error.kind());
            Err(at(error.range().start, message))
        }
    }
}

/// The text without a byte order mark.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Where a text nests too deeply, if it does. Reads strings and comments as the parser does.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += memchr::memchr2(b'\n', b'\r', &bytes[at..]).unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += memchr::memmem::find(&bytes[at..], b"*/").map_or(bytes.len() - at, |end| end + 1);
            }
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(at);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The byte of the quote that ends a string, or the end of the text.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where lines begin, to find many places in one text.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = without_mark(text);
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            // A carriage return ends a line, unless a newline follows and does.
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// The line and the column in characters of a byte, both from 1.
    pub(super) fn place(&self, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..byte).map_or(0, |text| text.chars().count());
        (to_u32(line), to_u32(column + 1))
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The tree as plain JSON. Of keys that stand twice the last one counts.
pub(super) fn to_json(tree: &Tree<'_>) -> Value {
    tree.clone().into()
}

/// The node that a JSON pointer names, or the nearest one above it.
pub(super) fn locate<'t, 'a>(tree: &'t Tree<'a>, pointer: &str) -> &'t Tree<'a> {
    let mut node = tree;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let next = match node {
            Tree::Object(object) => {
                object.properties.iter().rfind(|property| property.name.as_str() == name).map(|found| &found.value)
            }
            Tree::Array(array) => name.parse().ok().and_then(|at: usize| array.elements.get(at)),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// The byte at which a node begins.
pub(super) fn start(tree: &Tree<'_>) -> usize {
    tree.range().start
}

/// A JSON pointer as people write it: `permissions.deny[2]`.
pub(super) fn dotted(pointer: &str) -> String {
    let mut key = String::new();
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            key.push_str(&format!("[{name}]"));
        } else {
            if !key.is_empty() {
                key.push('.');
            }
            key.push_str(&name);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_commas_marks_and_line_ends() {
        for text in [
            "{\"a\": [1, 2]}",
            "\u{feff}{\"a\": [1, 2,],}",
            "// first\r\n{ /* {[ \" */ \"a\": [1, // one\r\n 2], }\r\n",
            "{\"a\":\r[1,2]}\n\n// end",
        ] {
            assert_eq!(to_json(&parse(text).unwrap()), json!({"a": [1, 2]}), "{text:?}");
        }
    }

    #[test]
    fn errors_say_where() {
        for (text, line, column) in [
            ("", 1, 1),
            ("// nothing\n", 2, 1),
            ("{\"a\": 1\n\"b\": 2}", 1, 8),
            ("{\n  \"é\": tru}", 2, 8),
            ("{\"a\": [1, 2", 1, 7),
            ("{\"a\": 'x'}", 1, 7),
            ("{\"a\": 1} {}", 1, 10),
            ("\u{feff}{a: 1}", 1, 2),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text:?}: {}", error.message);
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_brackets_in_strings_are_not_nesting() {
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert!(parse(&deep).unwrap_err().message.contains("64 levels"));
        let flat = format!("{{\"a\": \"{}\\\"\" /* {} */}}", "[".repeat(100), "{".repeat(100));
        assert!(parse(&flat).is_ok());
        let wide = format!("[{}[]]", "[],".repeat(1000));
        assert!(parse(&wide).is_ok());
    }

    #[test]
    fn pointers_lead_to_places() {
        let text = "{\"a\": {\"b~/c\": [1,\n  {\"d\": 2}]}}";
        let tree = parse(text).unwrap();
        let lines = Lines::new(text);
        for (pointer, place, key) in
            [("", (1, 1), ""), ("/a/b~0~1c/1/d", (2, 9), "a.b~/c[1].d"), ("/a/none/x", (1, 7), "a.none.x")]
        {
            assert_eq!(lines.place(start(locate(&tree, pointer))), place, "{pointer}");
            assert_eq!(dotted(pointer), key);
        }
    }
}
