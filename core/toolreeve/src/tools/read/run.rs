//! Does the reading: opens the judged path, tells kind and encoding, takes the lines, and notes what was seen.

use std::fs::File;
use std::io;
use std::sync::Arc;

use toolreeve_engine::{CallContext, CancelToken, Session, ToolError};

use super::schema::{ReadInput, ReadOutput, TextFile};
use crate::files::kind::{self, Kind, SAMPLE_BYTES};
use crate::files::line_index::LineIndexes;
use crate::files::lines::{Ended, Lines, Source, Wanted, read_lines};
use crate::files::open::{Identity, OpenError, Place};
use crate::files::path::ResolvedPath;
use crate::files::state::{FileState, Seen, View, content_hash};
use crate::files::text::Codec;
use crate::files::{background, judged, nearest};

/// How many lines are read where no limit is given.
const DEFAULT_LINES: u64 = 2000;
/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 2000;
/// How large a file may be that has to be decoded as a whole.
const MAX_DECODED_BYTES: u64 = 64 * 1024 * 1024;

pub(super) async fn run(input: &ReadInput, ctx: &CallContext, max_tokens: usize) -> Result<ReadOutput, ToolError> {
    let path = judged::approved(ctx, &input.file_path)?;
    let request = Request {
        wanted: Wanted {
            first: input.offset.unwrap_or(1).max(1),
            lines: input.limit.unwrap_or(DEFAULT_LINES),
            line_chars: MAX_LINE_CHARS,
            tokens: max_tokens,
        },
        is_range: input.offset.is_some() || input.limit.is_some(),
        has_limit: input.limit.is_some(),
        has_pages: input.pages.as_deref().is_some_and(|pages| !pages.trim().is_empty()),
        path,
        session: Arc::clone(&ctx.session),
    };
    background::reading(ctx, move |cancel| request.read(cancel)).await
}

struct Request {
    path: ResolvedPath,
    wanted: Wanted,
    /// Whether the model asked for a part of the file.
    is_range: bool,
    has_limit: bool,
    has_pages: bool,
    session: Arc<Session>,
}

impl Request {
    fn read(&self, cancel: &CancelToken) -> Result<ReadOutput, ToolError> {
        let opened = Place::find(&self.path.real).and_then(|place| place.open());
        let (file, identity) = opened.map_err(|error| self.not_opened(error))?;
        let sample = self.sample(&file)?;
        self.require_text(&sample)?;
        let codec = Codec::detect(&sample);
        let mut lines = match codec {
            Codec::Utf8 { .. } => self.stream(&file, identity, cancel)?,
            _ => self.decode(&file, identity, codec, cancel)?,
        };
        if lines.ended == Ended::AtTokens && (self.is_range || lines.count == 0) {
            return Err(self.too_much(&lines));
        }
        self.note(identity, &mut lines);
        Ok(ReadOutput::Text { file: self.describe(lines, codec) })
    }

    fn not_opened(&self, error: OpenError) -> ToolError {
        match error {
            OpenError::Missing => nearest::missing("read", &self.path),
            OpenError::Special("a folder") => {
                let mut error = error.into_tool_error("read", &self.path);
                error.message.push_str(" List it with Glob or with ls.");
                error
            }
            error => error.into_tool_error("read", &self.path),
        }
    }

    fn failed(&self, error: &io::Error) -> ToolError {
        ToolError::io(format!("Cannot read {}", self.path.path.display()), error)
    }

    fn sample(&self, file: &File) -> Result<Vec<u8>, ToolError> {
        let mut sample = vec![0; SAMPLE_BYTES];
        let filled = file.fill(&mut sample, 0).map_err(|error| self.failed(&error))?;
        sample.truncate(filled);
        Ok(sample)
    }

    /// Refuses what is no text, by name.
    fn require_text(&self, sample: &[u8]) -> Result<(), ToolError> {
        let shown = self.path.path.display();
        let is_notebook = self.path.real.extension().is_some_and(|extension| extension == "ipynb");
        let message = match kind::kind_of(sample) {
            Kind::Text if is_notebook => {
                format!("{shown} is a Jupyter notebook. Reading notebooks is not supported by this build yet.")
            }
            Kind::Text if self.has_pages => {
                format!("`pages` is only for PDF files, and {shown} is a text file: use offset and limit instead.")
            }
            Kind::Text => return Ok(()),
            Kind::Image(format) => {
                format!("{shown} is an image ({format}). Reading images is not supported by this build yet.")
            }
            Kind::Pdf => format!("{shown} is a PDF document. Reading PDF is not supported by this build yet."),
            Kind::Binary(what) => format!("{shown} is not a text file: it holds {what}. It was not read."),
        };
        Err(ToolError::failed(message).with_safe_message("not a text file"))
    }

    fn stream(&self, file: &File, identity: Identity, cancel: &CancelToken) -> Result<Lines, ToolError> {
        let indexes = self.session.extension::<LineIndexes>();
        let mut index = indexes.get(&self.path.real, identity);
        let lines = read_lines(file, identity.size, self.wanted, &mut index, cancel);
        indexes.put(&self.path.real, identity, index);
        lines.map_err(|error| self.stopped(&error, cancel))
    }

    fn decode(&self, file: &File, identity: Identity, codec: Codec, cancel: &CancelToken) -> Result<Lines, ToolError> {
        if identity.size > MAX_DECODED_BYTES {
            let (shown, name) = (self.path.path.display(), codec.name());
            return Err(ToolError::failed(format!(
                "{shown} is written in {name} and larger than 64 MiB, which is the most that is decoded. Convert it to UTF-8 first, for example with iconv."
            )));
        }
        // One byte more than the limit tells a file that has grown since.
        let mut bytes = vec![0; usize::try_from(identity.size).unwrap_or_default() + 1];
        let filled = file.fill(&mut bytes, 0).map_err(|error| self.failed(&error))?;
        bytes.truncate(filled);
        let text = codec.decode(&bytes);
        let source = text.as_bytes();
        let mut index = Default::default();
        let mut lines = read_lines(&source, source.len() as u64, self.wanted, &mut index, cancel)
            .map_err(|error| self.stopped(&error, cancel))?;
        // What matters later is the content of the file, not of the decoded text.
        lines.hash = lines.hash.map(|_| content_hash(&bytes));
        lines.broken = u64::from(text.contains('\u{fffd}'));
        Ok(lines)
    }

    fn stopped(&self, error: &io::Error, cancel: &CancelToken) -> ToolError {
        background::check(cancel).err().unwrap_or_else(|| self.failed(error))
    }

    fn too_much(&self, lines: &Lines) -> ToolError {
        let (first, tokens, count) = (self.wanted.first, self.wanted.tokens, lines.count);
        let fits = match count {
            0 => format!("Not even line {first} fits. Search the file with Grep instead."),
            _ => format!("{count} lines fit: use offset {first} and limit {count}, or search the file with Grep."),
        };
        ToolError::failed(format!(
            "The lines asked for of {} are more than {tokens} tokens, which is the most that is read at once. {fits}",
            self.path.path.display()
        ))
        .with_safe_message("range over the token limit")
    }

    /// Notes what the model sees now.
    fn note(&self, identity: Identity, lines: &mut Lines) {
        let first = self.wanted.first;
        let view = match lines.ended {
            Ended::AtTokens => View::FirstPage,
            Ended::AtEnd if first == 1 => View::Whole,
            // Past the end nothing was seen.
            _ if lines.count == 0 => return,
            _ => View::range(first..first + lines.count),
        };
        let seen = Seen { identity, hash: lines.hash, view };
        self.session.extension::<FileState>().note(&self.path.real, seen, lines.total);
    }

    fn describe(&self, lines: Lines, codec: Codec) -> TextFile {
        let first = self.wanted.first;
        let last = first.saturating_sub(1) + lines.count;
        let of_total = lines.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let mut notes = Vec::new();
        if lines.count == 0 {
            notes.push(match lines.total {
                Some(0) => "The file exists but is empty.".to_owned(),
                Some(total) => format!("The file has only {total} lines: line {first} is past its end."),
                None => format!("Line {first} is past the end of the file."),
            });
        }
        match lines.ended {
            Ended::AtTokens => notes.push(format!(
                "Partial view: these are lines 1-{last}{of_total}. The whole file is more than {} tokens, which is the most that is read at once. Read on with offset and limit, or search with Grep.",
                self.wanted.tokens
            )),
            Ended::AtLine if !self.has_limit => {
                notes.push(format!("These are lines {first}-{last}{of_total}. Read on with offset {}.", last + 1));
            }
            Ended::AtLine | Ended::AtEnd => {}
        }
        if lines.broken > 0 {
            notes.push("Some bytes are no valid characters and are shown as \u{fffd}.".to_owned());
        }
        if !matches!(codec, Codec::Utf8 { .. }) {
            notes.push(format!("The file is written in {}.", codec.name()));
        }
        TextFile {
            file_path: self.path.path.display().to_string(),
            content: lines.text,
            num_lines: lines.count,
            start_line: first,
            total_lines: lines.total,
            truncated_by_token_cap: lines.ended == Ended::AtTokens,
            notes,
        }
    }
}
