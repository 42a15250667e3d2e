//! `toolreeve check`: judges commands that are given as an argument, on the standard input, as lines, as JSON requests or
//! as script files, and reports in the format of who reads it. Owns the options, the order of work and the exit code; the
//! answers come from [`crate::check`].

mod catalogue;
mod explain;
mod input;
mod junit;
mod lines;
mod report;
mod sarif;
mod settings;

use std::ffi::OsString;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolreeve_permission::Behavior;
use toolreeve_shell::Shell;

use self::input::Case;
use self::report::{Remark, Report, remarks};
use super::rules::{RuleArgs, absolute};
use super::style::{ColorChoice, Style};
use super::{EXIT_ASK, EXIT_DATA, EXIT_DENY, EXIT_INTERNAL, EXIT_USAGE, complain};
use crate::check::{Base, Judged, Problem};

/// The arguments of `toolreeve check`.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 allow, 1 ask, 2 deny, 64 wrong usage, 65 bad input, 70 internal error. Of many \
    inputs the strictest counts.\n\nExamples:\n  toolreeve check 'git status && rm -rf build'\n  toolreeve check --explain \
    --deny 'Bash(git push:*)' 'git push'\n  toolreeve check --lines --format jsonl < commands.txt\n  toolreeve check \
    --files --fail-on deny scripts/*.sh")]
pub(super) struct CheckArgs {
    /// The command, as one argument in quotes; `-` or nothing reads it from the standard input. With --files the names
    /// of script files
    #[arg(value_name = "COMMAND")]
    words: Vec<OsString>,
    /// Take each line of the standard input for a command; empty lines and lines that begin with # are skipped
    #[arg(long, conflicts_with_all = ["jsonl", "files"])]
    lines: bool,
    /// Take each line of the standard input for a JSON request and answer each with a line of JSON
    #[arg(long, conflicts_with = "files")]
    jsonl: bool,
    /// Take the arguments for names of shell scripts and judge the whole text of each
    #[arg(long)]
    files: bool,
    /// Take the arguments for names of settings files and say what is wrong with them, instead of judging a command
    #[arg(long, conflicts_with_all = ["lines", "jsonl", "files", "explain"])]
    settings_files: bool,
    /// Show how the decision came about: the parts, the rules, what would change it
    #[arg(long)]
    explain: bool,
    /// How to report: text for people, json, jsonl, sarif or junit. The default is text, with --jsonl it is jsonl
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The shell that is to run the command. The default is bash, for a script what its first line names
    #[arg(long, value_enum)]
    shell: Option<ShellName>,
    /// The directory the command is to run in. The default is the current one; for --jsonl it is /workspace
    #[arg(long, short = 'C', value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The home directory. The default is that of the caller; for --jsonl there is none
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
    /// The command runs inside of a sandbox
    #[arg(long)]
    sandboxed: bool,
    /// What makes the exit code other than 0: ask (and deny); danger, which is what is denied, removes a critical path or
    /// hides something (obfuscated options, control and invisible characters); deny alone; or never (errors still do)
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Jsonl,
    Sarif,
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Sh,
}

impl From<ShellName> for Shell {
    fn from(name: ShellName) -> Self {
        match name {
            ShellName::Bash => Self::Bash,
            ShellName::Zsh => Self::Zsh,
            ShellName::Sh => Self::Sh,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum FailOn {
    #[default]
    Ask,
    Danger,
    Deny,
    Never,
}

impl FailOn {
    /// Whether what stands against a command makes the exit code other than 0.
    fn counts(self, remark: &Remark<'_>) -> bool {
        match self {
            Self::Ask => true,
            Self::Danger => {
                remark.behavior == Behavior::Deny
                    || matches!(remark.rule.as_str(), "critical-path" | "check-4" | "check-17" | "check-18")
            }
            Self::Deny => remark.behavior == Behavior::Deny,
            Self::Never => false,
        }
    }
}

/// Where the inputs come from.
enum Source {
    /// One text.
    Argument(OsString),
    /// The whole standard input is one text.
    Stdin,
    Lines,
    Jsonl,
    Files(Vec<OsString>),
}

/// Runs the command. Returns the exit code.
pub(super) fn run(args: CheckArgs, mut stdin: impl BufRead, mut stdout: impl Write) -> u8 {
    let style = Style::for_stdout(args.color);
    if args.settings_files {
        return settings_files(&args, style, &mut stdout);
    }
    let (source, base, report) = match prepare(&args, style) {
        Ok(prepared) => prepared,
        Err(Refusal { code, message }) => {
            complain(message);
            return code;
        }
    };
    let mut work = Work { report, fail_on: args.fail_on, worst: 0, stdout: &mut stdout };
    let done = work.all(source, &base, args.shell.map(Shell::from), &mut stdin);
    match done {
        Ok(()) => work.worst,
        // Whoever read the answers went away. Not everything was judged, so this is never an allow.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => work.worst.max(EXIT_ASK),
        Err(error) => {
            complain(format!("stopped before everything was judged: {error}"));
            EXIT_INTERNAL
        }
    }
}

fn settings_files(args: &CheckArgs, style: Style, stdout: &mut impl Write) -> u8 {
    if args.words.is_empty() {
        complain("--settings-files needs names: toolreeve check --settings-files .claude/settings.json");
        return EXIT_USAGE;
    }
    match settings::write(&args.words, style, stdout) {
        Ok(true) => 0,
        Ok(false) => EXIT_DATA,
        Err(error) => {
            complain(format!("stopped before every file was checked: {error}"));
            EXIT_INTERNAL
        }
    }
}

/// Why nothing is judged at all.
struct Refusal {
    code: u8,
    message: String,
}

impl Refusal {
    fn usage(message: impl Into<String>) -> Self {
        Self { code: EXIT_USAGE, message: message.into() }
    }
}

fn prepare(args: &CheckArgs, style: Style) -> Result<(Source, Base, Report), Refusal> {
    let source = source(args)?;
    let mut base = Base::default();
    if matches!(source, Source::Jsonl) {
        // As everywhere else, an answer to a request depends on nothing but the request and the options.
        for (option, given, place) in [
            ("--cwd", &args.cwd, &mut base.policy.cwd),
            ("--home", &args.home, base.policy.home.insert(PathBuf::new())),
        ] {
            if let Some(given) = given {
                *place = from_here(option, given)?;
            }
        }
        base.policy.home = base.policy.home.filter(|home| !home.as_os_str().is_empty());
    } else {
        base.policy.cwd = from_here("--cwd", args.cwd.as_deref().unwrap_or(".".as_ref()))?;
        base.policy.home = match &args.home {
            Some(home) => Some(from_here("--home", home)?),
            None => std::env::home_dir().filter(|home| home.is_absolute()),
        };
    }
    base.policy.project_root = base.policy.cwd.clone();
    base.policy.sandboxed = args.sandboxed;
    base.shell = args.shell.map_or(Shell::Bash, Shell::from);
    args.rules.apply(&mut base.policy).map_err(|unusable| Refusal {
        code: if unusable.by_file { EXIT_DATA } else { EXIT_USAGE },
        message: unusable.message,
    })?;
    let format = args.format.unwrap_or(if args.jsonl { Format::Jsonl } else { Format::Text });
    if args.explain && args.format.is_some_and(|format| format != Format::Text) {
        return Err(Refusal::usage("--explain is text: leave --format out, or write --format text"));
    }
    let many = !matches!(source, Source::Argument(_) | Source::Stdin);
    let report = match format {
        _ if args.explain => Report::explain(style),
        Format::Text => Report::text(style, many, args.fail_on),
        Format::Json => Report::json(many),
        Format::Jsonl => Report::jsonl(),
        Format::Sarif => Report::sarif(),
        Format::Junit => Report::junit().map_err(|error| Refusal {
            code: EXIT_INTERNAL,
            message: format!("no temporary file for the report: {error}"),
        })?,
    };
    Ok((source, base, report))
}

fn from_here(option: &str, path: &std::path::Path) -> Result<PathBuf, Refusal> {
    let here = std::env::current_dir().map_err(|error| Refusal {
        code: EXIT_DATA,
        message: format!("the current directory is not known ({error}): give an absolute path with {option}"),
    });
    let here = if path.is_absolute() { PathBuf::from("/") } else { here? };
    absolute(&here, path, option).map_err(Refusal::usage)
}

fn source(args: &CheckArgs) -> Result<Source, Refusal> {
    let words = &args.words;
    if args.files {
        return match words.is_empty() {
            true => Err(Refusal::usage("--files needs names: toolreeve check --files a.sh b.sh")),
            false => Ok(Source::Files(words.clone())),
        };
    }
    if args.lines || args.jsonl {
        let option = if args.lines { "--lines" } else { "--jsonl" };
        return match words.as_slice() {
            [] => Ok(if args.lines { Source::Lines } else { Source::Jsonl }),
            [word] if word == "-" => Ok(if args.lines { Source::Lines } else { Source::Jsonl }),
            _ => Err(Refusal::usage(format!(
                "{option} reads the standard input: leave the command out, or leave {option} out"
            ))),
        };
    }
    match words.as_slice() {
        [] if std::io::stdin().is_terminal() => {
            Err(Refusal::usage("no command: write toolreeve check 'git status', or pipe the command in"))
        }
        [] => Ok(Source::Stdin),
        [word] if word == "-" => Ok(Source::Stdin),
        [word] => Ok(Source::Argument(word.clone())),
        several => {
            let text: Vec<_> = several.iter().map(|word| word.to_string_lossy()).collect();
            let text = super::style::excerpt(&text.join(" ").replace('\'', "'\\''"), 200);
            Err(Refusal::usage(format!(
                "the command must be one argument, so that it is judged as the shell reads it: toolreeve check '{text}'"
            )))
        }
    }
}

/// Judging and reporting, and the strictest exit code so far.
struct Work<'a, W: Write> {
    report: Report,
    fail_on: FailOn,
    worst: u8,
    stdout: &'a mut W,
}

impl<W: Write> Work<'_, W> {
    fn all(
        &mut self,
        source: Source,
        base: &Base,
        shell: Option<Shell>,
        stdin: &mut impl BufRead,
    ) -> std::io::Result<()> {
        self.report.begin(self.stdout)?;
        match source {
            Source::Argument(word) => self.one(input::of_argument(word, base))?,
            Source::Stdin => self.one(input::of_stdin(stdin, base)?)?,
            Source::Lines => input::each_line(stdin, base, |case| self.one(case))?,
            Source::Jsonl => input::each_request(stdin, base, |case| self.one(case))?,
            Source::Files(names) => {
                for name in names {
                    self.one(input::of_file(&name, base, shell))?;
                }
            }
        }
        self.report.end(self.stdout)
    }

    fn one(&mut self, case: Case) -> std::io::Result<()> {
        self.worst = self.worst.max(exit_code(&case.outcome, self.fail_on));
        self.report.case(&case, self.stdout)
    }
}

fn exit_code(outcome: &Result<Judged, Problem>, fail_on: FailOn) -> u8 {
    match outcome {
        Ok(judged) if remarks(judged).iter().any(|remark| fail_on.counts(remark)) => match judged.decision.behavior {
            Behavior::Deny => EXIT_DENY,
            _ => EXIT_ASK,
        },
        Ok(_) => 0,
        Err(problem) if problem.kind == "internal" => EXIT_INTERNAL,
        Err(_) => EXIT_DATA,
    }
}
