//! Lines of a stream in constant memory: a line above the limit is skipped to its end and reported as too long.

use std::io::{BufRead, ErrorKind};

/// The longest line that is kept, in bytes. A request with a command of a million bytes fits even if all are escaped.
pub(super) const MAX_LINE_BYTES: usize = 8 << 20;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The line is in the buffer, without its newline.
    Whole,
    /// The line was longer than the limit and is gone.
    TooLong,
    /// There are no more lines.
    End,
}

/// Reads the next line into the buffer.
///
/// # Errors
/// If the stream cannot be read.
pub(super) fn next(input: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> std::io::Result<Line> {
    line.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(match (any, too_long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Whole,
            });
        }
        any = true;
        let newline = memchr::memchr(b'\n', available);
        let piece = &available[..newline.unwrap_or(available.len())];
        if line.len() + piece.len() > limit {
            too_long = true;
            line.clear();
        }
        if !too_long {
            line.extend_from_slice(piece);
        }
        let used = newline.map_or(available.len(), |at| at + 1);
        input.consume(used);
        if newline.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped_and_the_next_one_is_read() {
        let mut input = std::io::BufReader::with_capacity(3, b"ab\nabcdefgh\n\nxyzxyz".as_slice());
        let mut line = Vec::new();
        let mut read = || next(&mut input, &mut line, 5).map(|what| (what, line.clone())).unwrap();
        assert_eq!(read(), (Line::Whole, b"ab".to_vec()));
        assert_eq!(read().0, Line::TooLong);
        assert_eq!(read(), (Line::Whole, Vec::new()));
        assert_eq!(read().0, Line::TooLong);
        assert_eq!(read().0, Line::End);
    }
}
