//! The three quote-stripped views of a command text. They follow quotes by a simple state machine, on purpose without
//! the reader: a second, dumber look at the same bytes.

/// A text with some bytes left out, and where each of its bytes stood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// What is left.
    pub text: String,
    /// For every byte of `text`, its place in the command.
    pub offsets: Vec<usize>,
}

impl View {
    fn push(&mut self, ch: char, at: usize) {
        self.text.push(ch);
        self.offsets.extend((0..ch.len_utf8()).map(|byte| at + byte));
    }

    /// The place in the command of a byte of the view.
    pub(crate) fn offset(&self, byte: usize) -> usize {
        self.offsets.get(byte).copied().or_else(|| self.offsets.last().map(|last| last + 1)).unwrap_or(0)
    }
}

/// The views of one command text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuoteViews {
    /// Without what stands in single quotes: double quotes are kept with their content, where expansions still happen.
    pub with_double_quotes: View,
    /// Without anything that is quoted.
    pub fully_unquoted: View,
    /// Like `fully_unquoted`, but the quote characters stay, to see what stands next to them.
    pub unquoted_keep_quote_chars: View,
    /// Whether a quote stays open at the end.
    pub unclosed: bool,
}

/// Makes the views of a command text.
pub fn quote_views(text: &str) -> QuoteViews {
    let mut views = QuoteViews::default();
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    while let Some((at, ch)) = chars.next() {
        match (quote, ch) {
            (None, '\'' | '"') => {
                quote = Some(ch);
                views.unquoted_keep_quote_chars.push(ch, at);
                if ch == '"' {
                    views.with_double_quotes.push(ch, at);
                }
            }
            (Some(open), ch) if ch == open => {
                quote = None;
                views.unquoted_keep_quote_chars.push(ch, at);
                if ch == '"' {
                    views.with_double_quotes.push(ch, at);
                }
            }
            (Some('\''), _) => {}
            (state, '\\') => {
                // A backslash and what it escapes belong together.
                for (at, ch) in std::iter::once((at, ch)).chain(chars.next()) {
                    views.with_double_quotes.push(ch, at);
                    if state.is_none() {
                        views.fully_unquoted.push(ch, at);
                        views.unquoted_keep_quote_chars.push(ch, at);
                    }
                }
            }
            (state, ch) => {
                views.with_double_quotes.push(ch, at);
                if state.is_none() {
                    views.fully_unquoted.push(ch, at);
                    views.unquoted_keep_quote_chars.push(ch, at);
                }
            }
        }
    }
    views.unclosed = quote.is_some();
    views
}
