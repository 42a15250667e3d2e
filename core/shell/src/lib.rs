//! What a bash command line is, does and risks. Pure and synchronous: no I/O, no clock, no environment.
//!
//! [`analyze`] takes a command text apart and says what it does:
//!
//! ```
//! use toolreeve_shell::{Access, Shell, analyze};
//!
//! let analysis = analyze("cd src && timeout 5 grep -rn 'a b' lib > out.txt", Shell::Bash);
//! assert!(analysis.is_simple());
//! let grep = &analysis.commands[1];
//! assert_eq!(grep.stripped, "grep -rn 'a b' lib");
//! assert_eq!(grep.paths[0].path, "src/lib");
//! assert_eq!((grep.paths[1].path.as_str(), grep.paths[1].access), ("src/out.txt", Access::Write));
//! assert!(!grep.read_only); // it writes out.txt
//! ```
//!
//! # The promise
//! When [`Analysis::outcome`] is [`ParseOutcome::Simple`], the shell named in [`Analysis::shell`] runs no program or
//! builtin and opens no file for writing that [`Analysis::commands`] does not list. Everything else is
//! [`ParseOutcome::TooComplex`] (the commands that were seen are still listed, for deny rules) or
//! [`ParseOutcome::Unavailable`]. A value that cannot be known is [`Arg::Unknown`] and the command is judged by what any
//! value could do.
//!
//! # How a permission engine reads an analysis
//! * Allow needs `is_simple()` and, for every entry of `commands`, either `read_only` with every path inside of the
//!   allowed directories, or an allow rule that matches one of `allow_views` with every written path allowed.
//!   A path with [`Origin::Redirect`] is not covered by a rule on the command.
//! * Deny and ask rules are tried on every entry of `deny_views` of every command, whatever the outcome.
//! * A command with empty `argv` is a bare assignment (`env`) or a bare redirection (`redirects`).
//! * `exact_only` commands are approved by no rule with a wildcard, only by one that equals the text.
//! * `trusts_directory` commands (git) are read-only only where every entry of `directories` resolves to the start.
//! * [`resolve`] turns a [`PathUse`] into an absolute path; `None` means a path nobody knows, which must be judged like
//!   any path. A use that is not `exact` stands for everything at and below the resolved path. Uses are not free of
//!   `..`: [`ResolvedPath::raw`] is what the kernel would be asked for.
//! * Links are nothing that a text shows. Whoever can look at the file system learns from [`PathUse::below`] and
//!   [`PathUse::follows`] where to look for them; whoever cannot must take [`Follows::ByOption`] for a path anywhere.
//! * [`interpret_exit`] reads an exit status by the convention of the command that ran last.

mod analysis;
mod analyze;
mod builtins;
mod checks;
mod collapse;
mod commands;
mod destructive;
mod exit_status;
mod facts;
mod flags;
mod links;
mod paths;
mod pattern;
mod prefix;
mod read;
mod removals;
mod safe_env;
pub mod syntax;
mod tree;
mod unwrap;
mod upstream;
mod values;
mod views;
mod walk;
mod zsh;

pub use analysis::{
    Access, Analysis, Anchor, Arg, Collapse, CommandFacts, DestructiveWarning, EnvAssignment, Finding, Follows, Loss,
    Origin, ParseOutcome, PathUse, RedirectFacts, Removal, Severity, Shell,
};
pub use analyze::{MAX_COMMAND_CHARS, MAX_PARSE_BYTES, MAX_PARTS, analyze};
pub use checks::{QuoteViews, View, quote_views, security_checks};
pub use exit_status::{ExitMeaning, interpret_exit};
pub use paths::{ResolvedPath, clean, resolve};
pub use pattern::{ANY_DEPTH, escape_name, pattern_matches, plain_name};
pub use safe_env::{SAFE_ENV_VARS, is_safe_env};
pub use syntax::Span;
