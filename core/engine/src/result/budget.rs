//! The limit for all results of one message: the largest are spilled first until the rest fits.

use std::path::Path;

use super::MAX_MESSAGE_RESULT_CHARS;
use super::spill::spill;
use crate::message::{ContentBlock, ToolResult};

/// At least as long as the words around a preview, without the path.
const NOTICE_CHARS: usize = 300;

/// Spills the largest results of a message until all of them together have at most
/// [`MAX_MESSAGE_RESULT_CHARS`] characters, or nothing more can be gained.
pub async fn apply_message_budget(results: &mut [ToolResult], dir: &Path) {
    let mut sizes: Vec<(usize, usize)> = results
        .iter()
        .map(|result| result.content.iter().filter_map(ContentBlock::as_text).map(|text| text.chars().count()).sum())
        .enumerate()
        .collect();
    let mut total: usize = sizes.iter().map(|(_, size)| size).sum();
    if total <= MAX_MESSAGE_RESULT_CHARS {
        return;
    }
    sizes.sort_by_key(|&(at, size)| (std::cmp::Reverse(size), at));
    for (at, size) in sizes {
        if total <= MAX_MESSAGE_RESULT_CHARS {
            return;
        }
        // What stands in place of a spilled text is this long; a text that is not longer gains nothing by it.
        let id = &results[at].tool_use_id;
        if size <= super::PREVIEW_BYTES + NOTICE_CHARS + dir.as_os_str().len() + id.len() {
            continue;
        }
        let all_text = results[at].content.iter().all(|block| block.as_text().is_some());
        spill(&mut results[at], size, all_text, dir).await;
        total = total - size + results[at].text().chars().count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_largest_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let mut results: Vec<ToolResult> = [90_000, 40_000, 100_000]
            .iter()
            .enumerate()
            .map(|(at, &size)| ToolResult {
                tool_use_id: format!("t{at}"),
                content: vec![ContentBlock::text("x".repeat(size))],
                is_error: false,
            })
            .collect();
        apply_message_budget(&mut results, dir.path()).await;
        let sizes: Vec<usize> = results.iter().map(|result| result.text().len()).collect();
        assert_eq!(sizes[..2], [90_000, 40_000]);
        assert!(sizes[2] < 3_000, "{sizes:?}");
    }
}
