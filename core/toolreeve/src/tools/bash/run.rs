//! One run of a command: from the input to what is left of it.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::json;
use toolreeve_engine::{CallContext, ContextChange, ErrorKind, ToolError, ToolOutput};
use toolreeve_shell::interpret_exit;

use super::Bash;
use super::schema::{BashInput, BashOutput};
use super::shell::{self, CwdChange, StartFiles};
use super::{permit, render};
use crate::process::{self, Captured, End, Finished, LeftOver, Order, Stream, TooMuch};

/// Of a successful command this many characters are shown whole.
pub(super) const MAX_INLINE_CHARS: usize = 30_000;
/// Of a failed command this many characters are shown.
const MAX_FAILED_CHARS: usize = 10_000;
/// How much is shown of output that went to a file, in bytes.
const PREVIEW_BYTES: u64 = 2_000;
/// A file of output ends here.
const MAX_SAVED_BYTES: u64 = 64 * 1024 * 1024;
/// The status of a program that was killed, as shells report it.
const KILLED: i32 = 137;

/// Runs the command.
pub(super) async fn run(
    tool: &Bash,
    input: &BashInput,
    ctx: &CallContext,
) -> Result<ToolOutput<BashOutput>, ToolError> {
    let context = &ctx.context;
    if !context.cwd().is_dir() {
        return Ok(lost_cwd(ctx));
    }
    let bash = match &tool.bash {
        Some(bash) => bash.clone(),
        None => shell::find(context)?,
    };
    let files = StartFiles::new(context).map_err(|error| ToolError::io("cannot prepare the start of bash", &error))?;
    let mut env: Vec<(OsString, OsString)> =
        context.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    env.push(("PWD".into(), context.cwd().into()));
    env.push(("BASH_ENV".into(), files.start_file().into()));
    let time_limit = time_limit(tool, input);
    let order = Order {
        program: bash.clone(),
        name: "bash".into(),
        args: shell::args(&input.command),
        cwd: context.cwd().to_path_buf(),
        env,
        capture_dir: ctx.session.spill_dir().to_path_buf(),
        time_limit,
        max_output_bytes: tool.max_output_bytes,
        stdin: None,
        too_much: TooMuch::End,
        left_over: LeftOver::GoOn,
    };
    let show = |stream, text: &str, skipped: u64| {
        let stream = match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        ctx.progress(match skipped {
            0 => json!({"stream": stream, "text": text}),
            _ => json!({"stream": stream, "text": text, "skipped_bytes": skipped}),
        });
    };
    let finished = process::run(order, &ctx.cancel, show)
        .await
        .map_err(|error| ToolError::io(format_args!("cannot run {}", bash.display()), &error))?;
    if let End::Cancelled(reason) = finished.end {
        return Err(ToolError::new(ErrorKind::Cancelled(reason), "the command was cancelled"));
    }
    let change = shell::cwd_change(context, files.final_cwd());
    drop(files);
    let mut output = read(tool, input, ctx, finished, time_limit).await?;
    let context_change = carry_over(change, ctx, &mut output);
    Ok(ToolOutput { is_error: output.failed, context_change, ..ToolOutput::new(output) })
}

fn time_limit(tool: &Bash, input: &BashInput) -> Duration {
    match input.timeout {
        // The bound keeps the conversion within range.
        Some(millis) if millis >= 1.0 => {
            Duration::from_secs_f64(millis.min(86_400_000.0) / 1000.0).min(tool.max_timeout.max(tool.default_timeout))
        }
        _ => tool.default_timeout,
    }
}

/// The working directory was removed: the command cannot run, and the next one starts at the project's root.
fn lost_cwd(ctx: &CallContext) -> ToolOutput<BashOutput> {
    let root = ctx.context.policy.project_root.clone();
    let lost = ctx.cwd().display();
    let mut output = BashOutput { failed: true, exit_code: 1, ..BashOutput::default() };
    if !root.is_dir() {
        output.stderr = format!("The working directory {lost} does not exist any more; make it again first.");
        return ToolOutput { is_error: true, ..ToolOutput::new(output) };
    }
    output.stderr = format!(
        "The working directory {lost} does not exist any more, so nothing was run. \
         It is {} from now on: send the command again if it is still right there.",
        root.display()
    );
    let context_change = Some(ContextChange::new(move |context| context.policy.cwd = root));
    ToolOutput { is_error: true, context_change, ..ToolOutput::new(output) }
}

fn carry_over(change: CwdChange, ctx: &CallContext, output: &mut BashOutput) -> Option<ContextChange> {
    match change {
        CwdChange::None => None,
        CwdChange::To(cwd) => Some(ContextChange::new(move |context| context.policy.cwd = cwd)),
        CwdChange::Reset { outside } => {
            let root = ctx.context.policy.project_root.clone();
            output.notes.push(format!(
                "The working directory was reset to {}: {} is outside of the allowed directories.",
                root.display(),
                outside.display()
            ));
            (root != ctx.cwd()).then(|| ContextChange::new(move |context| context.policy.cwd = root))
        }
    }
}

/// The exit status as shells report it.
fn code_of(status: Option<ExitStatus>) -> i32 {
    let Some(status) = status else { return KILLED };
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(KILLED)
}

/// Turns what is left of the command into the output.
async fn read(
    tool: &Bash,
    input: &BashInput,
    ctx: &CallContext,
    finished: Finished,
    time_limit: Duration,
) -> Result<BashOutput, ToolError> {
    let analysis = input.analysis();
    let exit_code = code_of(finished.status);
    let exit = interpret_exit(analysis, exit_code);
    let mut output = BashOutput {
        exit_code,
        failed: exit.is_error || finished.end != End::Exited,
        return_code_interpretation: exit.meaning.map(str::to_owned),
        no_output_expected: permit::is_silent(analysis),
        ..BashOutput::default()
    };
    match finished.end {
        End::TimedOut => {
            let millis = time_limit.as_millis().try_into().unwrap_or(u64::MAX);
            output.timed_out_after_ms = Some(millis);
            output.notes.push(format!(
                "The command was stopped after {millis} ms, its time limit. Give a larger `timeout`, or a quicker command."
            ));
        }
        End::TooMuchOutput => output.notes.push(format!(
            "The command was stopped: it wrote more than {} bytes. Let it write to a file, or filter what it prints.",
            tool.max_output_bytes
        )),
        End::Exited | End::Cancelled(_) => {}
    }
    if finished.end != End::Exited {
        output.interrupted = true;
        output.return_code_interpretation = None;
    }
    if finished.status.is_none() {
        output.notes.push("The command could not be killed: it hangs in the kernel.".to_owned());
    }
    if finished.left_running {
        output.notes.push("Processes that the command started in the background are still running.".to_owned());
    }
    let unreadable = |error: std::io::Error| ToolError::io("cannot read the output of the command", &error);
    if output.failed {
        let [out_share, err_share] = shares(&finished, MAX_FAILED_CHARS);
        output.stdout = trimmed(finished.stdout.head_and_tail(out_share).map_err(unreadable)?);
        output.stderr = trimmed(finished.stderr.head_and_tail(err_share).map_err(unreadable)?);
        return Ok(output);
    }
    // Both streams together need room for the name of the second.
    let room = if finished.stderr.len() > 0 { MAX_INLINE_CHARS - render::STDERR_NAME.len() } else { MAX_INLINE_CHARS };
    let [out_share, err_share] = shares(&finished, room);
    let size = finished.stdout.len() + finished.stderr.len();
    let dir = ctx.session.spill_dir().to_path_buf();
    let stem = file_stem(&ctx.tool_use_id);
    // Saving may copy a lot.
    let saved = tokio::task::spawn_blocking(move || {
        let stdout = whole_or_saved(&finished.stdout, out_share, &dir, &format!("{stem}-stdout"))?;
        let stderr = whole_or_saved(&finished.stderr, err_share, &dir, &format!("{stem}-stderr"))?;
        Ok((stdout, stderr))
    });
    let (stdout, stderr) = saved.await.unwrap_or_else(|error| Err(std::io::Error::other(error))).map_err(unreadable)?;
    output.persisted_output_path = stdout.file.or(stderr.file);
    output.persisted_output_size = output.persisted_output_path.is_some().then_some(size);
    output.stdout = stdout.text;
    output.stderr = stderr.text;
    Ok(output)
}

/// How many characters of each stream are shown, together at most `max`: what one does not need goes to the other.
/// Sizes are in bytes, so that a share may be a little smaller than possible.
fn shares(finished: &Finished, max: usize) -> [usize; 2] {
    let need = |output: &Captured| usize::try_from(output.len()).unwrap_or(usize::MAX).min(max);
    let (out, err) = (need(&finished.stdout), need(&finished.stderr));
    let err_share = err.min(max.saturating_sub(out).max(max / 2));
    [max - err_share, err_share]
}

/// A stream as the model reads it, and the file that has the whole of it.
struct Shown {
    text: String,
    file: Option<std::path::PathBuf>,
}

fn whole_or_saved(output: &Captured, max_chars: usize, dir: &std::path::Path, stem: &str) -> std::io::Result<Shown> {
    if let Some(text) = output.text_within(max_chars)? {
        return Ok(Shown { text: trimmed(text), file: None });
    }
    let preview = output.head(PREVIEW_BYTES)?;
    let (notice, file) = match output.save(dir, stem, MAX_SAVED_BYTES) {
        Ok(path) => {
            let extent = match output.len() > MAX_SAVED_BYTES {
                true => format!("Its first {MAX_SAVED_BYTES} bytes were"),
                false => "The whole text was".to_owned(),
            };
            let notice = format!(
                "{extent} saved to: {}\nUse Read with offset and limit, or Grep, to see more of it.",
                path.display()
            );
            (notice, Some(path))
        }
        Err(error) => (format!("It could not be saved ({error}); only its beginning is left."), None),
    };
    let text = format!(
        "<persisted-output>\nOutput too large ({} bytes). {notice}\n\nPreview (first {} bytes):\n{preview}\n...\n</persisted-output>",
        output.len(),
        preview.len()
    );
    Ok(Shown { text, file })
}

/// A name for files that holds nothing but the id.
fn file_stem(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).take(80).collect()
}

/// Without the line ends behind it.
fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    text
}
