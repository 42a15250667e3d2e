//! From the text of one settings file to its typed form, its rules with their places, and its problems. What is wrong
//! in one place disables nothing elsewhere; what may have held a rule that denies or asks makes calls ask. Owns no
//! file access and no merge.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use jsonc_parser::ast::Value as Tree;
use serde_json::{Map, Value};
use toolreeve_engine::InputSchema;
use toolreeve_permission::{Behavior, Rule, RuleOrigin, RuleSource, SourcedRule};

use super::jsonc::{self, Lines};
use super::model::{FullRule, Permissions, RuleEntry, Settings, settings_schema};
use super::names;
use super::report::{SettingsProblem, Severity};

/// One settings file as it was understood.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decoded {
    /// The typed form, without what does not fit.
    pub(crate) settings: Settings,
    /// The rules, in the order of the file.
    pub(crate) rules: Vec<(Behavior, SourcedRule)>,
    /// What is wrong.
    pub(crate) problems: Vec<SettingsProblem>,
}

/// Where a text comes from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) source: RuleSource,
    pub(crate) file: Option<Arc<PathBuf>>,
    /// Where patterns `/p` begin, if not where they usually do for the source.
    pub(crate) base: Option<PathBuf>,
}

/// Reads a text.
///
/// # Errors
/// If it is no JSON object: then nothing of it is known.
pub(crate) fn decode(text: &str, origin: &Origin) -> Result<Decoded, SettingsProblem> {
    let tree = jsonc::parse(text).map_err(|error| {
        origin.problem(Severity::Critical, String::new(), Some((error.line, error.column)), error.message)
    })?;
    let lines = Lines::new(text);
    let mut decoder = Decoder { origin, lines: &lines, tree: &tree, rules: Vec::new(), problems: Vec::new() };
    let settings = decoder.settings()?;
    Ok(Decoded { settings, rules: decoder.rules, problems: decoder.problems })
}

impl Origin {
    pub(crate) fn problem(
        &self,
        severity: Severity,
        key: String,
        place: Option<(u32, u32)>,
        message: impl Into<String>,
    ) -> SettingsProblem {
        SettingsProblem {
            severity,
            source: self.source,
            file: self.file.as_deref().cloned(),
            key,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            message: message.into(),
        }
    }

    /// A rule that makes calls of a tool (`*`: of any) ask, in the place of one that cannot be understood.
    pub(crate) fn guard(&self, tool: &str, why: &SettingsProblem) -> Option<(Behavior, SourcedRule)> {
        let mut rule = SourcedRule::new(Rule::parse(tool).ok()?, self.source);
        rule.message = Some(format!("{why}"));
        Some((Behavior::Ask, rule))
    }
}

struct Decoder<'d, 'a> {
    origin: &'d Origin,
    lines: &'d Lines<'a>,
    tree: &'d Tree<'a>,
    rules: Vec<(Behavior, SourcedRule)>,
    problems: Vec<SettingsProblem>,
}

/// Switches that hold something back, with the value that does: one that is written wrongly counts as set.
const STRICT: [(&str, &str); 8] = [
    ("/permissions/disableBypassPermissionsMode", "\"disable\""),
    ("/permissions/disableAutoMode", "\"disable\""),
    ("/permissions/blockReadsOutsideWorkingDirectories", "true"),
    ("/permissions/blockWritesOutsideWorkingDirectories", "true"),
    ("/permissions/denyInsteadOfPrompting", "true"),
    ("/allowManagedPermissionRulesOnly", "true"),
    ("/allowManagedHooksOnly", "true"),
    ("/allowManagedMcpServersOnly", "true"),
];

/// Switches that only managed settings have.
const MANAGED_ONLY: [&str; 4] = [
    "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly",
    "allowManagedMcpServersOnly",
    "parentSettingsBehavior",
];

/// How often values that do not fit are taken out before the file is given up.
const MAX_ROUNDS: usize = 8;

/// The lists of rules; the weakest first, so that a problem with a stronger one is heard last.
const LISTS: [(&str, Behavior); 3] = [("allow", Behavior::Allow), ("ask", Behavior::Ask), ("deny", Behavior::Deny)];

impl Decoder<'_, '_> {
    fn settings(&mut self) -> Result<Settings, SettingsProblem> {
        let Tree::Object(root) = self.tree else {
            let message = "it is no object; write `{…}` with keys like `permissions`";
            return Err(self.origin.problem(Severity::Critical, String::new(), Some((1, 1)), message));
        };
        let mut value = jsonc::to_json(self.tree);
        let permissions: Vec<&Tree<'_>> = root
            .properties
            .iter()
            .filter(|property| property.name.as_str() == "permissions")
            .map(|property| &property.value)
            .collect();
        self.duplicates(self.tree, "");
        self.misplaced(&value);
        let mut lists = Permissions::default();
        for tree in permissions {
            self.permissions(tree, &mut lists);
        }
        match value.get_mut("permissions") {
            Some(Value::Object(rest)) => LISTS.iter().for_each(|(list, _)| drop(rest.shift_remove(*list))),
            // What else it is was reported above.
            Some(other) => *other = Value::Object(Map::new()),
            None => {}
        }
        texts_of_env(&mut value);
        self.take_out_misfits(&mut value);
        self.take_out_managed(&mut value);
        let mut settings: Settings = serde_json::from_value(value).map_err(|error| {
            self.origin.problem(Severity::Critical, String::new(), None, format!("it is not usable: {error}"))
        })?;
        let Permissions { allow, ask, deny, .. } = lists;
        settings.permissions = Permissions { allow, ask, deny, ..settings.permissions };
        settings.folder = self.origin.base.clone();
        Ok(settings)
    }

    fn at(&self, tree: &Tree<'_>) -> (u32, u32) {
        self.lines.place(jsonc::start(tree))
    }

    fn report(&mut self, severity: Severity, pointer: &str, tree: &Tree<'_>, message: impl Into<String>) {
        let place = Some(self.at(tree));
        self.problems.push(self.origin.problem(severity, jsonc::dotted(pointer), place, message));
    }

    /// Keys that stand twice: of most the last one counts, rules that deny or ask count from all.
    fn duplicates(&mut self, tree: &Tree<'_>, pointer: &str) {
        match tree {
            Tree::Object(object) => {
                let mut seen = std::collections::HashSet::new();
                for property in &object.properties {
                    let name = property.name.as_str();
                    let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                    if !seen.insert(name) {
                        let message = "the key stands twice; keep one of them";
                        self.report(Severity::Error, &below, &property.value, message);
                    }
                    self.duplicates(&property.value, &below);
                }
            }
            Tree::Array(array) => {
                for (at, element) in array.elements.iter().enumerate() {
                    if matches!(element, Tree::Object(_) | Tree::Array(_)) {
                        self.duplicates(element, &format!("{pointer}/{at}"));
                    }
                }
            }
            _ => {}
        }
    }

    /// Keys that are most likely meant for another place.
    fn misplaced(&mut self, value: &Value) {
        for key in value.as_object().into_iter().flat_map(Map::keys) {
            let hint = match key.as_str() {
                "allow" | "ask" | "deny" | "defaultMode" | "additionalDirectories" => {
                    format!("it belongs into `permissions`: write {{\"permissions\": {{\"{key}\": …}}}}")
                }
                "permission" | "Permissions" => "it is not known; write `permissions`".to_owned(),
                "hook" | "Hooks" => "it is not known; write `hooks`".to_owned(),
                _ => continue,
            };
            let pointer = format!("/{key}");
            self.report(Severity::Error, &pointer, jsonc::locate(self.tree, &pointer), hint);
        }
    }

    fn permissions(&mut self, tree: &Tree<'_>, lists: &mut Permissions) {
        let Tree::Object(object) = tree else {
            if !matches!(tree, Tree::NullKeyword(_)) {
                let message = "it is no object; write `{\"allow\": […], \"deny\": […]}`. Until then every call asks";
                self.report(Severity::Critical, "/permissions", tree, message);
                self.guard_last("*");
            }
            return;
        };
        for property in &object.properties {
            let name = property.name.as_str();
            let pointer = format!("/permissions/{name}");
            match LISTS.into_iter().find(|(list, _)| *list == name) {
                Some((_, behavior)) => {
                    let entries = self.list(&property.value, &pointer, behavior);
                    match behavior {
                        Behavior::Allow => lists.allow.extend(entries),
                        Behavior::Ask => lists.ask.extend(entries),
                        Behavior::Deny => lists.deny.extend(entries),
                    }
                }
                None if names::is_permission_key(name) => {}
                None => {
                    let known = names::PERMISSION_KEYS.join("`, `");
                    let message = format!("it is not known and does nothing; the keys here are `{known}`");
                    self.report(Severity::Error, &pointer, &property.value, message);
                }
            }
        }
    }

    fn list(&mut self, tree: &Tree<'_>, pointer: &str, behavior: Behavior) -> Vec<RuleEntry> {
        match tree {
            Tree::Array(array) => {
                let elements = array.elements.iter().enumerate();
                elements.filter_map(|(at, tree)| self.entry(tree, &format!("{pointer}/{at}"), behavior)).collect()
            }
            Tree::StringLit(_) => {
                self.report(Severity::Error, pointer, tree, "it is one rule; write a list: `[\"…\"]`");
                self.entry(tree, pointer, behavior).into_iter().collect()
            }
            Tree::NullKeyword(_) => Vec::new(),
            _ => {
                self.no_rule(tree, pointer, behavior, "it is no list; write a list of rules: `[\"Bash(npm test)\"]`");
                Vec::new()
            }
        }
    }

    /// One entry of a list. Returns it in its typed form if it is a rule.
    fn entry(&mut self, tree: &Tree<'_>, pointer: &str, behavior: Behavior) -> Option<RuleEntry> {
        let entry = match tree {
            Tree::StringLit(text) => RuleEntry::Text(text.value.clone().into_owned()),
            Tree::Object(_) => match serde_json::from_value::<FullRule>(jsonc::to_json(tree)) {
                Ok(full) => RuleEntry::Full(full),
                Err(error) => {
                    let message = format!(
                        "it is no rule: {error}; write `\"Bash(npm test)\"` or `{{\"rule\": \"…\", \"message\": \"…\"}}`"
                    );
                    self.no_rule(tree, pointer, behavior, message);
                    return None;
                }
            },
            _ => {
                self.no_rule(tree, pointer, behavior, "it is no rule; write a text, as in `\"Bash(npm test)\"`");
                return None;
            }
        };
        let rule = match Rule::parse(entry.rule()) {
            Ok(rule) => rule,
            Err(error) => {
                let (line, mut column) = self.at(tree);
                // Without escapes a character of the text is a character of the file, behind the quote.
                if matches!(tree, Tree::StringLit(_)) && !entry.rule().contains(['\\', '"', '\n', '\t']) {
                    let before = entry.rule().get(..error.position).map_or(0, |text| text.chars().count());
                    column = column.saturating_add(u32::try_from(before + 1).unwrap_or(0));
                }
                let message = format!("the rule `{}` cannot be read: {}", error.text, error.problem);
                let problem = self.origin.problem(
                    if behavior == Behavior::Allow { Severity::Error } else { Severity::Critical },
                    jsonc::dotted(pointer),
                    Some((line, column)),
                    message,
                );
                self.problems.push(problem);
                if behavior != Behavior::Allow {
                    self.guard_last(names::tool_of(entry.rule()));
                }
                return None;
            }
        };
        let mut sourced = SourcedRule::new(rule, self.origin.source);
        sourced.base.clone_from(&self.origin.base);
        sourced.message = entry.message().map(str::to_owned);
        if let Some(file) = &self.origin.file {
            let (line, column) = self.at(tree);
            sourced.origin = Some(RuleOrigin { file: Arc::clone(file), line, column });
        }
        self.oddities(tree, pointer, behavior, &sourced, &entry);
        self.rules.push((behavior, sourced));
        Some(entry)
    }

    /// What is odd about a rule that can be read.
    fn oddities(&mut self, tree: &Tree<'_>, pointer: &str, behavior: Behavior, rule: &SourcedRule, entry: &RuleEntry) {
        let severity = if behavior == Behavior::Allow { Severity::Warning } else { Severity::Error };
        if let Some(warning) = rule.rule.warning(behavior) {
            self.report(severity, pointer, tree, warning);
        } else if behavior != Behavior::Allow && !names::may_be_tool(rule.rule.tool()) {
            let message = format!("no tool is called `{}`; names are case-sensitive", rule.rule.tool());
            self.report(Severity::Warning, pointer, tree, message);
        }
        if let RuleEntry::Full(_) = entry {
            for failure in entry.examples().check(rule, behavior) {
                self.report(severity, pointer, tree, failure.to_string());
            }
        }
    }

    fn no_rule(&mut self, tree: &Tree<'_>, pointer: &str, behavior: Behavior, message: impl Into<String>) {
        if behavior == Behavior::Allow {
            return self.report(Severity::Error, pointer, tree, message);
        }
        let message = format!("{}. Until then every call asks", message.into());
        self.report(Severity::Critical, pointer, tree, message);
        self.guard_last("*");
    }

    /// Guards for what was reported last.
    fn guard_last(&mut self, tool: &str) {
        let guard = self.problems.last().and_then(|problem| self.origin.guard(tool, problem));
        self.rules.extend(guard);
    }

    /// Takes values out that do not fit, each with a report; switches that hold something back are set instead.
    fn take_out_misfits(&mut self, value: &mut Value) {
        static SCHEMA: LazyLock<InputSchema> = LazyLock::new(|| InputSchema::new(settings_schema()));
        for _ in 0..MAX_ROUNDS {
            let mut misfits = SCHEMA.misfits(value);
            if misfits.is_empty() {
                return;
            }
            // From the back, so that an index in a list still names what it named.
            misfits.sort_by(|a, b| natural(&b.pointer).cmp(&natural(&a.pointer)));
            misfits.dedup_by(|a, b| a.pointer == b.pointer);
            for misfit in misfits.iter().rev() {
                let tree = jsonc::locate(self.tree, &misfit.pointer);
                let strict = STRICT.iter().any(|(pointer, _)| *pointer == misfit.pointer);
                let effect = if strict { "it counts as set" } else { "it does not count" };
                let message = format!("{}; {effect}", misfit.problem);
                self.report(Severity::Error, &misfit.pointer, tree, message);
            }
            for misfit in &misfits {
                let strict = STRICT.iter().find(|(pointer, _)| *pointer == misfit.pointer);
                match strict.and_then(|(_, value)| serde_json::from_str(value).ok()) {
                    Some(strict) => {
                        if let Some(place) = value.pointer_mut(&misfit.pointer) {
                            *place = strict;
                        }
                    }
                    None => take_out(value, &misfit.pointer),
                }
            }
        }
    }

    /// Takes switches out that only managed settings have.
    fn take_out_managed(&mut self, value: &mut Value) {
        if self.origin.source == RuleSource::PolicySettings {
            return;
        }
        for key in MANAGED_ONLY {
            if value.as_object_mut().is_some_and(|map| map.shift_remove(key).is_some()) {
                let pointer = format!("/{key}");
                let tree = jsonc::locate(self.tree, &pointer);
                self.report(Severity::Warning, &pointer, tree, "it counts in managed settings only");
            }
        }
        let shared = matches!(self.origin.source, RuleSource::ProjectSettings | RuleSource::LocalSettings);
        let mode = "/permissions/defaultMode";
        if shared && value.pointer(mode).and_then(Value::as_str) == Some("auto") {
            take_out(value, mode);
            let tree = jsonc::locate(self.tree, mode);
            self.report(Severity::Warning, mode, tree, "`auto` counts in user, flag and managed settings only");
        }
    }
}

/// Variables may be written as numbers and switches.
fn texts_of_env(value: &mut Value) {
    for variable in value.get_mut("env").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if variable.is_number() || variable.is_boolean() {
            *variable = Value::String(variable.to_string());
        }
    }
}

/// A pointer whose numbers compare as numbers.
fn natural(pointer: &str) -> Vec<(Option<usize>, &str)> {
    pointer.split('/').map(|part| (part.parse().ok(), part)).collect()
}

fn take_out(value: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        *value = Value::Object(Map::new());
        return;
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.shift_remove(&name);
        }
        Some(Value::Array(items)) => {
            if let Some(at) = name.parse().ok().filter(|at| *at < items.len()) {
                let _: Value = items.remove(at);
            }
        }
        _ => {}
    }
}
