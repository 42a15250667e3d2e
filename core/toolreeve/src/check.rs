//! The check interface: one request object about a command in, one answer object out. Owns the shape of both, which other
//! programs rely on; the analysis and the decision come from the crates below. It reads no file, no clock and no
//! environment, so the same bytes in give the same bytes out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use toolreeve_permission::{
    Behavior, Decision, OwnCheck, PermissionMode, Policy, Query, RuleSource, SourcedRule, Subject, evaluate,
};
use toolreeve_shell::{Analysis, CommandFacts, ParseOutcome, Shell, analyze, clean, interpret_exit};

/// The directory that a request without `cwd` is judged in. It need not exist: no file is looked at.
const DEFAULT_CWD: &str = "/workspace";

/// Judges a command.
///
/// No file is looked at, so paths are judged by their text: a symbolic link in the folder is not followed, and an option
/// that tells a command to follow links below a folder (`grep -R`, `find -L`) is asked about. The Bash tool follows them.
///
/// The request is an object: `command` (required), `shell` ("bash", "zsh" or "sh"), `cwd`, `home`,
/// `additional_directories`, `rules` {`allow`, `ask`, `deny`}, `mode`, `sandboxed`, `exit_code` and `id` (echoed). The
/// answer says `behavior`, `reason`, `parse`, `checks`, `commands`, `read_only`, `destructive_warnings`, `suggestions`,
/// `collapse` and, for a request with `exit_code`, `exit`. A request that cannot be used is answered with
/// `{"error": {"kind", "message", "field"?}}`; nothing panics.
///
/// ```
/// use serde_json::json;
///
/// let answer = toolreeve::check(&json!({
///     "command": "npm test && git push",
///     "cwd": "/home/me/project",
///     "rules": {"allow": ["Bash(npm test:*)"]},
/// }));
/// assert_eq!(answer["behavior"], "ask");
/// assert_eq!(answer["commands"][0]["rule"], "Bash(npm test:*)");
/// assert_eq!(answer["suggestions"], json!(["Bash(git push:*)"]));
/// ```
pub fn check(request: &Value) -> Value {
    let answer = match guarded(|| Request::read(request, &Base::default())?.judge()) {
        Ok(judged) => judged.answer(),
        Err(problem) => problem.to_value(),
    };
    with_id(request.get("id"), answer)
}

/// Runs a step; a panic in it becomes a problem of kind `internal`.
pub(crate) fn guarded<T>(step: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
        Err(Problem::new("internal", None, "the check failed on this request; please report the command"))
    })
}

/// The same over JSON texts. A text that is not JSON is answered with an error object.
pub fn check_json(request: &str) -> String {
    match serde_json::from_str(request) {
        Ok(request) => check(&request),
        Err(error) => Problem::not_json(&error).to_value(),
    }
    .to_string()
}

/// Puts the request's `id` in front.
pub(crate) fn with_id(id: Option<&Value>, answer: Value) -> Value {
    match (id, answer) {
        (Some(id), Value::Object(fields)) => {
            let mut all = Map::with_capacity(fields.len() + 1);
            all.insert("id".to_owned(), id.clone());
            all.extend(fields);
            Value::Object(all)
        }
        (_, answer) => answer,
    }
}

/// Why a request cannot be used.
#[derive(Debug)]
pub(crate) struct Problem {
    /// A stable slug: `invalid-json`, `invalid-request`, `invalid-rule`, `invalid-input` or `internal`.
    pub(crate) kind: &'static str,
    /// The field of the request that is wrong.
    pub(crate) field: Option<String>,
    /// What is wrong, and what to give instead.
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(kind: &'static str, field: Option<String>, message: impl Into<String>) -> Self {
        Self { kind, field, message: message.into() }
    }

    fn field(field: &str, message: impl Into<String>) -> Self {
        Self::new("invalid-request", Some(field.to_owned()), message)
    }

    pub(crate) fn not_json(error: &serde_json::Error) -> Self {
        Self::new("invalid-json", None, format!("the request is not JSON: {error}"))
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut error = json!({"kind": self.kind, "message": self.message});
        if let Some(field) = &self.field {
            error["field"] = json!(field);
        }
        json!({ "error": error })
    }
}

/// What holds for every request that does not say otherwise. Rules and directories of a request come on top.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    pub(crate) shell: Shell,
    pub(crate) policy: Policy,
}

impl Default for Base {
    fn default() -> Self {
        let (cwd, project_root) = (PathBuf::from(DEFAULT_CWD), PathBuf::from(DEFAULT_CWD));
        Self { shell: Shell::Bash, policy: Policy { cwd, project_root, ..Policy::default() } }
    }
}

/// A request that was read.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) command: String,
    pub(crate) shell: Shell,
    pub(crate) policy: Policy,
    exit_code: Option<i32>,
    input: Value,
}

/// A request with what the command does and what is to be done with it.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) request: Request,
    pub(crate) analysis: Analysis,
    pub(crate) decision: Decision,
}

impl Request {
    /// A request for this command that says nothing else.
    pub(crate) fn plain(command: String, base: &Base) -> Self {
        let input = json!({"command": command});
        Self { command, shell: base.shell, policy: base.policy.clone(), exit_code: None, input }
    }

    pub(crate) fn read(request: &Value, base: &Base) -> Result<Self, Problem> {
        let Some(fields) = request.as_object() else {
            return Err(Problem::new("invalid-request", None, "the request must be a JSON object with a `command`"));
        };
        let Some(command) = text(fields, "command")? else {
            return Err(Problem::field("command", "`command` is missing; give the command as a string"));
        };
        let shell = match text(fields, "shell")? {
            None => base.shell,
            Some("bash") => Shell::Bash,
            Some("zsh") => Shell::Zsh,
            Some("sh") => Shell::Sh,
            Some(other) => {
                return Err(Problem::field("shell", format!("`shell` is {other:?}; give \"bash\", \"zsh\" or \"sh\"")));
            }
        };
        let mut policy = base.policy.clone();
        if let Some(cwd) = text(fields, "cwd")? {
            policy.cwd = directory(cwd, "cwd")?;
            policy.project_root = policy.cwd.clone();
        }
        if let Some(home) = text(fields, "home")? {
            policy.home = Some(directory(home, "home")?);
        }
        match fields.get("mode") {
            None | Some(Value::Null) => {}
            Some(given) => policy.mode = mode(given)?,
        }
        match fields.get("sandboxed") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(sandboxed)) => policy.sandboxed = *sandboxed,
            Some(_) => return Err(Problem::field("sandboxed", "`sandboxed` must be true or false")),
        }
        let exit_code = match fields.get("exit_code") {
            None | Some(Value::Null) => None,
            Some(code) => Some(code.as_i64().and_then(|code| i32::try_from(code).ok()).ok_or_else(|| {
                Problem::field("exit_code", "`exit_code` must be a whole number, as the shell reports it")
            })?),
        };
        for (at, path) in texts(fields.get("additional_directories"), "additional_directories")?.into_iter().enumerate()
        {
            policy.additional_directories.push(directory(path, &format!("additional_directories[{at}]"))?);
        }
        read_rules(fields.get("rules"), &mut policy)?;
        let command = command.to_owned();
        let input = json!({"command": command});
        Ok(Self { command, shell, policy, exit_code, input })
    }

    /// Judges the command.
    pub(crate) fn judge(self) -> Result<Judged, Problem> {
        let analysis = analyze(&self.command, self.shell);
        let decision = self.decide(&analysis, &self.policy);
        Ok(Judged { request: self, analysis, decision })
    }

    /// What another policy would make of the same command.
    pub(crate) fn decide(&self, analysis: &Analysis, policy: &Policy) -> Decision {
        let query = Query {
            tool: "Bash",
            input: &self.input,
            subject: Subject::Command(analysis),
            read_only: analysis.read_only,
            edits_files: false,
            requires_interaction: false,
            hook: None,
            own: OwnCheck::Pass,
        };
        evaluate(policy, &query)
    }
}

impl Judged {
    /// The answer object, without the `id`.
    pub(crate) fn answer(&self) -> Value {
        let Self { request, analysis, decision } = self;
        let checks: Vec<Value> = analysis
            .findings
            .iter()
            .map(|finding| {
                let span = [finding.span.start, finding.span.end];
                json!({"id": finding.id, "name": finding.name, "message": finding.message, "span": span})
            })
            .collect();
        let commands: Vec<Value> = analysis
            .commands
            .iter()
            .enumerate()
            .map(|(at, command)| command_value(command, decision.children.get(at), decision))
            .collect();
        let mut answer = json!({
            "behavior": decision.behavior,
            "reason": decision.reason,
            "parse": parse_slug(analysis),
            "checks": checks,
            "commands": commands,
            "read_only": analysis.read_only,
            "destructive_warnings": analysis.destructive_warnings,
            "suggestions": decision.suggestions,
            "collapse": analysis.collapse,
        });
        if let Some(code) = request.exit_code {
            answer["exit"] = json!(interpret_exit(analysis, code));
        }
        answer
    }
}

/// Reads a permission mode.
pub(crate) fn mode(given: &Value) -> Result<PermissionMode, Problem> {
    serde_json::from_value(given.clone()).map_err(|_| {
        let modes = "default, acceptEdits, plan, bypassPermissions, dontAsk, auto";
        Problem::field("mode", format!("`mode` is {given}; give one of {modes}"))
    })
}

fn parse_slug(analysis: &Analysis) -> &'static str {
    match analysis.outcome {
        ParseOutcome::Simple => "simple",
        ParseOutcome::TooComplex { .. } => "too-complex",
        ParseOutcome::Unavailable { .. } => "parse-unavailable",
    }
}

fn command_value(command: &CommandFacts, own: Option<&Decision>, whole: &Decision) -> Value {
    let decision = own.unwrap_or(whole);
    let env: Map<String, Value> =
        command.env.iter().map(|assignment| (assignment.name.clone(), json!(assignment.value))).collect();
    let redirects: Vec<Value> = command
        .redirects
        .iter()
        .map(|redirect| json!({"op": redirect.op, "target": redirect.target, "fd": redirect.fd}))
        .collect();
    let paths: Vec<Value> =
        command.paths.iter().map(|path| json!({"path": path.path, "access": path.access})).collect();
    let mut value = json!({
        "text": command.text,
        "stripped": command.stripped,
        "argv": command.argv,
        "env": env,
        "redirects": redirects,
        "read_only": command.read_only,
        "paths": paths,
        "behavior": decision.behavior,
        "reason": decision.reason,
    });
    if let Some(rule) = &decision.reason.rule {
        value["rule"] = json!(rule);
    }
    value["prefix"] = json!(command.prefix);
    value
}

fn read_rules(rules: Option<&Value>, policy: &mut Policy) -> Result<(), Problem> {
    let fields = match rules {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(fields)) => fields,
        Some(_) => {
            return Err(Problem::field("rules", "`rules` must be an object with lists `allow`, `ask` and `deny`"));
        }
    };
    if let Some(name) = fields.keys().find(|name| !matches!(name.as_str(), "allow" | "ask" | "deny")) {
        // A misspelt list of deny rules must not go unnoticed.
        return Err(Problem::field(&format!("rules.{name}"), "`rules` has only the lists `allow`, `ask` and `deny`"));
    }
    for (behavior, name) in [(Behavior::Allow, "allow"), (Behavior::Ask, "ask"), (Behavior::Deny, "deny")] {
        for (at, text) in texts(fields.get(name), &format!("rules.{name}"))?.into_iter().enumerate() {
            let rule = toolreeve_permission::Rule::parse(text).map_err(|error| {
                Problem::new("invalid-rule", Some(format!("rules.{name}[{at}]")), error.to_string())
            })?;
            policy.add_rule(behavior, SourcedRule::new(rule, RuleSource::CliArg));
        }
    }
    Ok(())
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Problem> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Problem::field(name, format!("`{name}` must be a string"))),
    }
}

fn texts<'a>(value: Option<&'a Value>, name: &str) -> Result<Vec<&'a str>, Problem> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                item.as_str().ok_or_else(|| Problem::field(&format!("{name}[{at}]"), "it must be a string"))
            })
            .collect(),
        Some(_) => Err(Problem::field(name, format!("`{name}` must be a list of strings"))),
    }
}

fn directory(path: &str, field: &str) -> Result<PathBuf, Problem> {
    if !path.starts_with('/') {
        return Err(Problem::field(field, format!("{path:?} is not an absolute path; start it with `/`")));
    }
    if path.contains('\0') {
        return Err(Problem::field(field, "a path holds no NUL character"));
    }
    Ok(PathBuf::from(clean(path, true)))
}
