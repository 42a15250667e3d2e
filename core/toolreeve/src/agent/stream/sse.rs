//! Cuts a server-sent event stream into the data of its events, whatever the borders of the pieces. WHATWG HTML 9.2:
//! lines end with LF, CR LF or CR; several `data` lines of one event are joined by LF; comments and other fields pass.

use memchr::memchr2;

/// One event may not be larger than this many bytes.
const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// The stream is not usable any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an event of the model's stream is larger than {MAX_EVENT_BYTES} bytes")]
pub struct SseError;

/// The decoder. Feed it bytes; it hands out the data of each complete event.
#[derive(Debug, Default)]
pub struct SseDecoder {
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// The data of the event so far.
    data: Vec<u8>,
    has_data: bool,
    /// The last line ended with CR, so an LF that follows belongs to it.
    after_cr: bool,
    /// Nothing came yet, so a byte order mark may.
    started: bool,
}

impl SseDecoder {
    /// A decoder at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and calls `event` with the data of each event that they complete.
    ///
    /// # Errors
    /// If an event is too large. The decoder is of no use afterwards.
    pub fn feed(&mut self, mut bytes: &[u8], mut event: impl FnMut(&[u8])) -> Result<(), SseError> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                if self.line.len() + bytes.len() > MAX_EVENT_BYTES {
                    return Err(SseError);
                }
                self.line.extend_from_slice(bytes);
                return Ok(());
            };
            self.after_cr = bytes[end] == b'\r';
            if self.line.is_empty() {
                self.take_line(&bytes[..end], &mut event)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.take_line(&line, &mut event)?;
                line.clear();
                self.line = line;
            }
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// The stream has ended. An event that no blank line closed is handed out all the same: a connection that is cut
    /// right behind the last event has lost nothing.
    pub fn finish(&mut self, mut event: impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            // The size was checked when the bytes came.
            let _ = self.take_line(&line, &mut event);
        }
        self.dispatch(&mut event);
    }

    fn take_line(&mut self, mut line: &[u8], event: &mut impl FnMut(&[u8])) -> Result<(), SseError> {
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(event);
            return Ok(());
        }
        if let Some(value) = line.strip_prefix(b"data") {
            let value = match value {
                [] => value,
                [b':', b' ', rest @ ..] | [b':', rest @ ..] => rest,
                // Another field whose name begins with "data".
                _ => return Ok(()),
            };
            if self.data.len() + value.len() > MAX_EVENT_BYTES {
                return Err(SseError);
            }
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        }
        Ok(())
    }

    fn dispatch(&mut self, event: &mut impl FnMut(&[u8])) {
        if std::mem::take(&mut self.has_data) {
            event(&self.data);
            self.data.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Vec<String> {
        let (mut decoder, mut events) = (SseDecoder::new(), Vec::new());
        let mut take = |data: &[u8]| events.push(String::from_utf8_lossy(data).into_owned());
        for piece in pieces {
            decoder.feed(piece, &mut take).unwrap();
        }
        decoder.finish(&mut take);
        events
    }

    #[test]
    fn fields_comments_and_line_ends() {
        let text =
            b"\xef\xbb\xbfevent: a\ndata: 1\n\n: comment\r\ndata:2\r\ndata: 3\r\n\r\ndatabase: x\rdata\r\rdata: cut";
        assert_eq!(decode(&[text]), ["1", "2\n3", "", "cut"]);
    }

    proptest! {
        #[test]
        fn the_borders_of_pieces_do_not_matter(
            text in "(data: ?[a-zé]{0,6}|event: x|: c|)?(\r\n|\n|\r)?(data:[a-z]{0,9}(\n|\r\n|\r){1,2}){0,6}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = text.as_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(decode(&pieces), decode(&[bytes]));
        }
    }
}
