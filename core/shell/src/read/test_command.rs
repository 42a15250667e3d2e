//! `[[ … ]]`: read as words. Vouches only for shapes in which nothing is evaluated.

use super::{Reader, is_meta};
use crate::syntax::{Command, SimpleCommand, Span, Word};

/// Unary tests that evaluate nothing (`-v`, `-R` and `-o` do or may).
const UNARY: &str = "abcdefghkprstuwxGLNOSzn";
/// Binary tests that compare text or files; the arithmetic ones evaluate their operands.
const BINARY: [&str; 6] = ["=", "==", "!=", "-nt", "-ot", "-ef"];

impl Reader<'_> {
    pub(super) fn test_command(&mut self, start: usize) -> Command {
        self.skip_blanks();
        let mut words: Vec<Word> = vec![self.word()];
        let mut operators: Vec<Option<&'static str>> = vec![None];
        let mut sound = true;
        loop {
            self.skip_newlines();
            let at = self.pos;
            let Some(byte) = self.peek() else {
                self.issue("a compound command is not complete", start);
                break;
            };
            if is_meta(byte) && !(matches!(byte, b'<' | b'>') && self.peek_second() == Some(b'(')) {
                let second = self.peek_second();
                let joined = match (byte, second) {
                    (b'&', Some(b'&')) => Some("&&"),
                    (b'|', Some(b'|')) => Some("||"),
                    _ => None,
                };
                self.pos += 1;
                if joined.is_some() {
                    self.take(byte);
                } else {
                    sound = false;
                    if matches!(byte, b';') {
                        break;
                    }
                }
                operators.push(joined);
                words.push(Word { span: Span::new(at, self.pos), source: String::new(), pieces: Vec::new() });
                continue;
            }
            let word = self.word();
            let last = word.bare() == Some("]]");
            words.push(word);
            operators.push(None);
            if last {
                break;
            }
        }
        let inner = words.len().saturating_sub(1);
        if !sound || !terms_are_sound(&words[1..inner.max(1)], &operators[1..inner.max(1)]) {
            self.issue("a conditional expression evaluates more than text", start);
        }
        let mut command = SimpleCommand { words, ..SimpleCommand::default() };
        loop {
            self.skip_blanks();
            if !self.at_redirect() {
                break;
            }
            let redirect = self.redirect(None);
            command.redirects.push(redirect);
        }
        if self.peek().is_some_and(|byte| !is_meta(byte) && byte != b'#') {
            self.issue("a word follows a compound command", start);
        }
        command.span = self.span_from(start);
        Command::Test(command)
    }
}

fn terms_are_sound(words: &[Word], operators: &[Option<&'static str>]) -> bool {
    let mut term: Vec<&Word> = Vec::new();
    for (word, operator) in words.iter().zip(operators) {
        if operator.is_some() {
            if !term_is_sound(&term) {
                return false;
            }
            term.clear();
        } else {
            term.push(word);
        }
    }
    term_is_sound(&term)
}

fn term_is_sound(term: &[&Word]) -> bool {
    let term = match term.first().and_then(|word| word.bare()) {
        Some("!") => &term[1..],
        _ => term,
    };
    match term {
        [unary, operand] => {
            unary.bare().is_some_and(|text| text.len() == 2 && text.starts_with('-') && UNARY.contains(&text[1..]))
                && operand.bare() != Some("!")
        }
        [left, binary, _] => binary.bare().is_some_and(|text| BINARY.contains(&text)) && left.bare() != Some("!"),
        _ => false,
    }
}
