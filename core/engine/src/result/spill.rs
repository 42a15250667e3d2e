//! Puts a result that is too large into a file of the session, and leaves the model its path and its beginning.
//! Files are created for this user only and never overwritten.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{ABSOLUTE_MAX_RESULT_CHARS, DEFAULT_MAX_RESULT_CHARS, PREVIEW_BYTES};
use crate::message::{ContentBlock, ToolResult};
use crate::tool::ResultLimit;

/// Where a result went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillNote {
    /// The file.
    pub path: PathBuf,
    /// The length of the whole text in characters.
    pub chars: usize,
}

/// Whether the text of a result may be longer than its limit. Bytes are an upper bound of characters, so this is
/// quick and most results are settled by it.
pub(crate) fn is_large(result: &ToolResult, limit: ResultLimit) -> bool {
    let bytes: usize = result.content.iter().filter_map(ContentBlock::as_text).map(str::len).sum();
    bytes > in_characters(limit)
}

fn in_characters(limit: ResultLimit) -> usize {
    match limit {
        ResultLimit::Chars(chars) => chars.min(DEFAULT_MAX_RESULT_CHARS),
        ResultLimit::Unlimited => ABSOLUTE_MAX_RESULT_CHARS,
    }
}

/// Spills the text of a result if it is longer than its limit. Images and other blocks stay.
pub async fn spill_if_large(result: &mut ToolResult, limit: ResultLimit, dir: &Path) -> Option<SpillNote> {
    if !is_large(result, limit) {
        return None;
    }
    let chars: usize = result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.chars().count()).sum();
    if chars <= in_characters(limit) {
        return None;
    }
    let all_text = result.content.iter().all(|block| block.as_text().is_some());
    spill(result, chars, all_text, dir).await
}

/// Spills the text of a result, whatever its length.
pub(super) async fn spill(result: &mut ToolResult, chars: usize, all_text: bool, dir: &Path) -> Option<SpillNote> {
    let (replaced, note) = put_away(result.text(), chars, result.tool_use_id.clone(), dir).await?;
    if all_text {
        result.content = vec![ContentBlock::Text(replaced)];
    } else {
        result.content.retain(|block| block.as_text().is_none());
        result.content.insert(0, ContentBlock::Text(replaced));
    }
    note
}

/// Puts a text into a file named after `stem`; what is left names the file and shows the beginning.
pub(crate) async fn spill_text(text: String, stem: String, dir: &Path) -> String {
    let chars = text.chars().count();
    let beginning = head(&text, PREVIEW_BYTES).to_owned();
    put_away(text, chars, stem, dir).await.map_or(beginning, |(replaced, _)| replaced)
}

/// `None` if the runtime is being shut down.
async fn put_away(text: String, chars: usize, stem: String, dir: &Path) -> Option<(String, Option<SpillNote>)> {
    let target = dir.to_path_buf();
    let written = tokio::task::spawn_blocking(move || {
        let written = write_new(&target, &stem, text.as_bytes());
        (written, text)
    })
    .await;
    let Ok((written, text)) = written else { return None };
    let preview = head(&text, PREVIEW_BYTES);
    let (notice, note) = match written {
        Ok(path) => (
            format!(
                "The whole text was saved to: {}\nUse Read with offset and limit to see more of it.",
                path.display()
            ),
            Some(SpillNote { path, chars }),
        ),
        Err(error) => (format!("The whole text could not be saved ({error}); only its beginning is left."), None),
    };
    let replaced = format!(
        "<persisted-output>\nOutput too large ({chars} characters). {notice}\n\nPreview (first {} bytes):\n{preview}\n...\n</persisted-output>",
        preview.len()
    );
    Some((replaced, note))
}

/// The longest beginning of at most `bytes` bytes that ends at a character.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn write_new(dir: &Path, id: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let stem: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).take(80).collect();
    // The id should be unique; a repeated one must still not overwrite what was saved before.
    for attempt in 0..10_000_u32 {
        let name = if attempt == 0 { format!("{stem}.txt") } else { format!("{stem}-{attempt}.txt") };
        let path = dir.join(name);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(mut file) => {
                return match file.write_all(bytes) {
                    Ok(()) => Ok(path),
                    Err(error) => {
                        // Half a file would be taken for the whole text.
                        let _ = std::fs::remove_file(&path);
                        Err(error)
                    }
                };
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("too many results under one id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> ToolResult {
        ToolResult { tool_use_id: "t/1".into(), content: vec![ContentBlock::text(text)], is_error: false }
    }

    #[tokio::test]
    async fn a_large_text_goes_to_a_file_and_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let text = "é".repeat(1_500);
        for expected in ["t_1.txt", "t_1-1.txt"] {
            let mut large = result(&text);
            let note = spill_if_large(&mut large, ResultLimit::Chars(1_000), dir.path()).await.unwrap();
            assert_eq!(note.path.file_name().unwrap(), expected);
            assert_eq!(std::fs::read_to_string(&note.path).unwrap(), text);
            assert!(large.text().contains("(1500 characters)") && large.text().contains("first 2000 bytes"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(dir.path().join("t_1.txt")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn characters_count_and_not_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let mut fits = result(&"é".repeat(1_000));
        assert_eq!(spill_if_large(&mut fits, ResultLimit::Chars(1_000), dir.path()).await, None);
        assert_eq!(fits, result(&"é".repeat(1_000)));
    }

    #[tokio::test]
    async fn a_declared_limit_above_the_default_is_clamped() {
        let dir = tempfile::tempdir().unwrap();
        let mut large = result(&"x".repeat(60_000));
        assert!(spill_if_large(&mut large, ResultLimit::Chars(100_000), dir.path()).await.is_some());
        let mut own = result(&"x".repeat(60_000));
        assert!(spill_if_large(&mut own, ResultLimit::Unlimited, dir.path()).await.is_none());
    }

    #[tokio::test]
    async fn an_unwritable_folder_is_said_so() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let mut large = result(&"x".repeat(2_000));
        assert_eq!(spill_if_large(&mut large, ResultLimit::Chars(1_000), &file).await, None);
        assert!(large.text().contains("could not be saved"), "{}", large.text());
    }
}
