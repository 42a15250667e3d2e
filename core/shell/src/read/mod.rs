//! The own reading of a command text: bytes to syntax by bash's rules, without a grammar library. It accounts for every
//! byte, goes on after a problem (deny rules must still see what follows) and records each thing it cannot vouch for
//! as an [`Issue`]. It never judges what a command does. Called by `analyze`.

mod dollar;
mod grammar;
mod heredoc;
mod quote;
mod redirect;
mod test_command;
mod word;

pub(crate) use grammar::{RESERVED, is_name};

use crate::Shell;
use crate::syntax::{Issue, Program, Span, Word};

/// Nesting of lists, substitutions and groups above which reading stops.
pub(crate) const MAX_DEPTH: usize = 40;

/// Bytes looked at ahead of the position before arithmetic is given up.
const MAX_LOOKAHEAD: usize = 200_000;

/// A here-document whose body has not been reached yet.
#[derive(Debug)]
struct PendingHereDocument {
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
    index: usize,
}

/// The reader: a position in the text and what was found so far.
pub(crate) struct Reader<'a> {
    text: &'a str,
    src: &'a [u8],
    pos: usize,
    depth: usize,
    /// Bytes that may still be looked at ahead of the position, over the whole text.
    lookahead: usize,
    shell: Shell,
    issues: Vec<Issue>,
    pending: Vec<PendingHereDocument>,
    here_documents: Vec<Word>,
    /// Set for text inside of backticks: spans then point at the whole substitution.
    fixed_span: Option<Span>,
}

/// Reads a whole command text.
pub(crate) fn read_program(text: &str, shell: Shell) -> Program {
    let mut reader = Reader::new(text, shell);
    reader.check_bytes();
    let script = reader.script_to_end();
    Program { script, here_documents: reader.here_documents, issues: reader.issues }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, shell: Shell) -> Self {
        Self {
            text,
            src: text.as_bytes(),
            pos: 0,
            depth: 0,
            lookahead: MAX_LOOKAHEAD,
            shell,
            issues: Vec::new(),
            pending: Vec::new(),
            here_documents: Vec::new(),
            fixed_span: None,
        }
    }

    /// Reads `text`, the inside of a backtick substitution at `span`, with a reader of its own.
    fn nested(&mut self, text: &str, span: Span) -> crate::syntax::Script {
        let mut inner = Reader::new(text, self.shell);
        inner.depth = self.depth + 1;
        inner.fixed_span = Some(self.fixed_span.unwrap_or(span));
        inner.here_documents = std::mem::take(&mut self.here_documents);
        let script = if inner.depth > MAX_DEPTH {
            inner.issue("the command is nested too deeply", 0);
            crate::syntax::Script::default()
        } else {
            inner.script_to_end()
        };
        self.here_documents = inner.here_documents;
        self.issues.extend(inner.issues);
        script
    }

    /// The bytes that bash and people read differently: control characters, and blanks that only look like blanks.
    fn check_bytes(&mut self) {
        for (at, ch) in self.text.char_indices() {
            let bad = match ch {
                '\n' | '\t' => false,
                ch if ch.is_control() => true,
                ch if ch.is_ascii() => false,
                ch => ch.is_whitespace() || is_invisible(ch),
            };
            if bad {
                let span = Span::new(at, at + ch.len_utf8());
                self.issues.push(Issue { reason: "it contains a control or invisible character", span });
                return;
            }
        }
    }

    fn span_from(&self, start: usize) -> Span {
        self.fixed_span.unwrap_or(Span::new(start, self.pos))
    }

    fn issue(&mut self, reason: &'static str, start: usize) {
        let span = self.span_from(start);
        self.issues.push(Issue { reason, span });
    }

    /// Steps over line continuations at the position.
    fn skip_continuations(&mut self) {
        while self.src.get(self.pos) == Some(&b'\\') && self.src.get(self.pos + 1) == Some(&b'\n') {
            self.pos += 2;
        }
    }

    /// The next byte after line continuations.
    fn peek(&mut self) -> Option<u8> {
        self.skip_continuations();
        self.src.get(self.pos).copied()
    }

    /// The byte after the next one, again without line continuations.
    fn peek_second(&mut self) -> Option<u8> {
        self.peek_at(1)
    }

    /// The byte `ahead` places after the next one, without line continuations and without moving.
    fn peek_at(&mut self, ahead: usize) -> Option<u8> {
        self.skip_continuations();
        let keep = self.pos;
        for _ in 0..ahead {
            self.pos += 1;
            self.skip_continuations();
        }
        let found = self.src.get(self.pos).copied();
        self.pos = keep;
        found
    }

    /// Takes the next byte if it is `byte`.
    fn take(&mut self, byte: u8) -> bool {
        if self.peek() == Some(byte) {
            self.pos += 1;
            return true;
        }
        false
    }

    /// Steps over blanks.
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.pos += 1;
        }
    }

    /// Steps over a comment, up to its newline. A comment has no line continuation.
    fn skip_comment(&mut self) {
        match memchr::memchr(b'\n', &self.src[self.pos..]) {
            Some(length) => self.pos += length,
            None => self.pos = self.src.len(),
        }
    }

    /// Takes a newline and the here-document bodies that start after it.
    fn take_newline(&mut self) {
        self.pos += 1;
        self.read_here_documents();
    }

    /// Steps over blanks, comments and newlines.
    fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.take_newline(),
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }
}

/// Whether a byte ends a word unless it is quoted.
fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Characters that show nothing or change the order of what is shown.
pub(crate) fn is_invisible(ch: char) -> bool {
    matches!(ch,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
