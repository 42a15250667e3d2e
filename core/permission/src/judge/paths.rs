//! What `Read` and `Edit` rules say about a path, for file tools and for the paths in commands alike. Owns the one way
//! in which path rules are looked up; what follows from a match is up to the callers.

use std::path::{Path, PathBuf};

use super::places::Target;
use crate::Behavior;
use crate::matcher::{PathAnchor, PathPattern, Reading};
use crate::policy::Policy;
use crate::query::Access;
use crate::source::{RuleSource, SourcedRule};

/// The tools whose rules speak about a path: the shared ones, and the tool that was called if it has its own.
fn rule_tools(behavior: Behavior, access: Access, tool: &str) -> Vec<&str> {
    let mut tools: Vec<&str> = match (behavior, access) {
        // Whoever may edit a file may read it.
        (Behavior::Allow, Access::Read) => vec!["Read", "Edit"],
        (Behavior::Allow, Access::Write) => vec!["Edit"],
        (_, Access::Read) => vec!["Read"],
        // What must not be read must not be changed either. Cells of notebooks are the exception.
        (_, Access::Write) if tool == "NotebookEdit" => vec!["Edit"],
        (_, Access::Write) => vec!["Edit", "Read"],
    };
    if crate::tools::path_rule_home(tool).is_none() && !crate::tools::takes_commands(tool) && !tools.contains(&tool) {
        tools.push(tool);
    }
    tools
}

/// The rule of this behaviour that matches a path. An allow rule must match where the path leads as well as the path; for
/// the others one of the two is enough.
pub(crate) fn matching<'a>(
    policy: &'a Policy,
    behavior: Behavior,
    access: Access,
    tool: &str,
    target: &Target,
) -> Option<&'a SourcedRule> {
    let known = target.known.as_ref()?;
    let components = [&known.path, &known.real].into_iter().flat_map(|path| path.components());
    let names: Vec<_> = components.map(|part| part.as_os_str().to_string_lossy()).collect();
    let keys = || names.iter().map(|name| name.as_ref());
    let tools = rule_tools(behavior, access, tool);
    tools
        .into_iter()
        .flat_map(|tool| policy.rules(behavior).with_keys(tool, keys()))
        .filter_map(with_pattern)
        .find(|(sourced, pattern)| {
            let hit = |path: &Path| {
                let reading = if behavior == Behavior::Allow { Reading::Narrow } else { Reading::Wide };
                bases(policy, sourced, pattern.anchor, behavior).iter().any(|base| pattern.matches(base, path, reading))
            };
            match behavior {
                Behavior::Allow => hit(&known.path) && (known.path == known.real || hit(&known.real)),
                Behavior::Ask | Behavior::Deny => hit(&known.path) || (known.path != known.real && hit(&known.real)),
            }
        })
        .map(|(sourced, _)| sourced)
}

/// The rule of this behaviour that may match something below a path, which certain commands would reach.
pub(crate) fn reachable<'a>(
    policy: &'a Policy,
    behavior: Behavior,
    access: Access,
    tool: &str,
    target: &Target,
    may_name: impl Fn(&str) -> bool,
) -> Option<&'a SourcedRule> {
    let tools = rule_tools(behavior, access, tool);
    tools
        .into_iter()
        .flat_map(|tool| policy.rules(behavior).with_content(tool))
        .filter_map(with_pattern)
        .find(|(sourced, pattern)| {
            if pattern.last_name().is_some_and(|name| !may_name(name)) {
                return false;
            }
            match &target.known {
                None => true,
                Some(known) => bases(policy, sourced, pattern.anchor, behavior).iter().any(|base| {
                    pattern.may_match_below(base, &known.path)
                        || (known.path != known.real && pattern.may_match_below(base, &known.real))
                }),
            }
        })
        .map(|(sourced, _)| sourced)
}

/// The allow rule that covers a path, a rule for the whole of `Read` or `Edit` included.
pub(crate) fn allowing<'a>(policy: &'a Policy, access: Access, tool: &str, target: &Target) -> Option<&'a SourcedRule> {
    let families: &[&str] = match access {
        Access::Read => &["Read", "Edit"],
        Access::Write => &["Edit"],
    };
    families
        .iter()
        .find_map(|family| policy.allow.whole_tool(family).find(|sourced| sourced.rule.tool() == *family))
        .or_else(|| matching(policy, Behavior::Allow, access, tool, target))
}

fn with_pattern(sourced: &SourcedRule) -> Option<(&SourcedRule, &PathPattern)> {
    Some((sourced, sourced.rule.compiled()?.path.as_ref()?))
}

/// Where a pattern of a rule starts. Empty where nobody knows.
fn bases(policy: &Policy, sourced: &SourcedRule, anchor: PathAnchor, behavior: Behavior) -> Vec<PathBuf> {
    let mut bases = match anchor {
        PathAnchor::Root => vec![PathBuf::from("/")],
        PathAnchor::Home => policy.home.iter().cloned().collect(),
        PathAnchor::Source => match (&sourced.base, sourced.source) {
            (Some(base), _) => vec![base.clone()],
            (None, RuleSource::UserSettings) => policy.home.iter().map(|home| home.join(".claude")).collect(),
            (None, _) => vec![root(policy).to_owned()],
        },
        PathAnchor::Directory => {
            let mut bases = vec![policy.cwd.clone()];
            // A deny rule of the project does not wander off with the current directory.
            if behavior != Behavior::Allow && *root(policy) != policy.cwd {
                bases.push(root(policy).to_owned());
            }
            bases
        }
    };
    bases.retain(|base| base.is_absolute());
    if behavior != Behavior::Allow {
        let real: Vec<PathBuf> = bases.iter().filter_map(|base| policy.links.resolve(base)).collect();
        bases.extend(real);
    } else if let Some(real) = bases.first().and_then(|base| policy.links.resolve(base)) {
        bases.push(real);
    }
    bases.dedup();
    bases
}

fn root(policy: &Policy) -> &PathBuf {
    if policy.project_root.as_os_str().is_empty() { &policy.cwd } else { &policy.project_root }
}
