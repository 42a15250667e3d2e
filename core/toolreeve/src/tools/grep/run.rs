//! The search of a Grep: one file, or a tree in parallel.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};
use toolreeve_engine::{CallContext, ErrorKind, ToolError};

use super::Grep;
use super::file::{FileSearcher, Found, Plan};
use super::matcher;
use super::permit::place;
use super::schema::{GrepInput, GrepOutput, OutputMode, Skipped};
use super::window::Window;
use crate::search::{Newest, Place, Shown, Stop, Visible, WalkOptions, run_blocking};

/// Without a limit at most this many files are listed.
const MAX_FILES: usize = 200_000;

/// Searches.
pub(super) async fn run(tool: &Grep, input: &GrepInput, ctx: &CallContext) -> Result<GrepOutput, ToolError> {
    let place = place(&ctx.context, input);
    let input = input.clone();
    let default_limit = tool.default_limit;
    let visible = place.visible("Grep", &ctx.context);
    run_blocking(&ctx.cancel, tool.time_limit, move |stop| search(&input, &place, &visible, default_limit, stop)).await
}

fn search(
    input: &GrepInput,
    place: &Place,
    visible: &Visible,
    default_limit: usize,
    stop: &Stop,
) -> Result<GrepOutput, ToolError> {
    let limit = match input.head_limit.unwrap_or(default_limit) {
        0 => usize::MAX,
        limit => limit,
    };
    let around = input.context.or(input.context_short).unwrap_or(0);
    let mut plan = Plan {
        matcher: matcher::compile(input).map_err(ToolError::failed)?,
        mode: input.output_mode,
        before: input.before.unwrap_or(around),
        after: input.after.unwrap_or(around),
        line_numbers: input.line_numbers.unwrap_or(true),
        only_matching: input.only_matching,
        multiline: input.multiline,
        room: input.offset.saturating_add(limit),
        named_file: false,
        shown: place.shown(),
    };
    let root = place.real();
    let meta = root
        .metadata()
        .map_err(|error| ToolError::io(format_args!("cannot search {}", place.path().display()), &error))?;
    plan.named_file = meta.is_file();
    if !meta.is_file() && !meta.is_dir() {
        let message = format!("cannot search {}: it is neither a file nor a directory", place.path().display());
        return Err(ToolError::failed(message));
    }
    let results = Results::new(&plan);
    if plan.named_file {
        let found = FileSearcher::new(&plan, stop).search(root);
        let found =
            found.map_err(|error| ToolError::io(format_args!("cannot read {}", place.path().display()), &error))?;
        let mut newest = Newest::new(plan.room);
        results.take(root, Ok(found), &mut newest);
        locked(&results.newest).merge(newest);
    } else {
        let options = WalkOptions {
            hidden: true,
            ignore_files: true,
            max_depth: None,
            overrides: matcher::overrides(root, input.glob.as_deref()).map_err(ToolError::failed)?,
            types: matcher::types(input.file_type.as_deref()).map_err(ToolError::failed)?,
        };
        options.walk(root).visit(&mut Workers { plan: &plan, visible, stop, results: &results });
    }
    results.into_output(input, limit, stop.timed_out())
}

/// Where the threads put what they find.
struct Results {
    shown: Shown,
    newest: Mutex<Newest>,
    window: Mutex<Window>,
    skipped: Mutex<Skips>,
}

/// Files that could not be searched; the first by path stands for all.
#[derive(Default)]
struct Skips {
    count: usize,
    first: Option<(PathBuf, String)>,
}

impl Skips {
    fn add(&mut self, path: &Path, shown: &Shown, error: &io::Error) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|(first, _)| path < first.as_path()) {
            self.first = Some((path.to_path_buf(), ToolError::io(shown.path(path), error).message));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Results {
    fn new(plan: &Plan) -> Self {
        let separated = plan.mode == OutputMode::Content && plan.before + plan.after > 0;
        Self {
            shown: plan.shown.clone(),
            newest: Mutex::new(Newest::new(plan.room.min(MAX_FILES))),
            window: Mutex::new(Window::new(plan.room, separated)),
            skipped: Mutex::default(),
        }
    }

    /// Takes what was found in a file; matches alone are collected by each thread in `newest`.
    fn take(&self, path: &Path, found: io::Result<Found>, newest: &mut Newest) {
        match found {
            Ok(Found::Nothing) => {}
            Ok(Found::Match(modified)) => newest.add(modified, path),
            Ok(Found::Lines(block)) => locked(&self.window).add(path, block),
            // It went away, or a link took its place, since the walk saw it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {}
            Err(error) => locked(&self.skipped).add(path, &self.shown, &error),
        }
    }

    fn into_output(self, input: &GrepInput, limit: usize, timed_out: bool) -> Result<GrepOutput, ToolError> {
        let skips = self.skipped.into_inner().unwrap_or_else(PoisonError::into_inner);
        let newest = self.newest.into_inner().unwrap_or_else(PoisonError::into_inner);
        let window = self.window.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (offset, shown) = (input.offset, self.shown);
        let mut output = GrepOutput {
            mode: input.output_mode,
            num_files: 0,
            filenames: Vec::new(),
            content: None,
            num_lines: None,
            num_matches: None,
            total_files: 0,
            total_lines: None,
            applied_limit: None,
            applied_offset: (offset > 0).then_some(offset),
            timed_out,
            skipped: skips.first.map(|(_, example)| Skipped { num_files: skips.count, example }),
        };
        let listed;
        if input.output_mode == OutputMode::FilesWithMatches {
            output.total_files = newest.total();
            let paths = newest.into_paths();
            output.filenames = paths.iter().skip(offset).take(limit).map(|path| shown.path(path)).collect();
            listed = output.filenames.len();
            output.applied_limit = (offset.saturating_add(listed) < output.total_files).then_some(listed);
        } else {
            let page = window.page(offset, limit);
            output.total_files = page.total_files;
            output.filenames = page.files.iter().map(|path| shown.path(path)).collect();
            output.content = Some(page.text);
            listed = page.lines;
            output.applied_limit = page.is_cut.then_some(listed);
            if input.output_mode == OutputMode::Count {
                output.num_matches = Some(page.total_matches);
            } else {
                output.num_lines = Some(page.lines);
                output.total_lines = Some(page.total_lines);
            }
        }
        output.num_files = output.filenames.len();
        if timed_out && output.total_files == 0 {
            let message =
                "the search ran out of time and found nothing so far: give a narrower `path`, `glob` or `type`";
            return Err(ToolError::new(ErrorKind::Timeout, message));
        }
        Ok(output)
    }
}

struct Workers<'a> {
    plan: &'a Plan,
    visible: &'a Visible,
    stop: &'a Stop,
    results: &'a Results,
}

impl<'a> ParallelVisitorBuilder<'a> for Workers<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(Worker {
            searcher: FileSearcher::new(self.plan, self.stop),
            visible: self.visible,
            stop: self.stop,
            results: self.results,
            newest: Newest::new(self.plan.room.min(MAX_FILES)),
        })
    }
}

/// One thread of the search.
struct Worker<'a> {
    searcher: FileSearcher<'a>,
    visible: &'a Visible,
    stop: &'a Stop,
    results: &'a Results,
    newest: Newest,
}

impl ParallelVisitor for Worker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        if self.stop.is_due() {
            return WalkState::Quit;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                note_unreadable(self.results, &error);
                return WalkState::Continue;
            }
        };
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            let found = self.searcher.search(entry.path());
            // Only files with something to show are worth the question.
            let is_silent = matches!(found, Ok(Found::Nothing));
            if !is_silent && !self.stop.is_due() && self.visible.shows(entry.path()) {
                self.results.take(entry.path(), found, &mut self.newest);
            }
        }
        WalkState::Continue
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        locked(&self.results.newest).merge(std::mem::take(&mut self.newest));
    }
}

/// Notes a folder that could not be read; one that went away is no loss.
fn note_unreadable(results: &Results, error: &ignore::Error) {
    let Some(io_error) = error.io_error() else { return };
    if io_error.kind() == io::ErrorKind::NotFound {
        return;
    }
    if let Some(path) = path_of(error) {
        locked(&results.skipped).add(path, &results.shown, io_error);
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
