//! From a call to a verdict: the rules of the user's settings files, the directories, the hard limits. Owns how the pieces
//! come together; what settings mean and what decides is elsewhere.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolreeve_permission::{
    Access, Behavior, Decision, OwnCheck, PermissionMode, Policy, Query, ReasonKind, Subject, evaluate,
};
use toolreeve_shell::analyze;

use super::shapes::Call;
use super::tools::{Act, act_of};
use super::{HookArgs, Verdict};
use crate::cli::rules::{absolute, found_settings};
use crate::files::path::{clean, real_path};
use crate::settings::LoadedSettings;

/// Judges a call.
///
/// # Errors
/// If the options, or the directory that the call names, are not usable.
pub(super) fn judge(args: &HookArgs, call: &Call<'_>) -> Result<Verdict, String> {
    let here = std::env::current_dir().ok();
    let home = match &args.home {
        Some(home) => Some(absolute(here.as_deref().unwrap_or(Path::new("/")), home, "--home")?),
        None => std::env::home_dir().filter(|home| home.is_absolute()),
    };
    let cwd = call.cwd.clone().or_else(|| call.root.clone()).or(here).ok_or("`cwd` is missing")?;
    let cwd = real_path(&clean(&cwd));
    let act = act_of(call);
    let dir = match &act {
        Act::Command { dir: Some(dir), .. } => real_path(&clean(&cwd.join(dir))),
        _ => cwd.clone(),
    };
    let root = project_root(call, &cwd, home.as_deref());
    let places = Places { cwd: &dir, root: &root, home: home.as_deref() };
    let verdict = verdict(&policy(args, call, places, args.trust_project)?, call, &act);
    if call.reads_the_settings_itself() && !args.trust_project && matches!(verdict, Verdict::Ask(_)) {
        // Where a rule of the project would let it run, it is for the agent to say whether the project is trusted: it
        // reads the same rules.
        let trusting = policy(args, call, places, true)?;
        if matches!(self::verdict(&trusting, call, &act), Verdict::Allow(_)) {
            return Ok(Verdict::Silent);
        }
    }
    Ok(verdict)
}

#[derive(Clone, Copy)]
struct Places<'a> {
    cwd: &'a Path,
    root: &'a Path,
    home: Option<&'a Path>,
}

/// The policy in force.
fn policy(args: &HookArgs, call: &Call<'_>, places: Places<'_>, trusted: bool) -> Result<Policy, String> {
    let mut policy = Policy {
        cwd: places.cwd.to_owned(),
        project_root: places.root.to_owned(),
        home: places.home.map(Path::to_owned),
        links: crate::files::links::resolver(),
        ..Policy::default()
    };
    let found = match args.no_settings {
        true => LoadedSettings::default(),
        false => found_settings(places.root, places.home, trusted),
    };
    found.apply_rules(&mut policy);
    policy.additional_directories.extend(found.additional_directories.iter().cloned());
    policy.mode = found.mode.unwrap_or_default();
    args.rules.apply(&mut policy).map_err(|unusable| unusable.message)?;
    let mode = match call.mode {
        Some(mode) if args.rules.mode.is_none() => mode,
        _ => policy.mode,
    };
    found.apply_mode(&mut policy, mode);
    Ok(policy)
}

/// Where the project begins: what the agent says, else the nearest folder at or above with settings or a repository. The
/// home directory is none: its settings are the user's.
fn project_root(call: &Call<'_>, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let named = call.root.clone().or_else(|| {
        ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"]
            .iter()
            .filter_map(std::env::var_os)
            .map(PathBuf::from)
            .find(|dir| dir.is_absolute())
    });
    if let Some(named) = named {
        return real_path(&clean(&named));
    }
    let home = home.map(real_path);
    let is_root = |dir: &Path| {
        [".claude/settings.json", ".claude/settings.local.json", ".git"].iter().any(|name| dir.join(name).exists())
    };
    cwd.ancestors().take_while(|dir| home.as_deref() != Some(*dir)).find(|dir| is_root(dir)).unwrap_or(cwd).to_owned()
}

fn verdict(policy: &Policy, call: &Call<'_>, act: &Act) -> Verdict {
    match act {
        Act::Command { text, shell, .. } => {
            let analysis = analyze(text, *shell);
            let subject = Subject::Command(&analysis);
            of_command(policy, &decide(policy, "Bash", &call.input, subject, analysis.read_only, false))
        }
        Act::Paths { tool, paths, access } => {
            let decisions = paths.iter().map(|text| {
                let path = path_of(policy, text);
                let real = real_path(&path);
                let subject = Subject::Path { path: &path, real: &real, access: *access };
                let reads = *access == Access::Read;
                decide(policy, tool, &call.input, subject, reads, !reads)
            });
            // The strictest decides.
            match decisions.max_by_key(|decision| (decision.behavior, asks_always(decision))) {
                Some(decision) => of_other(&decision),
                None => Verdict::Silent,
            }
        }
        Act::Fetch { url } => of_other(&decide(policy, "WebFetch", &call.input, Subject::Text(url), false, false)),
        Act::Named { tool } => of_other(&decide(policy, tool, &call.input, Subject::None, false, false)),
        Act::Unclear { tool, why } => {
            let decision = decide(policy, tool, &call.input, Subject::None, false, false);
            match decision.behavior {
                Behavior::Deny => Verdict::Deny(decision.reason.message),
                _ => Verdict::Ask(why.clone()),
            }
        }
    }
}

fn decide(
    policy: &Policy,
    tool: &str,
    input: &Value,
    subject: Subject<'_>,
    read_only: bool,
    edits_files: bool,
) -> Decision {
    let query = Query {
        tool,
        input,
        subject,
        read_only,
        edits_files,
        requires_interaction: false,
        hook: None,
        own: OwnCheck::Pass,
    };
    evaluate(policy, &query)
}

/// A path as a tool would take it: `~` is the home directory, the rest starts in the working directory.
fn path_of(policy: &Policy, text: &str) -> PathBuf {
    let path = match (text.strip_prefix('~'), &policy.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => policy.cwd.join(text),
    };
    clean(&path)
}

fn of_command(policy: &Policy, decision: &Decision) -> Verdict {
    let message = decision.reason.message.clone();
    match decision.behavior {
        Behavior::Allow => Verdict::Allow(message),
        Behavior::Deny => Verdict::Deny(message),
        // In the auto mode the agent's classifier answers what no rule does.
        Behavior::Ask if policy.mode == PermissionMode::Auto && decision.reason.kind == ReasonKind::NoRule => {
            Verdict::Silent
        }
        Behavior::Ask => Verdict::Ask(message),
    }
}

/// Other tools than the shell: what a rule or a hard limit says is said; the rest is the agent's own affair.
fn of_other(decision: &Decision) -> Verdict {
    let message = decision.reason.message.clone();
    match decision.behavior {
        Behavior::Deny => Verdict::Deny(message),
        Behavior::Ask if asks_always(decision) => Verdict::Ask(message),
        Behavior::Allow => Verdict::Allow(message),
        Behavior::Ask => Verdict::Silent,
    }
}

/// Whether a question is one that a rule or a hard limit asks, and not only that nothing allows the call.
fn asks_always(decision: &Decision) -> bool {
    matches!(decision.reason.kind, ReasonKind::RuleAsk | ReasonKind::ProtectedPath | ReasonKind::CriticalPath)
}
