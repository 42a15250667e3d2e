//! Expansions that start with `$` or a backtick. Owns where each ends and which of them have a form simple enough to be
//! an unknown value; the rest is recorded as an issue, with the commands inside still read.

use super::Reader;
use crate::syntax::{ExpansionKind, Piece, Span};

/// How long the plain text of an operator may be.
const MAX_OPERATOR: usize = 200;

impl Reader<'_> {
    /// Reads the expansion at the position (`$` or a backtick) into `pieces`.
    pub(super) fn expansion(&mut self, quoted: bool, pieces: &mut Vec<Piece>) {
        let from = self.pos;
        if self.peek() == Some(b'`') {
            self.backticks(quoted, pieces);
            return;
        }
        self.pos += 1;
        let kind = match self.peek() {
            Some(b'\'') if !quoted => {
                self.bash_only("$'…' quotes", from);
                self.pos += 1;
                let piece = self.ansi_quoted();
                pieces.push(piece);
                return;
            }
            Some(b'"') if !quoted => {
                self.issue("it uses a translated string", from);
                self.pos += 1;
                self.double_quoted(pieces);
                return;
            }
            Some(b'(') => self.parenthesis(from),
            Some(b'{') => {
                self.pos += 1;
                self.braced_parameter(from)
            }
            Some(b'[') => {
                self.pos += 1;
                self.issue("it uses arithmetic", from);
                self.skip_nested(b'[', b']', from);
                ExpansionKind::Arithmetic
            }
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => ExpansionKind::Variable(self.name()),
            Some(byte @ (b'?' | b'$' | b'#' | b'@' | b'*' | b'!' | b'-' | b'0'..=b'9')) => {
                self.pos += 1;
                ExpansionKind::Variable(char::from(byte).to_string())
            }
            _ => {
                pieces.push(Piece::Literal { value: "$".to_owned(), quoted });
                return;
            }
        };
        let source = self.text[from..self.pos].to_owned();
        pieces.push(Piece::Expansion { kind, source, quoted });
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.peek() {
            if byte != b'_' && !byte.is_ascii_alphanumeric() {
                break;
            }
            name.push(char::from(byte));
            self.pos += 1;
        }
        name
    }

    /// `$(` or `$((`.
    fn parenthesis(&mut self, from: usize) -> ExpansionKind {
        if self.peek_second() == Some(b'(') {
            let inside = self.pos;
            if let Some(end) = self.arithmetic_end() {
                self.take(b'(');
                self.take(b'(');
                self.arithmetic_body(end, from);
                self.pos = end;
                return ExpansionKind::Arithmetic;
            }
            self.pos = inside;
            self.issue("two opening parentheses are ambiguous", from);
        }
        self.take(b'(');
        ExpansionKind::Command(self.script_in_parentheses(from))
    }

    /// Where `((` at the position ends, if it closes with `))` and so is arithmetic.
    pub(super) fn arithmetic_end(&mut self) -> Option<usize> {
        let mut depth = 0usize;
        let mut at = self.pos;
        while let Some(&byte) = self.src.get(at) {
            if self.lookahead == 0 {
                self.issue("too much of it looks like arithmetic", self.pos);
                return None;
            }
            self.lookahead -= 1;
            match byte {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return None;
                    }
                    if depth == 1 {
                        return (self.src.get(at + 1) == Some(&b')')).then_some(at + 2);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The inside of arithmetic up to `end`: only numbers and operators have a value nobody can turn into a command.
    pub(super) fn arithmetic_body(&mut self, end: usize, from: usize) {
        let body = &self.src[self.pos..end.saturating_sub(2).max(self.pos)];
        let harmless = body.iter().all(|byte| {
            byte.is_ascii_digit()
                || matches!(
                    byte,
                    b' ' | b'+'
                        | b'-'
                        | b'*'
                        | b'/'
                        | b'%'
                        | b'('
                        | b')'
                        | b'<'
                        | b'>'
                        | b'='
                        | b'&'
                        | b'|'
                        | b'^'
                        | b'~'
                        | b'!'
                )
        });
        if harmless {
            return;
        }
        self.issue("it uses arithmetic on variables", from);
        let mut scratch = Vec::new();
        while self.pos < end {
            match self.src[self.pos] {
                b'$' | b'`' => self.expansion(true, &mut scratch),
                _ => self.pos += 1,
            }
        }
        self.keep_scripts(scratch, from);
    }

    /// Keeps the commands inside of something unsupported visible: as bodies beside the text.
    fn keep_scripts(&mut self, pieces: Vec<Piece>, from: usize) {
        if pieces.iter().any(|piece| matches!(piece, Piece::Expansion { .. })) {
            let source = self.text[from..self.pos.min(self.text.len())].to_owned();
            let word = crate::syntax::Word { span: self.span_from(from), source, pieces };
            self.here_documents.push(word);
        }
    }

    /// `${…}` after the brace.
    fn braced_parameter(&mut self, from: usize) -> ExpansionKind {
        let keep = self.pos;
        if let Some(first) = self.peek() {
            let name = if first == b'_' || first.is_ascii_alphabetic() {
                self.name()
            } else if matches!(first, b'?' | b'$' | b'@' | b'*' | b'!' | b'-' | b'#' | b'0'..=b'9') {
                self.pos += 1;
                char::from(first).to_string()
            } else {
                String::new()
            };
            if !name.is_empty() && self.take(b'}') {
                return ExpansionKind::Variable(name);
            }
            if crate::read::is_name(&name) && self.plain_operator(from) {
                return ExpansionKind::Parameter;
            }
            if name == "#" {
                let counted = self.name();
                if !counted.is_empty() && self.take(b'}') {
                    return ExpansionKind::Parameter;
                }
            }
        }
        self.pos = keep;
        self.issue("it uses a parameter expansion with an operator", from);
        self.skip_nested(b'{', b'}', from);
        ExpansionKind::Parameter
    }

    /// An operator that only cuts or replaces text (`%`, `#`, `/`, `^`, `,`, `:-`, `:+`, `:` with digits), with plain text
    /// behind it: nothing in it is evaluated. Moves past the closing brace where it is one.
    fn plain_operator(&mut self, from: usize) -> bool {
        let rest = &self.src[self.pos..];
        let Some(end) = memchr::memchr(b'}', &rest[..rest.len().min(MAX_OPERATOR)]) else { return false };
        let body = &rest[..end];
        let text = |bytes: &[u8]| {
            bytes.iter().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(
                        byte,
                        b'_' | b'.' | b'-' | b'/' | b'*' | b'?' | b'%' | b'#' | b'^' | b',' | b':' | b'+' | b' '
                    )
            })
        };
        let digits =
            |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b':');
        let (sound, portable) = match body {
            [b'%' | b'#', rest @ ..] => (text(rest), true),
            [b':', b'-' | b'+', rest @ ..] | [b'-' | b'+', rest @ ..] => (text(rest), true),
            [b'/' | b'^' | b',', rest @ ..] => (text(rest), false),
            [b':', rest @ ..] => (digits(rest), false),
            _ => (false, false),
        };
        if sound {
            if !portable {
                self.bash_only("this expansion", from);
            }
            self.pos += end + 1;
        }
        sound
    }

    /// Steps to the closing bracket of something unsupported, reading quotes and expansions inside.
    fn skip_nested(&mut self, open: u8, close: u8, from: usize) {
        let mut depth = 1usize;
        let mut scratch = Vec::new();
        self.depth += 1;
        loop {
            if self.depth > super::MAX_DEPTH {
                self.issue("the command is nested too deeply", from);
                self.pos = self.src.len();
                break;
            }
            let Some(byte) = self.peek() else {
                self.issue("an expansion is not closed", from);
                break;
            };
            match byte {
                b'\\' => self.pos = (self.pos + 2).min(self.src.len()),
                b'\'' => {
                    self.pos += 1;
                    self.single_quoted();
                }
                b'"' => {
                    self.pos += 1;
                    self.double_quoted(&mut scratch);
                }
                b'$' | b'`' => self.expansion(false, &mut scratch),
                _ => {
                    self.pos += 1;
                    if byte == open {
                        depth += 1;
                    } else if byte == close {
                        depth -= 1;
                        if depth == 0 {
                            break;
                        }
                    }
                }
            }
        }
        self.depth -= 1;
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        self.keep_scripts(scratch, from);
    }

    /// A backtick substitution.
    fn backticks(&mut self, quoted: bool, pieces: &mut Vec<Piece>) {
        let from = self.pos;
        self.pos += 1;
        let start = self.pos;
        let mut inner = String::new();
        let mut closed = false;
        let mut escaped = false;
        while let Some(&byte) = self.src.get(self.pos) {
            match byte {
                b'`' => {
                    closed = true;
                    self.pos += 1;
                    break;
                }
                b'\\' => {
                    escaped = true;
                    self.pos += 1;
                    if !matches!(self.src.get(self.pos), Some(b'$' | b'`' | b'\\')) {
                        inner.push('\\');
                    }
                    self.push_char(&mut inner);
                }
                _ => self.push_char(&mut inner),
            }
        }
        self.pos = self.pos.min(self.src.len());
        if !closed {
            self.issue("a backtick is not closed", from);
        }
        if escaped {
            self.issue("a backslash stands inside of backticks", from);
        }
        let span = Span::new(start.saturating_sub(1), self.pos);
        let script = self.nested(&inner, span);
        let source = self.text[from..self.pos].to_owned();
        pieces.push(Piece::Expansion { kind: ExpansionKind::Command(script), source, quoted });
    }
}
