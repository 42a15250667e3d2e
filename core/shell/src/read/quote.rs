//! Quoted text: single quotes, double quotes and `$'…'`. Owns how each resolves to its value.

use super::Reader;
use crate::syntax::{ExpansionKind, Piece};

impl Reader<'_> {
    /// Reads after an opening single quote; the value up to the closing one.
    pub(super) fn single_quoted(&mut self) -> Piece {
        let start = self.pos;
        match memchr::memchr(b'\'', &self.src[start..]) {
            Some(length) => {
                self.pos = start + length + 1;
                Piece::Literal { value: self.text[start..start + length].to_owned(), quoted: true }
            }
            None => {
                self.pos = self.src.len();
                self.issue("a quote is not closed", start.saturating_sub(1));
                Piece::Literal { value: self.text[start..].to_owned(), quoted: true }
            }
        }
    }

    /// Reads after an opening double quote, up to and with the closing one.
    pub(super) fn double_quoted(&mut self, pieces: &mut Vec<Piece>) {
        let start = self.pos;
        let mut literal = String::new();
        let mut empty = true;
        loop {
            let Some(byte) = self.peek() else {
                self.issue("a quote is not closed", start.saturating_sub(1));
                break;
            };
            match byte {
                b'"' => {
                    self.pos += 1;
                    break;
                }
                b'\\' => {
                    self.pos += 1;
                    match self.src.get(self.pos) {
                        Some(b'$' | b'`' | b'"' | b'\\') => self.push_char(&mut literal),
                        _ => literal.push('\\'),
                    }
                }
                b'$' | b'`' => {
                    let mut expansion = Vec::new();
                    self.expansion(true, &mut expansion);
                    for piece in expansion {
                        if let Piece::Literal { value, .. } = piece {
                            literal.push_str(&value);
                        } else {
                            if !literal.is_empty() {
                                pieces.push(Piece::Literal { value: std::mem::take(&mut literal), quoted: true });
                            }
                            empty = false;
                            pieces.push(piece);
                        }
                    }
                }
                _ => self.push_char(&mut literal),
            }
        }
        if !literal.is_empty() || empty {
            pieces.push(Piece::Literal { value: literal, quoted: true });
        }
    }

    /// Moves one character of the text into `out`.
    pub(super) fn push_char(&mut self, out: &mut String) {
        if let Some(ch) = self.text.get(self.pos..).and_then(|rest| rest.chars().next()) {
            out.push(ch);
            self.pos += ch.len_utf8();
        } else {
            self.pos += 1;
        }
    }

    /// Reads after `$'`: the value with every escape of bash resolved. An escape whose bytes depend on the locale
    /// gives an undecodable piece; one that bash itself treats oddly gives an issue.
    pub(super) fn ansi_quoted(&mut self) -> Piece {
        let start = self.pos;
        let mut value = String::new();
        let mut decodable = true;
        loop {
            let Some(&byte) = self.src.get(self.pos) else {
                self.issue("a quote is not closed", start.saturating_sub(2));
                break;
            };
            match byte {
                b'\'' => {
                    self.pos += 1;
                    break;
                }
                b'\\' => {
                    self.pos += 1;
                    decodable &= self.ansi_escape(&mut value, start);
                }
                _ => self.push_char(&mut value),
            }
        }
        if decodable {
            Piece::Literal { value, quoted: true }
        } else {
            let source = format!("${}", &self.text[start.saturating_sub(1)..self.pos]);
            Piece::Expansion { kind: ExpansionKind::Undecodable, source, quoted: true }
        }
    }

    /// Resolves one escape after its backslash. False where the bytes are not plain ASCII text.
    fn ansi_escape(&mut self, value: &mut String, start: usize) -> bool {
        let Some(&byte) = self.src.get(self.pos) else { return true };
        self.pos += 1;
        let code = match byte {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => u32::from(byte),
            b'0'..=b'7' => {
                self.pos -= 1;
                self.digits(8, 3) & 0xff
            }
            b'x' | b'u' | b'U' => {
                let width = match byte {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                if !self.src.get(self.pos).is_some_and(u8::is_ascii_hexdigit) {
                    self.issue("a quoted escape has no fixed meaning", start);
                    return true;
                }
                self.digits(16, width)
            }
            b'c' => {
                self.issue("a quoted escape has no fixed meaning", start);
                return true;
            }
            _ => {
                // Any other escape stays as it is, backslash included.
                value.push('\\');
                self.pos -= 1;
                self.push_char(value);
                return true;
            }
        };
        match u8::try_from(code) {
            Ok(0) => {
                self.issue("a quoted escape has no fixed meaning", start);
                true
            }
            Ok(ascii) if ascii < 0x80 => {
                value.push(char::from(ascii));
                true
            }
            _ => false,
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut code: u32 = 0;
        for _ in 0..most {
            let Some(digit) = self.src.get(self.pos).and_then(|&byte| char::from(byte).to_digit(radix)) else { break };
            code = code.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
        }
        code
    }
}
