//! The life of one program: started, shown while it runs, and ended when it is done, when its time is up, when it
//! writes too much, or when nobody wants it any more.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::{Child, Command};
use tokio::time::Instant;
use toolreeve_engine::{CancelReason, CancelToken};

use super::capture::{Captured, Piece, Tail, file_for_output};
use super::tree::{MARK, Tree, new_mark};

/// How long a program may take to end by itself when it is asked to.
const GRACE: Duration = Duration::from_millis(1500);
/// How long killed processes may take to vanish.
const KILL_WAIT: Duration = Duration::from_secs(1);
/// How often output is shown: at first, and later on.
const FIRST_TICK: Duration = Duration::from_millis(20);
const LAST_TICK: Duration = Duration::from_millis(100);

/// What to run, and within which limits.
#[derive(Debug)]
pub(crate) struct Order {
    /// The program, absolute.
    pub(crate) program: PathBuf,
    /// The name by which it is called.
    pub(crate) name: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    /// Variables on top of the host's own.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Where output is kept, if it can be.
    pub(crate) capture_dir: PathBuf,
    pub(crate) time_limit: Duration,
    /// When it has written more than this, both streams together, `too_much` says what happens.
    pub(crate) max_output_bytes: u64,
    /// What it reads; nothing if missing.
    pub(crate) stdin: Option<File>,
    pub(crate) too_much: TooMuch,
    pub(crate) left_over: LeftOver,
}

/// What happens to a program that writes too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooMuch {
    /// It is ended.
    End,
    /// It goes on, because its exit status counts; of its output only the beginning is kept.
    Cut,
}

/// What happens to processes that a program leaves behind when it exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftOver {
    /// They go on.
    GoOn,
    /// They are killed.
    Killed,
}

/// Which output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// Why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Exited,
    /// Its time was up.
    TimedOut,
    /// It wrote too much.
    TooMuchOutput,
    /// It was cancelled.
    Cancelled(CancelReason),
}

/// What is left of a program.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    /// Its status; missing if it could not be ended, for example because it hangs in the kernel.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    /// Whether processes of its group still run after it ended by itself.
    pub(crate) left_running: bool,
    /// Whether the end of its output is missing.
    pub(crate) is_cut: bool,
}

/// Runs a program to its end. `show` gets what it writes, soon after it was written: the text, and how many bytes were
/// left out in front of it. If the future is dropped, the program and everything it started is killed.
///
/// # Errors
/// If the program cannot be started.
pub(crate) async fn run(
    order: Order,
    cancel: &CancelToken,
    mut show: impl FnMut(Stream, &str, u64),
) -> io::Result<Finished> {
    let (stdout_file, stdout) = file_for_output(&order.capture_dir)?;
    let (stderr_file, stderr) = file_for_output(&order.capture_dir)?;
    let mark = new_mark();
    let mut command = Command::new(&order.program);
    command
        .arg0(&order.name)
        .args(&order.args)
        .current_dir(&order.cwd)
        .envs(order.env)
        .env(MARK, &mark)
        .process_group(0);
    command.stdin(order.stdin.map_or_else(Stdio::null, Stdio::from)).stdout(stdout).stderr(stderr);
    let mut child = command.spawn()?;
    // The command holds the files of the program's output too.
    drop(command);
    let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let tree = Arc::new(Tree::new(leader.ok_or_else(|| io::Error::other("the process has no id"))?, &mark));
    // Declared behind the child, so dropped before it: the child is not reaped before its group is killed.
    let mut guard = KillOnDrop(Some(Arc::clone(&tree)));
    let mut output = Output { stdout: Tail::new(stdout_file), stderr: Tail::new(stderr_file), is_cut: false };

    let begun = Instant::now();
    let mut tick = FIRST_TICK;
    let end = loop {
        tokio::select! {
            biased;
            status = child.wait() => {
                // Reaped: from here on its group is no longer ours to kill.
                guard.0 = None;
                if order.left_over == LeftOver::Killed {
                    tree.kill_left_over();
                }
                if order.too_much == TooMuch::Cut {
                    output.cut(order.max_output_bytes)?;
                }
                output.show(true, &mut show);
                let left_running = order.left_over == LeftOver::GoOn && tree.has_group();
                return output.finish(End::Exited, Some(status?), left_running);
            }
            reason = cancel.cancelled() => break End::Cancelled(reason),
            () = tokio::time::sleep_until(begun + order.time_limit) => break End::TimedOut,
            () = tokio::time::sleep(tick) => {
                tick = (tick * 5 / 4).min(LAST_TICK);
                output.show(false, &mut show);
                match order.too_much {
                    TooMuch::End if output.len() > order.max_output_bytes => break End::TooMuchOutput,
                    TooMuch::End => {}
                    TooMuch::Cut => {
                        if output.cut(order.max_output_bytes)? {
                            // It may be quick: between two looks the file must not grow large.
                            tick = FIRST_TICK;
                        }
                    }
                }
            }
        }
    };
    let status = end_tree(&tree, &mut child).await;
    if status.is_some() {
        guard.0 = None;
    }
    if order.too_much == TooMuch::Cut {
        output.cut(order.max_output_bytes)?;
    }
    output.show(true, &mut show);
    output.finish(end, status, false)
}

/// Ends a tree: asked first, then killed. Only then is its leader reaped.
async fn end_tree(tree: &Tree, child: &mut Child) -> Option<ExitStatus> {
    tree.terminate();
    wait_until_gone(tree, GRACE).await;
    // Also if nothing seems left: what forked while it was looked for is caught now.
    tree.kill();
    let deadline = Instant::now() + KILL_WAIT;
    let mut pause = Duration::from_millis(1);
    while !tree.is_gone() && Instant::now() < deadline {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_TICK);
        tree.kill();
    }
    tokio::time::timeout(KILL_WAIT, child.wait()).await.ok().and_then(Result::ok)
}

async fn wait_until_gone(tree: &Tree, limit: Duration) {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    while !tree.is_gone() && Instant::now() < deadline {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_TICK);
    }
}

/// Kills a tree when it is dropped, unless it was taken out before.
struct KillOnDrop(Option<Arc<Tree>>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Some(tree) = self.0.take() {
            tree.kill();
            // Once more for what forked while it was looked for.
            tree.kill();
        }
    }
}

/// Both outputs.
struct Output {
    stdout: Tail,
    stderr: Tail,
    is_cut: bool,
}

impl Output {
    fn show(&mut self, is_last: bool, show: &mut impl FnMut(Stream, &str, u64)) {
        for (stream, tail) in [(Stream::Stdout, &mut self.stdout), (Stream::Stderr, &mut self.stderr)] {
            // What cannot be read now is still in the result, or its failure is.
            if let Ok(Some(Piece { text, skipped })) = tail.next(is_last) {
                show(stream, &text, skipped);
            }
        }
    }

    fn len(&self) -> u64 {
        self.stdout.len().unwrap_or(0).saturating_add(self.stderr.len().unwrap_or(0))
    }

    /// Takes away what is too much of either stream. Returns whether there was something.
    fn cut(&mut self, max_bytes: u64) -> io::Result<bool> {
        if self.len() <= max_bytes {
            return Ok(false);
        }
        for tail in [&self.stdout, &self.stderr] {
            tail.cut(max_bytes)?;
        }
        self.is_cut = true;
        Ok(true)
    }

    fn finish(self, end: End, status: Option<ExitStatus>, left_running: bool) -> io::Result<Finished> {
        let (stdout, stderr, is_cut) = (self.stdout.finish()?, self.stderr.finish()?, self.is_cut);
        Ok(Finished { end, status, stdout, stderr, left_running, is_cut })
    }
}
