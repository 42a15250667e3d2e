//! The walk of a Glob.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};
use toolreeve_engine::{CallContext, ErrorKind, ToolError};

use super::Glob;
use super::pattern::Matcher;
use super::permit::place;
use super::schema::{GlobInput, GlobOutput};
use crate::search::{Newest, Stop, Visible, WalkOptions, run_blocking};

/// Finds the files.
pub(super) async fn run(tool: &Glob, input: &GlobInput, ctx: &CallContext) -> Result<GlobOutput, ToolError> {
    let begun = Instant::now();
    let (place, split) = place(&ctx.context, input);
    let options = WalkOptions {
        hidden: tool.hidden,
        ignore_files: !tool.no_ignore,
        max_depth: split.max_depth(),
        ..WalkOptions::default()
    };
    let max_files = tool.max_files;
    let visible = place.visible("Glob", &ctx.context);
    let named_folder = input.path.is_some();
    run_blocking(&ctx.cancel, tool.time_limit, move |stop| {
        let matcher = split.matcher(place.real()).map_err(ToolError::failed)?;
        match place.real().metadata() {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(ToolError::failed(format!("{} is not a directory", place.path().display()))),
            // A pattern may begin in a folder that does not exist: then nothing matches. A folder that was named must.
            Err(error) if named_folder || error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ToolError::io(format_args!("cannot search {}", place.path().display()), &error));
            }
            Err(_) => {}
        }
        let search =
            Search { matcher: &matcher, visible: &visible, stop, max_files, found: Mutex::new(Newest::new(max_files)) };
        let found = find(place.real(), options, search);
        let timed_out = stop.timed_out();
        let total_matches = found.total();
        if timed_out && total_matches == 0 {
            let message = "the search ran out of time and found nothing so far: give a narrower `path` or `pattern`";
            return Err(ToolError::new(ErrorKind::Timeout, message));
        }
        let shown = place.shown();
        let filenames: Vec<String> = found.into_paths().iter().map(|path| shown.path(path)).collect();
        Ok(GlobOutput {
            duration_ms: begun.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
            num_files: filenames.len(),
            truncated: total_matches > filenames.len() || timed_out,
            filenames,
            total_matches,
            count_is_complete: !timed_out,
            timed_out,
        })
    })
    .await
}

fn find(root: &Path, options: WalkOptions, search: Search<'_>) -> Newest {
    options.walk(root).visit(&mut Workers(&search));
    search.found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Search<'a> {
    matcher: &'a Matcher,
    visible: &'a Visible,
    stop: &'a Stop,
    max_files: usize,
    found: Mutex<Newest>,
}

struct Workers<'a>(&'a Search<'a>);

impl<'a> ParallelVisitorBuilder<'a> for Workers<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(Worker { search: self.0, found: Newest::new(self.0.max_files) })
    }
}

/// One thread of the search; it hands over what it found when it ends.
struct Worker<'a> {
    search: &'a Search<'a>,
    found: Newest,
}

impl ParallelVisitor for Worker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if self.search.stop.is_due() {
            return WalkState::Quit;
        }
        // A folder that may not be read holds nothing that could be listed.
        let Ok(entry) = entry else { return WalkState::Continue };
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        let path = entry.path();
        if kind.is_dir() || !self.search.matcher.matches(path) || !self.search.visible.shows(path) {
            return WalkState::Continue;
        }
        // Links are followed here only to learn whether they lead to a file.
        let meta = if kind.is_symlink() { entry.path().metadata().ok() } else { entry.metadata().ok() };
        if let Some(meta) = meta.filter(std::fs::Metadata::is_file) {
            self.found.add(meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path());
        }
        WalkState::Continue
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let found = std::mem::take(&mut self.found);
        self.search.found.lock().unwrap_or_else(PoisonError::into_inner).merge(found);
    }
}
