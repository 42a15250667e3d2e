//! Examples that a rule carries: what it must match and what not, checked when it is loaded. Owns how an example is
//! tried; where examples are written down is up to the settings.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolreeve_shell::{Shell, analyze};

use crate::decision::{Behavior, Decision};
use crate::evaluate::evaluate;
use crate::policy::Policy;
use crate::query::{Access, OwnCheck, Query, Subject};
use crate::source::SourcedRule;
use crate::tools;

/// The directory that examples are tried in; it need not exist.
const EXAMPLE_ROOT: &str = "/workspace/project";
/// Its home directory.
const EXAMPLE_HOME: &str = "/home/user";

/// What a rule says that it matches and does not match: commands, paths or other texts, as its tool has them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleExamples {
    /// Calls that the rule must decide.
    #[serde(rename = "match")]
    pub matches: Vec<String>,
    /// Calls that it must leave alone.
    #[serde(rename = "not_match")]
    pub not_matches: Vec<String>,
}

/// An example that came out wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rule {rule} {} {example:?}, {}", if *.matched { "matches" } else { "does not match" },
    if *.matched { "which stands in `not_match`" } else { "which stands in `match`" })]
pub struct ExampleFailure {
    /// The rule as written.
    pub rule: String,
    /// The example.
    pub example: String,
    /// Whether the rule matched it.
    pub matched: bool,
}

impl RuleExamples {
    /// Tries every example against the rule alone. The answer is what came out wrong.
    ///
    /// ```
    /// use toolreeve_permission::{Behavior, Rule, RuleExamples, RuleSource, SourcedRule};
    ///
    /// let rule = SourcedRule::new(Rule::parse("Bash(git push:*)")?, RuleSource::ProjectSettings);
    /// let examples = RuleExamples {
    ///     matches: vec!["cd sub && git push origin".to_owned(), "git pushx".to_owned()],
    ///     not_matches: vec!["git status".to_owned()],
    /// };
    /// let wrong = examples.check(&rule, Behavior::Deny);
    /// assert_eq!(wrong.len(), 1);
    /// assert_eq!(wrong[0].example, "git pushx");
    /// # Ok::<(), toolreeve_permission::RuleError>(())
    /// ```
    pub fn check(&self, rule: &SourcedRule, behavior: Behavior) -> Vec<ExampleFailure> {
        let root = PathBuf::from(EXAMPLE_ROOT);
        let mut policy =
            Policy { cwd: root.clone(), project_root: root, home: Some(EXAMPLE_HOME.into()), ..Policy::default() };
        policy.add_rule(behavior, rule.clone());
        let wrong = |examples: &[String], expected: bool| -> Vec<ExampleFailure> {
            let differs = |example: &&String| decided(&policy, rule, behavior, example) != expected;
            let failure = |example: &String| ExampleFailure {
                rule: rule.rule.text().to_owned(),
                example: example.clone(),
                matched: !expected,
            };
            examples.iter().filter(differs).map(failure).collect()
        };
        let mut failures = wrong(&self.matches, true);
        failures.extend(wrong(&self.not_matches, false));
        failures
    }
}

/// Whether the rule decides a call of its tool.
fn decided(policy: &Policy, rule: &SourcedRule, behavior: Behavior, example: &str) -> bool {
    let tool = rule.rule.tool();
    let decision = if tools::takes_commands(tool) {
        let analysis = analyze(example, Shell::Bash);
        judge(policy, tool, &json!({"command": example}), Subject::Command(&analysis))
    } else if tools::takes_paths(tool) {
        let path = match example.strip_prefix("~/") {
            Some(rest) => Path::new(EXAMPLE_HOME).join(rest),
            None => Path::new(EXAMPLE_ROOT).join(example),
        };
        let path = crate::judge::clean(&path);
        let access = if tool == "Edit" { Access::Write } else { Access::Read };
        judge(policy, tool, &json!({"file_path": example}), Subject::Path { path: &path, real: &path, access })
    } else {
        judge(policy, tool, &json!({}), Subject::Text(example))
    };
    let named = decision.reason.rule.as_deref() == Some(rule.rule.text());
    decision.behavior == behavior && named
}

fn judge(policy: &Policy, tool: &str, input: &Value, subject: Subject<'_>) -> Decision {
    let query = Query {
        tool,
        input,
        subject,
        read_only: false,
        edits_files: false,
        requires_interaction: false,
        hook: None,
        own: OwnCheck::Pass,
    };
    evaluate(policy, &query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;
    use crate::source::RuleSource;

    #[test]
    fn examples_of_every_kind_of_rule() {
        for (rule, behavior, matches, not_matches) in [
            (
                "Bash(npm run *)",
                Behavior::Allow,
                &["npm run x", "NODE_ENV=t npm run x"][..],
                &["npm ci", "npm run x; npm ci"][..],
            ),
            ("Bash(curl:*)", Behavior::Deny, &["sudo curl x", "echo $(curl x)"], &["echo curl"]),
            ("Bash(git push:*)", Behavior::Ask, &["git -C x push"], &["git pull"]),
            ("Read(.env)", Behavior::Deny, &[".env", "sub/.env", "/workspace/project/.env"], &[".envrc", "~/.env"]),
            ("Edit(~/notes/**)", Behavior::Allow, &["~/notes/a"], &["notes/a"]),
            ("WebFetch(domain:*.test)", Behavior::Allow, &["a.test", "https://a.test/x"], &["test"]),
            ("Agent(reviewer)", Behavior::Deny, &["reviewer"], &["writer"]),
        ] {
            let sourced = SourcedRule::new(Rule::parse(rule).unwrap(), RuleSource::Session);
            let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            let right = RuleExamples { matches: texts(matches), not_matches: texts(not_matches) };
            let wrong = RuleExamples { matches: texts(not_matches), not_matches: texts(matches) };
            assert_eq!(right.check(&sourced, behavior), [], "{rule}");
            assert_eq!(wrong.check(&sourced, behavior).len(), matches.len() + not_matches.len(), "{rule}");
        }
    }
}
