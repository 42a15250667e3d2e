//! The encodings of text files, both ways: what a file is written in, what it says, and the bytes of a changed text in
//! the same encoding. Line endings and byte order marks are kept. Opens no file.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

use super::kind::SAMPLE_BYTES;

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// How a text file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// UTF-8, with or without a byte order mark. Bytes that are not UTF-8 may be in it and are left alone.
    Utf8 {
        /// Whether the file starts with the mark.
        bom: bool,
    },
    /// UTF-16 with a byte order mark.
    Utf16 {
        /// Whether the high byte comes first.
        big_endian: bool,
    },
    /// An older encoding, guessed from the bytes.
    Legacy(&'static Encoding),
}

/// A text cannot be written in an encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the character {character:?} cannot be written in {encoding}, the encoding of the file")]
pub struct Unwritable {
    /// The first character that has no form there.
    pub character: char,
    /// The encoding.
    pub encoding: &'static str,
}

impl Codec {
    /// Tells the encoding of a text file from its first bytes; `bytes` may be more than that.
    pub fn detect(bytes: &[u8]) -> Self {
        let (sample, complete) = match bytes.get(..SAMPLE_BYTES) {
            Some(sample) => (sample, sample.len() == bytes.len()),
            None => (bytes, true),
        };
        match sample {
            [0xff, 0xfe, ..] => return Self::Utf16 { big_endian: false },
            [0xfe, 0xff, ..] => return Self::Utf16 { big_endian: true },
            _ if sample.starts_with(UTF8_BOM) => return Self::Utf8 { bom: true },
            _ => {}
        }
        if is_mostly_utf8(sample, complete) {
            return Self::Utf8 { bom: false };
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(sample, complete);
        Self::Legacy(detector.guess(None, Utf8Detection::Deny))
    }

    /// The name of the encoding, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 { .. } => "UTF-8",
            Self::Utf16 { big_endian: false } => "UTF-16LE",
            Self::Utf16 { big_endian: true } => "UTF-16BE",
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// How many bytes at the start are the byte order mark.
    pub fn bom_len(self) -> usize {
        match self {
            Self::Utf8 { bom: true } => UTF8_BOM.len(),
            Self::Utf16 { .. } => 2,
            Self::Utf8 { bom: false } | Self::Legacy(_) => 0,
        }
    }

    /// The text of a whole file, without the byte order mark. What is no character becomes U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let body = bytes.get(self.bom_len()..).unwrap_or_default();
        match self {
            Self::Utf8 { .. } => String::from_utf8_lossy(body),
            Self::Utf16 { big_endian: false } => encoding_rs::UTF_16LE.decode_without_bom_handling(body).0,
            Self::Utf16 { big_endian: true } => encoding_rs::UTF_16BE.decode_without_bom_handling(body).0,
            Self::Legacy(encoding) => encoding.decode_without_bom_handling(body).0,
        }
    }

    /// The bytes of a text as a whole file, with the byte order mark.
    ///
    /// # Errors
    /// If a character has no form in the encoding.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unwritable> {
        match self {
            Self::Utf8 { bom } => {
                let mark = if bom { UTF8_BOM } else { b"" };
                Ok([mark, text.as_bytes()].concat())
            }
            Self::Utf16 { big_endian } => {
                let mut out = Vec::with_capacity(2 + text.len() * 2);
                for unit in std::iter::once(0xfeff).chain(text.encode_utf16()) {
                    out.extend(if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
                }
                Ok(out)
            }
            Self::Legacy(encoding) => encode_legacy(encoding, text),
        }
    }
}

fn encode_legacy(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>, Unwritable> {
    use encoding_rs::EncoderResult;
    let mut encoder = encoding.new_encoder();
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    loop {
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut out, true);
        match result {
            EncoderResult::InputEmpty => return Ok(out),
            EncoderResult::Unmappable(character) => return Err(Unwritable { character, encoding: encoding.name() }),
            EncoderResult::OutputFull => {
                rest = rest.get(read..).unwrap_or_default();
                out.reserve(rest.len() + 16);
            }
        }
    }
}

/// Whether bytes are UTF-8, or UTF-8 with a few broken places: no more of them than characters outside of ASCII.
/// Text in an older encoding has such characters only by rare accident.
fn is_mostly_utf8(sample: &[u8], complete: bool) -> bool {
    let (mut broken, mut wide) = (0_usize, 0_usize);
    for chunk in sample.utf8_chunks() {
        // Counting the first bytes of wide characters.
        wide += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // A sample that was cut may end inside of a character.
    if !complete {
        broken = broken.saturating_sub(1);
    }
    broken == 0 || broken <= wide
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// There is no `\r\n` in it.
    Lf,
    /// Every line ends in `\r\n`.
    CrLf,
    /// Some do.
    Mixed,
}

impl LineEnding {
    /// Looks at a whole text.
    pub fn of(text: &[u8]) -> Self {
        // Most files have no `\r` at all, and looking for one byte is the fastest search there is.
        let Some(first) = memchr::memchr(b'\r', text) else { return Self::Lf };
        let crlf = memchr::memmem::find_iter(text.get(first..).unwrap_or_default(), b"\r\n").count();
        if crlf == 0 {
            return Self::Lf;
        }
        if memchr::memchr_iter(b'\n', text).count() == crlf { Self::CrLf } else { Self::Mixed }
    }
}

/// A rough number of tokens of a text, in quarters: four ASCII characters are a token, another character is one.
pub fn quarter_tokens(text: &str) -> usize {
    // Bytes that continue a character count nothing, those that begin a wide one count four.
    text.bytes().map(|byte| if byte < 0x80 { 1 } else { usize::from(byte >= 0xc0) * 4 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told_apart_and_survive_a_round_trip() {
        let rows: [(&[u8], &str, &str); 9] = [
            (b"plain\n", "UTF-8", "plain\n"),
            (b"\xef\xbb\xbfmark\n", "UTF-8", "mark\n"),
            ("gr\u{fc}n \u{2714}\n".as_bytes(), "UTF-8", "gr\u{fc}n \u{2714}\n"),
            (b"\xff\xfeh\0i\0\n\0", "UTF-16LE", "hi\n"),
            (b"\xfe\xff\0h\0i\0\n", "UTF-16BE", "hi\n"),
            (b"\xff\xfe\x3d\xd8\x00\xde", "UTF-16LE", "\u{1f600}"),
            (b"caf\xe9 cr\xe8me\n", "windows-1252", "caf\u{e9} cr\u{e8}me\n"),
            (b"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67", "Shift_JIS", "日本語のテキスト"),
            (b"", "UTF-8", ""),
        ];
        for (bytes, name, text) in rows {
            let codec = Codec::detect(bytes);
            assert_eq!(codec.name(), name, "{bytes:?}");
            assert_eq!(codec.decode(bytes), text);
            assert_eq!(codec.encode(text).as_deref(), Ok(bytes), "{name}");
        }
    }

    #[test]
    fn utf8_with_a_broken_place_stays_utf8() {
        let codec = Codec::detect(b"gr\xc3\xbcn \xff und wei\xc3\x9f");
        assert_eq!(codec, Codec::Utf8 { bom: false });
        assert_eq!(codec.decode(b"\xc3\xbc\xff"), "\u{fc}\u{fffd}");
    }

    #[test]
    fn a_sample_may_end_inside_of_a_character() {
        let mut bytes = vec![b'a'; SAMPLE_BYTES - 1];
        bytes.extend("\u{fc}\u{fc}".as_bytes());
        assert_eq!(Codec::detect(&bytes), Codec::Utf8 { bom: false });
    }

    #[test]
    fn a_character_without_a_form_is_named() {
        let codec = Codec::detect(b"caf\xe9 cr\xe8me\n");
        let error = codec.encode("caf\u{e9} \u{2714}").unwrap_err();
        assert_eq!((error.character, error.encoding), ('\u{2714}', "windows-1252"));
    }

    #[test]
    fn line_endings_are_told_apart() {
        let rows: [(&[u8], LineEnding); 5] = [
            (b"", LineEnding::Lf),
            (b"a\nb\rc", LineEnding::Lf),
            (b"a\r\nb\r\n", LineEnding::CrLf),
            (b"a\r\nb", LineEnding::CrLf),
            (b"a\r\nb\n", LineEnding::Mixed),
        ];
        for (text, ending) in rows {
            assert_eq!(LineEnding::of(text), ending, "{text:?}");
        }
    }

    #[test]
    fn tokens_are_estimated_in_quarters() {
        assert_eq!(quarter_tokens("abcd"), 4);
        assert_eq!(quarter_tokens("\u{fc}\u{2714}\u{1f600}"), 12);
    }
}
