//! What kind of file the first bytes belong to, told without the name. Decodes nothing.

use content_inspector::{ContentType, inspect};

/// How many bytes of a file are looked at.
pub const SAMPLE_BYTES: usize = 256 * 1024;

/// What a file holds, going by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text in some encoding.
    Text,
    /// An image; the name of its format.
    Image(&'static str),
    /// A PDF document.
    Pdf,
    /// Anything else; a name for it.
    Binary(&'static str),
}

/// The first bytes of formats that tools meet, with how many bytes in they stand.
const MAGIC: &[(usize, &[u8], Kind)] = &[
    (0, b"\x89PNG\r\n\x1a\n", Kind::Image("PNG")),
    (0, b"\xff\xd8\xff", Kind::Image("JPEG")),
    (0, b"GIF87a", Kind::Image("GIF")),
    (0, b"GIF89a", Kind::Image("GIF")),
    (8, b"WEBP", Kind::Image("WebP")),
    (4, b"ftypavif", Kind::Image("AVIF")),
    (4, b"ftypheic", Kind::Image("HEIC")),
    (0, b"II*\0", Kind::Image("TIFF")),
    (0, b"MM\0*", Kind::Image("TIFF")),
    (0, b"\0\0\x01\0", Kind::Image("ICO")),
    (0, b"%PDF-", Kind::Pdf),
    (0, b"\x7fELF", Kind::Binary("an ELF program or library")),
    (0, b"MZ", Kind::Binary("a Windows program")),
    (0, b"\xcf\xfa\xed\xfe", Kind::Binary("a Mach-O program")),
    (0, b"\xca\xfe\xba\xbe", Kind::Binary("a Java class or Mach-O program")),
    (0, b"\0asm", Kind::Binary("a WebAssembly module")),
    (0, b"PK\x03\x04", Kind::Binary("a ZIP archive (or Office document, JAR, wheel)")),
    (0, b"\x1f\x8b", Kind::Binary("gzip data")),
    (0, b"BZh", Kind::Binary("bzip2 data")),
    (0, b"\xfd7zXZ\0", Kind::Binary("xz data")),
    (0, b"\x28\xb5\x2f\xfd", Kind::Binary("zstd data")),
    (0, b"7z\xbc\xaf\x27\x1c", Kind::Binary("a 7z archive")),
    (257, b"ustar", Kind::Binary("a tar archive")),
    (0, b"SQLite format 3\0", Kind::Binary("an SQLite database")),
    (0, b"\0\0\xfe\xff", Kind::Binary("UTF-32 text, which is not supported")),
    (0, b"\xff\xfe\0\0", Kind::Binary("UTF-32 text, which is not supported")),
    (0, b"OggS", Kind::Binary("Ogg media")),
    (0, b"ID3", Kind::Binary("MP3 audio")),
    (0, b"fLaC", Kind::Binary("FLAC audio")),
    (8, b"WAVE", Kind::Binary("WAV audio")),
    (4, b"ftyp", Kind::Binary("MP4 media")),
    (0, b"\x1a\x45\xdf\xa3", Kind::Binary("Matroska media")),
    (0, b"wOFF", Kind::Binary("a web font")),
    (0, b"wOF2", Kind::Binary("a web font")),
];

/// Tells the kind from the first bytes of a file.
pub fn kind_of(sample: &[u8]) -> Kind {
    let named = MAGIC.iter().find(|(at, magic, _)| sample.get(*at..).is_some_and(|rest| rest.starts_with(magic)));
    let is_binary = inspect(sample) == ContentType::BINARY;
    match named {
        Some((_, _, Kind::Pdf)) => Kind::Pdf,
        // A few letters (`MZ`, `GIF89a`) may well begin a text; what else these formats hold is never valid UTF-8.
        Some(_) if !is_binary && looks_like_text(sample) => Kind::Text,
        Some((_, _, kind)) => *kind,
        None if is_binary => Kind::Binary("binary data"),
        None => Kind::Text,
    }
}

fn looks_like_text(sample: &[u8]) -> bool {
    match std::str::from_utf8(sample) {
        Ok(_) => true,
        // The sample may end inside of a character.
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_the_first_bytes() {
        let rows: [(&[u8], Kind); 13] = [
            (b"", Kind::Text),
            (b"hello\n", Kind::Text),
            ("h\u{e9}llo".as_bytes(), Kind::Text),
            (b"h\xe9llo", Kind::Text),
            (b"\xff\xfeh\0i\0", Kind::Text),
            (b"MZ is a text here", Kind::Text),
            (b"convert WEBP files", Kind::Text),
            (b"a\0b", Kind::Binary("binary data")),
            (b"\x89PNG\r\n\x1a\n....", Kind::Image("PNG")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Kind::Image("WebP")),
            (b"%PDF-1.7\n", Kind::Pdf),
            (b"\x7fELF\x02\x01\x01\0", Kind::Binary("an ELF program or library")),
            (b"\x1f\x8b\x08\0", Kind::Binary("gzip data")),
        ];
        for (sample, kind) in rows {
            assert_eq!(kind_of(sample), kind, "{sample:?}");
        }
    }
}
