//! The result of an analysis: what a command text does, as plain serialisable data. Owns the types and no logic
//! beyond small questions about them.

use serde::Serialize;

use crate::syntax::Span;

/// The shell a verdict is valid for. It says nothing about any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// GNU bash, not interactive, started as `bash -c`.
    #[default]
    Bash,
    /// zsh, started as `zsh -c`.
    Zsh,
    /// A plain `sh`: dash, busybox ash or bash in its sh mode.
    Sh,
}

/// How far the text could be taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ParseOutcome {
    /// Every program, builtin and written file is listed in [`Analysis::commands`].
    Simple,
    /// Something could not be proven: the commands listed are those that were seen, there may be more.
    TooComplex {
        /// Why, as part of a sentence.
        reason: String,
        /// Where in the text.
        span: Span,
    },
    /// The text was not taken apart at all.
    Unavailable {
        /// Why.
        reason: String,
    },
}

/// A value that is known, or the text of one that is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Arg {
    /// The exact value.
    Known(String),
    /// A value that depends on more than the text (a pattern, a variable, a substitution).
    Unknown {
        /// Its text in the command.
        #[serde(rename = "unknown")]
        source: String,
    },
}

impl Arg {
    /// The value, if it is known.
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown { .. } => None,
        }
    }

    /// The value or, if it is not known, the source text.
    pub fn text(&self) -> &str {
        match self {
            Self::Known(value) => value,
            Self::Unknown { source } => source,
        }
    }
}

/// A variable set for one command or for the shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvAssignment {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Arg,
    /// Whether allow rules look past it: a known harmless variable with a known value.
    pub safe: bool,
}

/// A redirection of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedirectFacts {
    /// The operator, for example `>>`.
    pub op: &'static str,
    /// The file, the descriptor, the here-document's delimiter or the here-string.
    pub target: Arg,
    /// The descriptor in front of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fd: Option<u32>,
    /// Whether a file is opened for writing. The null device does not count.
    pub writes: bool,
}

/// What a command does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Reads it, lists it, searches below it or goes into it.
    Read,
    /// Changes it, or replaces it if it is there.
    Write,
    /// Makes it.
    Create,
    /// Removes it.
    Remove,
}

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// The directory the command text is started in.
    Start,
    /// The root of the file system.
    Root,
    /// The home directory.
    Home,
    /// Nothing is known about it.
    Unknown,
}

/// Where a path came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// An argument of the command.
    Argument,
    /// A redirection.
    Redirect,
}

/// Whether links below a path lead a command on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Follows {
    /// It passes over them. A link that the path itself names is followed as by any program.
    #[default]
    No,
    /// It follows those it meets, as its program does by itself or because their names are passed on to one that does.
    Links,
    /// An option says to follow them.
    ByOption,
}

/// One use of one path. Several uses stand for one argument where an earlier `cd` may have failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathUse {
    /// The path as people should see it: after a `cd` in the same command joined to the new directory, otherwise as
    /// written, quotes removed.
    pub path: String,
    /// What is done to it.
    pub access: Access,
    /// What `known` is relative to.
    pub anchor: Anchor,
    /// The part that is known, below the anchor. Not cleaned: it may hold `..`, and a symbolic link may stand before one.
    pub known: String,
    /// Whether `known` is the whole path. If not, the path is `known` itself or something below it (a pattern without
    /// `..` behind it).
    pub exact: bool,
    /// What is named below `known`, as patterns of [`pattern_matches`](crate::pattern_matches) with `/` between the
    /// components: the pattern of a path that is not exact, or the names that a copy gets in a folder. Whoever can look at
    /// the file system learns from them which links they match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
    /// Whether the command goes on through links that it meets at or below the path.
    pub follows: Follows,
    /// Whether its value may break up in the shell (an unquoted variable): then even an exact path is a guess when the
    /// home directory has blanks in it.
    pub unquoted_variable: bool,
    /// Whether an argument or a redirection names it.
    pub origin: Origin,
}

/// How a command may take something away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// It removes the path with everything below it.
    Tree,
    /// It removes the path itself: a file, an empty folder.
    Entry,
    /// It moves it away.
    Moved,
    /// It changes the modes or owners of everything below it, or makes a folder equal to another one.
    Changed,
    /// It removes what version control does not know below it.
    Untracked,
    /// It writes over a device as a whole.
    Device,
}

/// Something that a command may take away. A guess in the careful direction, for hard limits alone: unlike
/// [`CommandFacts::paths`] it follows variables, braces, substitutions, pipes and scripts to the values they may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// What is lost.
    pub path: PathUse,
    /// How.
    pub loss: Loss,
}

/// One simple command of the text, in the order of the text, with the commands inside of substitutions and groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandFacts {
    /// Its words as written, joined by single blanks; without redirections and line continuations.
    pub text: String,
    /// `text` after harmless wrappers (`timeout 5 …`) and known harmless variables (`NODE_ENV=…`). Equal to `text` where
    /// nothing may be stripped.
    pub stripped: String,
    /// The texts an allow rule may match: `text`, `stripped`, and `git` without harmless global options.
    pub allow_views: Vec<String>,
    /// The texts a deny or ask rule must be tried on: all of `allow_views`, the same with quotes resolved, past every
    /// assignment and wrapper (sudo, env, xargs, `find -exec`, …), by the program's base name, and the commands of a
    /// literal `sh -c` script.
    pub deny_views: Vec<String>,
    /// The words, the name first. Empty for bare assignments and bare redirections.
    pub argv: Vec<Arg>,
    /// Assignments in front.
    pub env: Vec<EnvAssignment>,
    /// The redirections.
    pub redirects: Vec<RedirectFacts>,
    /// The program or builtin that does the work: base name, after the wrappers. Absent where unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Whether it changes nothing. Where it reads is in `paths`; that is for the caller to judge.
    pub read_only: bool,
    /// Whether it changes nothing but the files that its redirections write. False where it writes none by them.
    pub only_redirects_write: bool,
    /// The paths it uses, by arguments and redirections.
    pub paths: Vec<PathUse>,
    /// What it may take away, whatever runs it: see [`Removal`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removals: Vec<Removal>,
    /// Whether `paths` is complete: the program is known and every option was understood.
    pub paths_complete: bool,
    /// Two words that make a sensible allow rule (`git commit`), if there are any.
    pub prefix: Option<String>,
    /// Whether it changes the working directory of the commands after it.
    pub changes_directory: bool,
    /// The directories it may run in, joined like paths. One entry, the start, where no `cd` came before.
    pub directories: Vec<PathUse>,
    /// Whether it reads configuration or hooks from its directory that run programs (git): read-only only where it runs
    /// in the directory the text is started in.
    pub trusts_directory: bool,
    /// Whether only a rule that names its exact text may approve it (`find -exec`, `find -delete`, `watch`, `setsid`,
    /// `ionice`, `flock`): a rule with a wildcard would cover whatever it runs.
    pub exact_only: bool,
    /// Whether it stands inside of a substitution.
    pub nested: bool,
    /// Where it stands in the text.
    pub span: Span,
}

/// How strongly a finding speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth showing; it does not change the decision.
    Notice,
    /// A person must look at the command unless a rule names its exact text.
    Ask,
}

/// A security check that fired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The stable number of the check, 1 to 23.
    pub id: u8,
    /// Its stable name.
    pub name: &'static str,
    /// What was seen.
    pub message: String,
    /// Where.
    pub span: Span,
    /// How strongly it speaks.
    pub severity: Severity,
}

/// A warning that is only shown; it changes no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DestructiveWarning {
    /// A stable slug.
    pub id: &'static str,
    /// What may happen.
    pub message: &'static str,
}

/// Whether the command may be shown folded, and as what. All false where any part is something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Collapse {
    /// Some part searches.
    pub search: bool,
    /// Some part reads.
    pub read: bool,
    /// Some part lists.
    pub list: bool,
}

/// What a command text does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// The shell the verdict is valid for.
    pub shell: Shell,
    /// The text, without blanks around it.
    pub text: String,
    /// How far it could be taken apart.
    pub outcome: ParseOutcome,
    /// Its simple commands. With an outcome other than simple: those that were seen, for deny rules.
    pub commands: Vec<CommandFacts>,
    /// The security checks that fired.
    pub findings: Vec<Finding>,
    /// Warnings to show.
    pub destructive_warnings: Vec<DestructiveWarning>,
    /// Whether it may be shown folded.
    pub collapse: Collapse,
    /// Whether it is simple and every command of it is read-only.
    pub read_only: bool,
}

impl Analysis {
    /// Whether everything it does is listed.
    pub fn is_simple(&self) -> bool {
        self.outcome == ParseOutcome::Simple
    }

    /// Every path of every command.
    pub fn paths(&self) -> impl Iterator<Item = &PathUse> {
        self.commands.iter().flat_map(|command| &command.paths)
    }
}
