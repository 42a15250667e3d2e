//! Here-documents: the delimiter at `<<` and the body after the next newline.

use super::{PendingHereDocument, Reader};
use crate::syntax::{ExpansionKind, Piece, Span, Word};

impl Reader<'_> {
    /// Notes a here-document and returns the index its body will have.
    pub(super) fn expect_here_document(&mut self, delimiter: &Word, strip_tabs: bool) -> usize {
        let start = delimiter.span.start;
        let quoted = delimiter.pieces.iter().any(|piece| matches!(piece, Piece::Literal { quoted: true, .. }));
        let text = delimiter.known();
        let plain = text.as_deref().is_some_and(|text| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        });
        if !plain || delimiter.pieces.len() != 1 {
            self.issue("a here-document has an unusual delimiter", start);
        }
        let index = self.here_documents.len();
        let span = delimiter.span;
        self.here_documents.push(Word { span, source: String::new(), pieces: Vec::new() });
        let delimiter = text.map_or_else(|| delimiter.source.clone(), |text| text.into_owned());
        self.pending.push(PendingHereDocument { delimiter, quoted, strip_tabs, index });
        index
    }

    /// Reads the bodies of the here-documents that were announced on the line just ended.
    pub(super) fn read_here_documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let mut body = String::new();
            let mut closed = false;
            while self.pos < self.src.len() {
                let end = memchr::memchr(b'\n', &self.src[self.pos..]).map_or(self.src.len(), |at| self.pos + at);
                let mut line = &self.text[self.pos..end];
                if pending.strip_tabs {
                    line = line.trim_start_matches('\t');
                }
                self.pos = (end + 1).min(self.src.len());
                if line == pending.delimiter {
                    // The newline after the delimiter also ends the statement: leave it to the caller.
                    closed = true;
                    self.pos = end;
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if !closed {
                self.issue("a here-document is not closed", start);
            }
            let pieces = if pending.quoted {
                vec![Piece::Literal { value: body, quoted: true }]
            } else {
                self.here_document_pieces(&body, Span::new(start, self.pos))
            };
            let source = self.text[start..self.pos].to_owned();
            let span = self.span_from(start);
            if let Some(slot) = self.here_documents.get_mut(pending.index) {
                *slot = Word { span, source, pieces };
            }
            if closed && self.src.get(self.pos) == Some(&b'\n') && !self.pending.is_empty() {
                self.pos += 1;
            }
        }
    }

    /// The expansions in the body of a here-document whose delimiter is not quoted.
    fn here_document_pieces(&mut self, body: &str, span: Span) -> Vec<Piece> {
        if memchr::memchr3(b'$', b'`', b'\\', body.as_bytes()).is_none() {
            return vec![Piece::Literal { value: body.to_owned(), quoted: true }];
        }
        let mut inner = Reader::new(body, self.shell);
        inner.depth = self.depth + 1;
        inner.fixed_span = Some(self.fixed_span.unwrap_or(span));
        inner.here_documents = std::mem::take(&mut self.here_documents);
        let mut pieces = Vec::new();
        let mut literal = String::new();
        while inner.pos < inner.src.len() {
            match inner.src[inner.pos] {
                b'\\' => {
                    inner.pos += 1;
                    match inner.src.get(inner.pos) {
                        Some(b'$' | b'`' | b'\\') => inner.push_char(&mut literal),
                        Some(b'\n') => {
                            inner.issue("a here-document has a continued line", 0);
                            inner.pos += 1;
                        }
                        _ => literal.push('\\'),
                    }
                }
                b'$' | b'`' => {
                    if !literal.is_empty() {
                        pieces.push(Piece::Literal { value: std::mem::take(&mut literal), quoted: true });
                    }
                    inner.expansion(true, &mut pieces);
                }
                _ => inner.push_char(&mut literal),
            }
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal { value: literal, quoted: true });
        }
        self.here_documents = inner.here_documents;
        self.issues.extend(inner.issues);
        for piece in &pieces {
            if let Piece::Expansion { kind: ExpansionKind::Process(_), .. } = piece {
                self.issue("a here-document has an odd expansion", span.start);
            }
        }
        pieces
    }
}
