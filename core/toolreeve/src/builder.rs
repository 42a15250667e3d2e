//! Puts an agent together from what the host brings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolreeve_engine::host::{Classifier, Hook, Host, ModelStream, PermissionPrompt, Renderer};
use toolreeve_engine::{Context, DynTool, Message, Origin, PoolOptions, Session, ToolRegistry};
use toolreeve_permission::{Behavior, PermissionMode, Policy, Rule, RuleError, RuleSource, SourcedRule};

use crate::agent::{Agent, Parts};
use crate::hooks::{HookJudge, HookMcp, HookProblem, HookWorld, HooksConfig, HttpLimits};
use crate::judge::ModelJudge;
use crate::settings::{Permissions, Settings};

/// An agent cannot be built from what was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The working directory is not usable.
    #[error("cwd {path:?} is not usable: {problem}")]
    Cwd {
        /// The directory as given.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A permission rule is not one.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A tool is not usable.
    #[error("tool {name:?}: {problem}")]
    Tool {
        /// The name of the tool.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// A rule as it was given; it is parsed when the agent is built.
struct GivenRule {
    behavior: Behavior,
    text: String,
    source: RuleSource,
    base: Option<PathBuf>,
}

/// Builds an [`Agent`]. What is not given is the careful default: the built-in tools, no rules, the default mode, and
/// nobody to ask, so that whatever needs approval is denied.
pub struct AgentBuilder {
    model: Arc<dyn ModelStream>,
    cwd: Option<PathBuf>,
    additional_directories: Vec<PathBuf>,
    home: Option<PathBuf>,
    env: Vec<(String, String)>,
    rules: Vec<GivenRule>,
    mode: PermissionMode,
    tools: Vec<Arc<dyn DynTool>>,
    mcp_tools: Vec<Arc<dyn DynTool>>,
    built_in: bool,
    host: Host,
    pool_options: PoolOptions,
    system: Option<String>,
    max_turns: Option<usize>,
    messages: Vec<Message>,
    session_id: Option<String>,
    spill_dir: Option<PathBuf>,
    declared_hooks: HooksConfig,
    hook_problems: Vec<HookProblem>,
    http_limits: HttpLimits,
    hook_judge: Option<Arc<dyn HookJudge>>,
    hook_mcp: Option<Arc<dyn HookMcp>>,
}

impl AgentBuilder {
    /// Begins with the model. Works in the current directory unless [`AgentBuilder::cwd`] says otherwise.
    pub fn new(model: Arc<dyn ModelStream>) -> Self {
        Self {
            model,
            cwd: None,
            additional_directories: Vec::new(),
            home: std::env::home_dir(),
            env: Vec::new(),
            rules: Vec::new(),
            mode: PermissionMode::Default,
            tools: Vec::new(),
            mcp_tools: Vec::new(),
            built_in: true,
            host: Host::default(),
            pool_options: PoolOptions::default(),
            system: None,
            max_turns: None,
            messages: Vec::new(),
            session_id: None,
            spill_dir: None,
            declared_hooks: HooksConfig::default(),
            hook_problems: Vec::new(),
            http_limits: HttpLimits::default(),
            hook_judge: None,
            hook_mcp: None,
        }
    }

    /// Where the work happens. Relative paths are taken from the process's own directory, once, now.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Further directories in which files may be read and, with permission, written.
    #[must_use]
    pub fn additional_directories(mut self, directories: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.additional_directories.extend(directories.into_iter().map(Into::into));
        self
    }

    /// The home directory for `~`. The default is that of the process.
    #[must_use]
    pub fn home(mut self, home: Option<PathBuf>) -> Self {
        self.home = home;
        self
    }

    /// A variable for child processes, on top of the process's own.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// A rule that allows, for example `Bash(npm test)`.
    #[must_use]
    pub fn allow(self, rule: impl Into<String>) -> Self {
        self.rule(Behavior::Allow, rule)
    }

    /// A rule that asks.
    #[must_use]
    pub fn ask(self, rule: impl Into<String>) -> Self {
        self.rule(Behavior::Ask, rule)
    }

    /// A rule that denies.
    #[must_use]
    pub fn deny(self, rule: impl Into<String>) -> Self {
        self.rule(Behavior::Deny, rule)
    }

    /// A rule.
    #[must_use]
    pub fn rule(mut self, behavior: Behavior, rule: impl Into<String>) -> Self {
        self.rules.push(GivenRule { behavior, text: rule.into(), source: RuleSource::CliArg, base: None });
        self
    }

    /// The permissions and the hooks of a settings file.
    #[must_use]
    pub fn settings(mut self, settings: &Settings, source: RuleSource) -> Self {
        let Permissions { allow, ask, deny, default_mode, additional_directories, .. } = &settings.permissions;
        let base = settings.folder.clone().filter(|_| source == RuleSource::FlagSettings);
        for (behavior, rules) in [(Behavior::Allow, allow), (Behavior::Ask, ask), (Behavior::Deny, deny)] {
            self.rules.extend(rules.iter().map(|entry| GivenRule {
                behavior,
                text: entry.rule().to_owned(),
                source,
                base: base.clone(),
            }));
        }
        self.mode = default_mode.map_or(self.mode, PermissionMode::from);
        for (limit, listed) in [
            (&mut self.http_limits.allowed_urls, &settings.allowed_http_hook_urls),
            (&mut self.http_limits.allowed_env_vars, &settings.http_hook_allowed_env_vars),
        ] {
            if let Some(listed) = listed {
                limit.get_or_insert_default().extend(listed.iter().cloned());
            }
        }
        let this = match settings.disable_all_hooks {
            Some(true) => self,
            _ => self.hooks_json(&settings.hooks, source),
        };
        this.additional_directories(additional_directories)
    }

    /// The `hooks` object of a settings file. What is not usable in it is left out; [`Agent::hook_problems`] and the
    /// events of the first run say what.
    #[must_use]
    pub fn hooks_json(mut self, hooks: &serde_json::Map<String, serde_json::Value>, source: RuleSource) -> Self {
        let (config, problems) = HooksConfig::from_json(&serde_json::Value::Object(hooks.clone()), source);
        self.hook_problems.extend(problems);
        self.hooks_config(config)
    }

    /// The permission mode.
    #[must_use]
    pub fn mode(mut self, mode: PermissionMode) -> Self {
        self.mode = mode;
        self
    }

    /// A tool of the host's own; it replaces a built-in of the same name.
    #[must_use]
    pub fn tool(mut self, tool: Arc<dyn DynTool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// A tool bridged from an MCP server: sorts behind the built-ins and never replaces one.
    #[must_use]
    pub fn mcp_tool(mut self, tool: Arc<dyn DynTool>) -> Self {
        self.mcp_tools.push(tool);
        self
    }

    /// Whether the built-in tools are on offer. The default is yes.
    #[must_use]
    pub fn built_in_tools(mut self, offered: bool) -> Self {
        self.built_in = offered;
        self
    }

    /// The person who answers permission questions.
    #[must_use]
    pub fn permission_prompt(mut self, prompt: Arc<dyn PermissionPrompt>) -> Self {
        self.host.prompt = Some(prompt);
        self
    }

    /// A hook.
    #[must_use]
    pub fn hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.host.hooks.push(hook);
        self
    }

    /// The hooks of settings files; they run behind those of [`AgentBuilder::hook`].
    #[must_use]
    pub fn hooks_config(mut self, config: HooksConfig) -> Self {
        self.declared_hooks.extend(config);
        self
    }

    /// Who answers `prompt` and `agent` hooks. The default asks the agent's own model for `prompt` hooks, and answers no
    /// `agent` hooks.
    #[must_use]
    pub fn hook_judge(mut self, judge: Arc<dyn HookJudge>) -> Self {
        self.hook_judge = Some(judge);
        self
    }

    /// What `http` hooks may do, in place of what [`AgentBuilder::settings`] said of it.
    #[must_use]
    pub fn http_hook_limits(mut self, limits: HttpLimits) -> Self {
        self.http_limits = limits;
        self
    }

    /// Who calls tools of MCP servers for `mcp_tool` hooks.
    #[must_use]
    pub fn hook_mcp(mut self, mcp: Arc<dyn HookMcp>) -> Self {
        self.hook_mcp = Some(mcp);
        self
    }

    /// The classifier.
    #[must_use]
    pub fn classifier(mut self, classifier: Arc<dyn Classifier>) -> Self {
        self.host.classifier = Some(classifier);
        self
    }

    /// The renderer.
    #[must_use]
    pub fn renderer(mut self, renderer: Arc<dyn Renderer>) -> Self {
        self.host.renderer = Some(renderer);
        self
    }

    /// Which tools are on offer: simple mode, REPL mode, embedded search.
    #[must_use]
    pub fn pool_options(mut self, options: PoolOptions) -> Self {
        self.pool_options = options;
        self
    }

    /// The system prompt.
    #[must_use]
    pub fn system(mut self, system: impl Into<String>) -> Self {
        self.system = Some(system.into());
        self
    }

    /// The largest number of requests to the model in one run. The default is no limit.
    #[must_use]
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = Some(turns);
        self
    }

    /// The conversation to go on with.
    #[must_use]
    pub fn messages(mut self, messages: Vec<Message>) -> Self {
        self.messages = messages;
        self
    }

    /// The id of the session; it names the folder of large results. The default is new each time.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// Where results that are too large for the model are written; reading there is free. The default is
    /// `~/.claude/projects/PROJECT/SESSION/tool-results`.
    #[must_use]
    pub fn spill_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.spill_dir = Some(dir.into());
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    /// If the directory is not usable, a rule is not a rule, or a tool's name or schema is not usable.
    pub fn build(self) -> Result<Agent, BuildError> {
        let cwd = usable_directory(self.cwd)?;
        let id = self.session_id.unwrap_or_else(new_session_id);
        let spill_dir = self.spill_dir.unwrap_or_else(|| default_spill_dir(self.home.as_deref(), &cwd, &id));
        let mut policy = Policy {
            project_root: cwd.clone(),
            // The model is told to read large results from there.
            readable_directories: vec![spill_dir.clone()],
            links: crate::files::links::resolver(),
            additional_directories: self
                .additional_directories
                .into_iter()
                .map(|dir| usable_directory(Some(dir)))
                .collect::<Result<_, _>>()?,
            cwd,
            mode: self.mode,
            home: self.home,
            ..Policy::default()
        };
        for GivenRule { behavior, text, source, base } in self.rules {
            let mut rule = SourcedRule::new(Rule::parse(&text)?, source);
            rule.base = base;
            policy.add_rule(behavior, rule);
        }
        let mut registry = ToolRegistry::new();
        if self.built_in {
            for tool in crate::tools::built_in_tools() {
                registry.add(Origin::BuiltIn, tool);
            }
        }
        for (origin, tools) in [(Origin::BuiltIn, self.tools), (Origin::Mcp, self.mcp_tools)] {
            for tool in tools {
                check_tool(tool.as_ref())?;
                registry.add(origin, tool);
            }
        }
        let world = HookWorld {
            env: self.env.clone(),
            capture_dir: spill_dir.clone(),
            home: policy.home.clone(),
            http: self.http_limits,
            judge: Some(self.hook_judge.unwrap_or_else(|| Arc::new(ModelJudge(Arc::clone(&self.model))))),
            mcp: self.hook_mcp,
        };
        let mut host = self.host;
        host.hooks.extend(self.declared_hooks.into_hooks(world));
        let transcript = default_transcript(policy.home.as_deref(), &policy.cwd, &id, &spill_dir);
        let session = Session::new(id, Context { policy, env: self.env }, spill_dir).with_transcript_path(transcript);
        Ok(Agent::from_parts(Parts {
            model: self.model,
            registry: Arc::new(registry),
            host,
            session: Arc::new(session),
            pool_options: self.pool_options,
            system: self.system,
            max_turns: self.max_turns,
            messages: tokio::sync::Mutex::new(self.messages),
            life: Default::default(),
            hook_problems: self.hook_problems,
        }))
    }
}

fn usable_directory(dir: Option<PathBuf>) -> Result<PathBuf, BuildError> {
    let given = match dir {
        Some(dir) => dir,
        None => std::env::current_dir()
            .map_err(|error| BuildError::Cwd { path: PathBuf::from("."), problem: error.to_string() })?,
    };
    let problem = |problem: String| BuildError::Cwd { path: given.clone(), problem };
    // The real place, so that paths which tools resolve compare equal to it.
    let real = given.canonicalize().map_err(|error| problem(error.to_string()))?;
    if real.is_dir() { Ok(real) } else { Err(problem("it is not a directory".to_owned())) }
}

/// The model's API takes names of 1 to 128 letters, digits, `_` and `-`.
fn check_tool(tool: &dyn DynTool) -> Result<(), BuildError> {
    let name = tool.name();
    let error = |problem: &str| BuildError::Tool { name: name.to_owned(), problem: problem.to_owned() };
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 128 || !name.chars().all(is_fine) {
        return Err(error("a name has 1 to 128 letters, digits, `_` or `-`"));
    }
    match tool.input_schema().problem() {
        Some(problem) => Err(error(&format!("its input schema is not usable: {problem}"))),
        None => Ok(()),
    }
}

/// Unique on this machine: the time, the process and a counter.
fn new_session_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{:x}-{:x}-{count:x}", since.as_nanos(), std::process::id())
}

/// Where public settings keep them: below the home directory, by project and session. Without a home, below the
/// system's temporary directory.
fn default_spill_dir(home: Option<&Path>, cwd: &Path, session_id: &str) -> PathBuf {
    let base = home.map_or_else(|| std::env::temp_dir().join("toolreeve"), projects);
    let (project, session) = names_of(cwd, session_id);
    base.join(project).join(session).join("tool-results")
}

/// Where hooks are told that the conversation is written down: beside the folder of the session.
fn default_transcript(home: Option<&Path>, cwd: &Path, session_id: &str, spill_dir: &Path) -> PathBuf {
    let (project, session) = names_of(cwd, session_id);
    match home {
        Some(home) => projects(home).join(project).join(format!("{session}.jsonl")),
        None => spill_dir.join("transcript.jsonl"),
    }
}

fn projects(home: &Path) -> PathBuf {
    home.join(".claude").join("projects")
}

/// The names of the folders of a project and of a session.
fn names_of(cwd: &Path, session_id: &str) -> (String, String) {
    let in_name = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let project: String = cwd.to_string_lossy().chars().map(in_name).collect();
    // A file name has at most 255 bytes; the end of a path tells more than its beginning.
    let project = project[project.len().saturating_sub(200)..].to_owned();
    (project, session_id.chars().map(in_name).collect())
}
