//! Check 22, `COMMENT_QUOTE_DESYNC`: a quote character inside of a comment: a reader that does not know comments takes what follows for
//! quoted text. Bad: `ls # it's`, newline, `rm x`. Good: `ls # files`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 22, name: "COMMENT_QUOTE_DESYNC", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'#') || !subject.has_any(b"'\"`") {
        return None;
    }
    let bytes = subject.text.as_bytes();
    let mut quote: Option<u8> = None;
    let mut word = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(b'"') | None, b'\\') => {
                at += 1;
                word = true;
            }
            (Some(_), _) => {}
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word = true;
            }
            (None, b'#') if !word => {
                while let Some(&inside) = bytes.get(at).filter(|inside| **inside != b'\n') {
                    if matches!(inside, b'\'' | b'"' | b'`') {
                        return Some(Hit::doubtful("a comment has a quote in it", Span::new(at, at + 1)));
                    }
                    at += 1;
                }
            }
            (None, byte) => {
                word = !matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
            }
        }
        at += 1;
    }
    None
}
