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
    fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), offsets: Vec::with_capacity(bytes) }
    }

    fn push(&mut self, piece: &str, at: usize) {
        self.text.push_str(piece);
        self.offsets.extend(at..at + piece.len());
    }

    /// The first byte of this kind behind an odd number of backslashes.
    pub(super) fn escaped(&self, kind: impl Fn(u8) -> bool) -> Option<usize> {
        let mut odd = false;
        self.text.bytes().position(|byte| {
            let was = odd;
            odd = byte == b'\\' && !was;
            was && kind(byte)
        })
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
    let view = || View::with_capacity(text.len());
    let mut views = QuoteViews {
        with_double_quotes: view(),
        fully_unquoted: view(),
        unquoted_keep_quote_chars: view(),
        unclosed: false,
    };
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = at + quoting(rest.as_bytes(), quote);
        let plain = &text[at..end];
        if quote != Some(b'\'') {
            views.with_double_quotes.push(plain, at);
        }
        if quote.is_none() {
            views.fully_unquoted.push(plain, at);
            views.unquoted_keep_quote_chars.push(plain, at);
        }
        at = end;
        let Some(&byte) = text.as_bytes().get(at) else { break };
        if byte == b'\\' {
            // A backslash and what it escapes belong together.
            let length = 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
            let piece = &text[at..at + length];
            views.with_double_quotes.push(piece, at);
            if quote.is_none() {
                views.fully_unquoted.push(piece, at);
                views.unquoted_keep_quote_chars.push(piece, at);
            }
            at += length;
        } else {
            quote = if quote.is_some() { None } else { Some(byte) };
            let piece = &text[at..at + 1];
            views.unquoted_keep_quote_chars.push(piece, at);
            if byte == b'"' {
                views.with_double_quotes.push(piece, at);
            }
            at += 1;
        }
    }
    views.unclosed = quote.is_some();
    views
}

/// Whether a quote stays open at the end: [`QuoteViews::unclosed`] without the views.
pub(super) fn leaves_quote_open(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        at += quoting(rest, quote);
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(&byte) => {
                quote = if quote.is_some() { None } else { Some(byte) };
                at += 1;
            }
            None => break,
        }
    }
    quote.is_some()
}

/// How many bytes come before the next one that changes what is quoted.
fn quoting(bytes: &[u8], quote: Option<u8>) -> usize {
    let found = match quote {
        Some(b'\'') => memchr::memchr(b'\'', bytes),
        Some(quote) => memchr::memchr2(quote, b'\\', bytes),
        None => memchr::memchr3(b'\'', b'"', b'\\', bytes),
    };
    found.unwrap_or(bytes.len())
}
