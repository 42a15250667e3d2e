//! Words: everything up to the next unquoted blank or operator, as pieces. Owns tilde, pattern and brace recognition.

use super::{Reader, is_meta};
use crate::syntax::{ExpansionKind, Piece, Script, Word};

/// How far a bracket is looked for.
const MAX_BRACKET: usize = 256;

/// What is met while a word is read; braces are judged at its end.
#[derive(Default)]
struct BraceWatch {
    open: Option<usize>,
    comma: bool,
    closed: bool,
}

impl Reader<'_> {
    /// Reads one word. The position is at its first byte, which is no operator (or starts a process substitution).
    pub(super) fn word(&mut self) -> Word {
        self.skip_continuations();
        let start = self.pos;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut source = String::new();
        let mut plain = String::new();
        let mut braces = BraceWatch::default();
        while let Some(byte) = self.peek() {
            let from = self.pos;
            match byte {
                b'<' | b'>' if self.peek_second() == Some(b'(') => {
                    flush(&mut plain, &mut pieces);
                    self.process_substitution(&mut pieces);
                }
                _ if is_meta(byte) => break,
                b'\\' => {
                    self.pos += 1;
                    if self.pos >= self.src.len() {
                        self.issue("it ends in a backslash", from);
                        plain.push('\\');
                    } else {
                        flush(&mut plain, &mut pieces);
                        let mut value = String::new();
                        self.push_char(&mut value);
                        if value == "," || value == "." {
                            braces.comma |= braces.open.is_some();
                        }
                        push_quoted(&mut pieces, value);
                    }
                }
                b'\'' => {
                    flush(&mut plain, &mut pieces);
                    self.pos += 1;
                    let piece = self.single_quoted();
                    braces.comma |= braces.open.is_some();
                    pieces.push(piece);
                }
                b'"' => {
                    flush(&mut plain, &mut pieces);
                    self.pos += 1;
                    braces.comma |= braces.open.is_some();
                    self.double_quoted(&mut pieces);
                }
                b'$' | b'`' => {
                    flush(&mut plain, &mut pieces);
                    braces.comma |= braces.open.is_some();
                    self.expansion(false, &mut pieces);
                }
                b'*' | b'?' | b'[' => {
                    self.pos += 1;
                    if byte == b'[' && !self.bracket_closes() {
                        plain.push('[');
                    } else {
                        flush(&mut plain, &mut pieces);
                        pieces.push(Piece::Expansion {
                            kind: ExpansionKind::Glob,
                            source: char::from(byte).to_string(),
                            quoted: false,
                        });
                    }
                }
                b'~' if self.tilde_counts(start, &plain, &pieces) => {
                    flush(&mut plain, &mut pieces);
                    let piece = self.tilde();
                    pieces.push(piece);
                }
                _ => {
                    match byte {
                        b'{' if braces.open.is_none() => {
                            flush(&mut plain, &mut pieces);
                            braces.open = Some(pieces.len());
                        }
                        b',' => braces.comma |= braces.open.is_some(),
                        b'.' if self.peek_second() == Some(b'.') => braces.comma |= braces.open.is_some(),
                        b'}' => braces.closed |= braces.open.is_some() && braces.comma,
                        _ => {}
                    }
                    self.unquoted_char(&mut plain);
                }
            }
            source.push_str(&self.text[from..self.pos]);
        }
        flush(&mut plain, &mut pieces);
        if braces.closed {
            mark_braces(&mut pieces, braces.open.unwrap_or(0), &source);
        }
        Word { span: self.span_from(start), source, pieces }
    }

    /// One ordinary character. What bash takes as a letter but a person may not is an issue.
    fn unquoted_char(&mut self, plain: &mut String) {
        let from = self.pos;
        let before = plain.len();
        self.push_char(plain);
        let odd = plain[before..].chars().any(|ch| !ch.is_ascii() && !ch.is_alphanumeric());
        if odd {
            self.issue("an unquoted character is not plain text", from);
        }
    }

    /// Whether a `]` follows soon in the same word, so that `[` may start a pattern. In doubt it may.
    fn bracket_closes(&self) -> bool {
        let rest = &self.src[self.pos..];
        let near = &rest[..rest.len().min(MAX_BRACKET)];
        let end = near.iter().position(|&byte| matches!(byte, b' ' | b'\t' | b'\n'));
        let word = &near[..end.unwrap_or(near.len())];
        // Behind a quote a blank may be part of the word: then look at all of it.
        let quoted = word.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`'));
        let look = if quoted { near } else { word };
        memchr::memchr(b']', look).is_some() || (near.len() == MAX_BRACKET && (quoted || end.is_none()))
    }

    /// A tilde is expanded at the start of a word and, in words that look like assignments, after `=` and `:`.
    fn tilde_counts(&self, start: usize, plain: &str, pieces: &[Piece]) -> bool {
        if self.pos == start {
            return true;
        }
        (plain.is_empty() && pieces.is_empty()) || plain.ends_with(['=', ':'])
    }

    fn tilde(&mut self) -> Piece {
        let from = self.pos;
        self.pos += 1;
        let mut user = String::new();
        while let Some(byte) = self.peek() {
            if byte == b'/' || byte == b':' || is_meta(byte) {
                break;
            }
            if matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`') {
                // A quote in the prefix stops the expansion, but that is a corner nobody needs: unknown.
                user.push('?');
                break;
            }
            self.push_char(&mut user);
        }
        let source = self.text[from..self.pos].to_owned();
        let user = if user.is_empty() { None } else { Some(user) };
        Piece::Expansion { kind: ExpansionKind::Tilde(user), source, quoted: false }
    }

    fn process_substitution(&mut self, pieces: &mut Vec<Piece>) {
        let from = self.pos;
        self.pos += 1;
        self.take(b'(');
        let script = self.script_in_parentheses(from);
        self.bash_only("process substitution", from);
        let source = self.text[from..self.pos].to_owned();
        pieces.push(Piece::Expansion { kind: ExpansionKind::Process(script), source, quoted: false });
    }

    /// Reads a list up to and with the closing parenthesis.
    pub(super) fn script_in_parentheses(&mut self, from: usize) -> Script {
        let before = self.pending.len();
        let script = self.script_until_parenthesis();
        if !self.take(b')') {
            self.issue("a parenthesis is not closed", from);
        }
        if self.pending.len() > before {
            self.issue("a here-document has no body", from);
            self.pending.truncate(before);
        }
        script
    }
}

fn flush(plain: &mut String, pieces: &mut Vec<Piece>) {
    if !plain.is_empty() {
        pieces.push(Piece::Literal { value: std::mem::take(plain), quoted: false });
    }
}

fn push_quoted(pieces: &mut Vec<Piece>, text: String) {
    if let Some(Piece::Literal { value, quoted: true }) = pieces.last_mut() {
        value.push_str(&text);
    } else {
        pieces.push(Piece::Literal { value: text, quoted: true });
    }
}

/// Puts a brace expansion in place of everything from the opening brace on, keeping substitutions visible.
fn mark_braces(pieces: &mut Vec<Piece>, open: usize, source: &str) {
    let tail: Vec<Piece> = pieces.drain(open.min(pieces.len())..).collect();
    pieces.push(Piece::Expansion { kind: ExpansionKind::Brace, source: source.to_owned(), quoted: false });
    pieces.extend(tail.into_iter().filter(|piece| matches!(piece, Piece::Expansion { .. })));
}
