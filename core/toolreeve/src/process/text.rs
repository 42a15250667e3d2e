//! From bytes to text, whatever the bytes are and wherever they are cut.

/// Decodes bytes, with U+FFFD in place of what is not UTF-8. A character that is cut off at the end is left for later,
/// unless this is the end. Returns the text and how many bytes it stands for.
pub(super) fn decode(mut bytes: &[u8], is_end: bool) -> (String, usize) {
    let all = bytes.len();
    let mut text = String::with_capacity(all);
    loop {
        let error = match std::str::from_utf8(bytes) {
            Ok(valid) => {
                text.push_str(valid);
                return (text, all);
            }
            Err(error) => error,
        };
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        text.push_str(&String::from_utf8_lossy(valid));
        match error.error_len() {
            Some(len) => bytes = &rest[len..],
            None if is_end => bytes = &[],
            None => return (text, all - rest.len()),
        }
        text.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Whether a byte continues a character that began before it.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_to_cut_gives_the_same_text(
            bytes in proptest::collection::vec(
                prop_oneof![Just(0xe2_u8), Just(0x82), Just(0xac), Just(0xf0), Just(0x9f), Just(b'a'), any::<u8>()], 0..60),
            cuts in proptest::collection::vec(0_usize..8, 1..40),
        ) {
            let mut text = String::new();
            let mut pending = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                pending.extend_from_slice(now);
                rest = later;
                let (piece, used) = decode(&pending, false);
                text.push_str(&piece);
                pending.drain(..used);
                prop_assert!(pending.len() < 4);
            }
            pending.extend_from_slice(rest);
            text.push_str(&decode(&pending, true).0);
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }
    }
}
