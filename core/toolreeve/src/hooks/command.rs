//! Hooks that are programs: how one is started, fed and ended. What its answer means is in `exit`.
//!
//! The input is a file that is the program's stdin, so a program that does not read it, or closes it, disturbs nobody. Its
//! output goes into files too: it may write without end and takes no memory, and a daemon that holds its output open
//! keeps nobody waiting. What it leaves behind when it exits is killed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use toolreeve_engine::CancelToken;
use toolreeve_engine::host::{HookInput, HookOutcome};

use super::config::HookShell;
use super::exit::{Ended, failure, interpret, says_async};
use crate::process::{self, End, Finished, LeftOver, Order, Stream, TooMuch};

/// How much of a hook's output is kept, both streams together.
const MAX_OUTPUT_BYTES: u64 = 8 << 20;
/// How much of the first line is looked at to see whether the hook goes on in the background.
const MAX_FIRST_LINE_BYTES: usize = 4096;

/// A program to run.
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) args: Option<&'a [String]>,
    pub(super) shell: HookShell,
    pub(super) env: &'a [(String, String)],
    /// Where output is kept.
    pub(super) capture_dir: &'a Path,
    pub(super) time_limit: Duration,
}

/// A hook says in its first line that it goes on in the background, and for how long at most.
pub(super) struct GoesOn(pub(super) Option<Duration>);

/// Prepares a program.
///
/// # Errors
/// If there is no such program; the text is for the person.
pub(super) fn order(program: &Program<'_>, input: &HookInput) -> Result<Order, String> {
    let cwd = [&input.cwd, &input.project_root].into_iter().find(|dir| dir.is_dir());
    let cwd = cwd.ok_or_else(|| format!("the working directory {} does not exist", input.cwd.display()))?;
    let project = input.project_root.to_string_lossy();
    let (executable, name, args): (PathBuf, OsString, Vec<OsString>) = match (program.args, program.shell) {
        (Some(args), _) => {
            let named = program.command.replace("${CLAUDE_PROJECT_DIR}", &project);
            let executable = find(&named, cwd, program.env)?;
            let args = args.iter().map(|arg| arg.replace("${CLAUDE_PROJECT_DIR}", &project).into());
            (executable, named.into(), args.collect())
        }
        (None, HookShell::Sh) => {
            ("/bin/sh".into(), "sh".into(), vec!["-c".into(), "--".into(), program.command.into()])
        }
        (None, HookShell::Bash) => {
            let bash = find("bash", cwd, program.env)?;
            (bash, "bash".into(), vec!["-c".into(), "--".into(), program.command.into()])
        }
        (None, HookShell::PowerShell) => {
            let pwsh = find("pwsh", cwd, program.env)?;
            (pwsh, "pwsh".into(), vec!["-NoProfile".into(), "-Command".into(), program.command.into()])
        }
    };
    let (executable, name, args) = match File::open("/dev/tty") {
        Ok(_) => away_from_terminal(executable, args),
        Err(_) => (executable, name, args),
    };
    let mut env: Vec<(OsString, OsString)> =
        program.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.push(("CLAUDE_PROJECT_DIR".into(), input.project_root.clone().into()));
    let stdin = stdin_file(&input.to_json()).map_err(|error| format!("its input cannot be prepared: {error}"))?;
    Ok(Order {
        program: executable,
        name,
        args,
        cwd: cwd.clone(),
        env,
        capture_dir: program.capture_dir.to_owned(),
        time_limit: program.time_limit,
        max_output_bytes: MAX_OUTPUT_BYTES,
        stdin: Some(stdin),
        too_much: TooMuch::Cut,
        left_over: LeftOver::Killed,
    })
}

/// Runs it. `goes_on` hears at most once, while it runs, that it goes on in the background.
pub(super) async fn run(order: Order, event: String, goes_on: oneshot::Sender<GoesOn>) -> HookOutcome {
    let (program, limit) = (order.program.clone(), order.time_limit);
    let mut first_line = FirstLine { text: String::new(), goes_on: Some(goes_on) };
    let show = |stream, text: &str, _| {
        if stream == Stream::Stdout {
            first_line.take(text);
        }
    };
    // Nothing cancels it: whoever does not want it any more drops this future, and the program dies with it.
    match process::run(order, &CancelToken::new(), show).await {
        Ok(finished) => read(&event, finished, limit),
        Err(error) => failure(format!("{} cannot be run: {error}", program.display())),
    }
}

fn read(event: &str, finished: Finished, limit: Duration) -> HookOutcome {
    if finished.end == End::TimedOut {
        return failure(format!("it took longer than {} s, its time limit, and was ended", limit.as_secs_f64()));
    }
    let texts =
        finished.stdout.head(MAX_OUTPUT_BYTES).and_then(|out| Ok((out, finished.stderr.head(MAX_OUTPUT_BYTES)?)));
    match texts {
        Ok((stdout, stderr)) => {
            let code = finished.status.and_then(|status| status.code());
            interpret(event, &Ended { code, stdout: &stdout, stderr: &stderr, is_cut: finished.is_cut })
        }
        Err(error) => super::exit::broken(event, format!("its output cannot be read: {error}")),
    }
}

/// Where there is a terminal, a program that wants to read from it must fail instead of being stopped until its time is up:
/// the signals that stop it are ignored, which a new program inherits.
fn away_from_terminal(executable: PathBuf, args: Vec<OsString>) -> (PathBuf, OsString, Vec<OsString>) {
    let begin = ["-c", "trap '' TTIN TTOU; exec \"$@\"", "sh"].map(OsString::from);
    let all = begin.into_iter().chain([executable.into()]).chain(args);
    ("/bin/sh".into(), "sh".into(), all.collect())
}

/// The input as a file without a name.
fn stdin_file(json: &Value) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    serde_json::to_writer(io::BufWriter::new(&file), json)?;
    file.write_all(b"\n")?;
    file.rewind()?;
    Ok(file)
}

/// Finds a program: a path is taken from the working directory, a name from the search path.
fn find(name: &str, cwd: &Path, env: &[(String, String)]) -> Result<PathBuf, String> {
    let is_executable =
        |file: &Path| file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    if name.contains('/') {
        let file = cwd.join(name);
        return match (file.exists(), is_executable(&file)) {
            (_, true) => Ok(file),
            (true, false) => Err(format!("{} is not executable; run `chmod +x` on it", file.display())),
            (false, _) => Err(format!("there is no program {}", file.display())),
        };
    }
    let own = env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| OsString::from(value));
    let path = own.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| cwd.join(folder).join(name))
        .find(|file| is_executable(file))
        .ok_or_else(|| format!("there is no program {name:?} on PATH"))
}

/// Looks at the first line of stdout.
struct FirstLine {
    text: String,
    goes_on: Option<oneshot::Sender<GoesOn>>,
}

impl FirstLine {
    fn take(&mut self, piece: &str) {
        if self.goes_on.is_none() {
            return;
        }
        self.text.push_str(piece);
        let line = match self.text.split_once('\n') {
            Some((line, _)) => line,
            // Not complete as a line, but perhaps as JSON.
            None => self.text.as_str(),
        };
        if let Some(value) = says_async(line)
            && let Some(goes_on) = self.goes_on.take()
        {
            let limit = value.get("asyncTimeout").and_then(Value::as_u64).map(Duration::from_millis);
            // Nobody hears it if the hook runs in the background already.
            let _ = goes_on.send(GoesOn(limit));
        } else if self.text.contains('\n') || self.text.len() > MAX_FIRST_LINE_BYTES {
            self.goes_on = None;
            self.text = String::new();
        }
    }
}
