//! Redirections: operator, descriptor and target.

use super::Reader;
use crate::syntax::{Piece, Redirect, RedirectOp, Word};

impl Reader<'_> {
    /// Whether the position is at a redirection operator without a descriptor.
    pub(super) fn at_redirect(&mut self) -> bool {
        match self.peek() {
            Some(b'<' | b'>') => self.peek_second() != Some(b'('),
            Some(b'&') => self.peek_second() == Some(b'>'),
            _ => false,
        }
    }

    /// Reads a redirection; `fd` is the word of digits in front of it and where it starts.
    pub(super) fn redirect(&mut self, fd: Option<(u32, usize)>) -> Redirect {
        let start = fd.map_or(self.pos, |(_, start)| start);
        let op = self.redirect_operator(start);
        let fd = fd.map(|(fd, _)| fd);
        let glued = self.pos;
        let strip_tabs = op == RedirectOp::HereDoc && self.take(b'-');
        self.skip_blanks();
        let at = self.pos;
        let mut target = Word { span: self.span_from(at), source: String::new(), pieces: Vec::new() };
        match self.peek() {
            Some(b'\n' | b';' | b'&' | b'|' | b')' | b'(') | None => self.issue("a redirection has no target", start),
            Some(b'<' | b'>') if self.peek_second() != Some(b'(') => self.issue("a redirection has no target", start),
            Some(b'#') if at > glued => self.issue("a redirection has no target", start),
            _ => target = self.word(),
        }
        let op = self.settle_duplication(op, fd, &target, start);
        let here_document = (op == RedirectOp::HereDoc).then(|| self.expect_here_document(&target, strip_tabs));
        if matches!(op, RedirectOp::WriteBoth | RedirectOp::AppendBoth | RedirectOp::HereString) {
            self.bash_only("this redirection", start);
        }
        Redirect { op, fd, target, here_document, span: self.span_from(start) }
    }

    fn redirect_operator(&mut self, start: usize) -> RedirectOp {
        if self.take(b'&') {
            self.take(b'>');
            return if self.take(b'>') { RedirectOp::AppendBoth } else { RedirectOp::WriteBoth };
        }
        if self.take(b'<') {
            return match self.peek() {
                Some(b'<') => {
                    self.pos += 1;
                    if self.take(b'<') { RedirectOp::HereString } else { RedirectOp::HereDoc }
                }
                Some(b'>') => {
                    self.pos += 1;
                    RedirectOp::ReadWrite
                }
                Some(b'&') => {
                    self.pos += 1;
                    RedirectOp::DupIn
                }
                _ => RedirectOp::Read,
            };
        }
        self.take(b'>');
        match self.peek() {
            Some(b'>') => {
                self.pos += 1;
                RedirectOp::Append
            }
            Some(b'|') => {
                self.pos += 1;
                RedirectOp::Clobber
            }
            Some(b'&') => {
                self.pos += 1;
                if self.peek() == Some(b'>') {
                    self.issue("a redirection has no target", start);
                }
                RedirectOp::DupOut
            }
            _ => RedirectOp::Write,
        }
    }

    /// `>&` and `<&` with a descriptor duplicate it. bash expands the target of `>&` twice, quoted or not, so any other
    /// target but a plain file name is an issue.
    fn settle_duplication(&mut self, op: RedirectOp, fd: Option<u32>, target: &Word, start: usize) -> RedirectOp {
        if !matches!(op, RedirectOp::DupIn | RedirectOp::DupOut) {
            return op;
        }
        let bare = target.bare().unwrap_or("");
        if bare == "-" || (!bare.is_empty() && bare.len() < 4 && bare.bytes().all(|byte| byte.is_ascii_digit())) {
            return op;
        }
        let plain = !bare.is_empty()
            && !bare.starts_with('-')
            && !bare.starts_with(|first: char| first.is_ascii_digit())
            && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
        if op == RedirectOp::DupOut && fd.is_none() && plain {
            return RedirectOp::WriteBoth;
        }
        self.issue("a descriptor is duplicated from something that is no number", start);
        if op == RedirectOp::DupOut && !target.pieces.is_empty() { RedirectOp::WriteBoth } else { op }
    }

    /// The descriptor that a word of digits right before `<` or `>` is.
    pub(super) fn as_descriptor(&mut self, word: &Word) -> Option<u32> {
        if !matches!(self.peek(), Some(b'<' | b'>')) || self.peek_second() == Some(b'(') {
            return None;
        }
        let text = match word.pieces.as_slice() {
            [Piece::Literal { value, quoted: false }] => value,
            _ => return None,
        };
        if text.starts_with('{') && text.ends_with('}') && text.len() > 2 {
            self.issue("a redirection puts its descriptor into a variable", word.span.start);
            return None;
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if text.len() > 3 {
            self.issue("a descriptor is out of range", word.span.start);
            return None;
        }
        if text.len() > 1 {
            self.bash_only("a descriptor of two digits", word.span.start);
        }
        text.parse().ok()
    }
}
