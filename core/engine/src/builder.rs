//! Tools made by the host at run time, from a given JSON Schema and functions. Fail-closed like [`crate::Tool`]: what
//! is not said is exclusive, not read-only and never approved by a classifier.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use toolreeve_permission::OwnCheck;

use crate::context::{CallContext, Context};
use crate::error::ToolError;
use crate::message::ContentBlock;
use crate::render::RenderNode;
use crate::resource::{ResourceTemplates, Resources};
use crate::result::DEFAULT_MAX_RESULT_CHARS;
use crate::schema::{InputError, InputSchema};
use crate::tool::{CallSubject, DynData, DynOutput, DynTool, ResultLimit, ToolInput, ToolOutput, Validation};

type Predicate = Arc<dyn Fn(&Value) -> bool + Send + Sync>;
type Declare = Arc<dyn Fn(&Value, &Context) -> Option<Resources> + Send + Sync>;
type Handler = Arc<dyn Fn(Value, CallContext) -> BoxFuture<'static, Result<HostOutput, ToolError>> + Send + Sync>;

/// What a host-written tool answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostOutput {
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// What hooks and hosts see; the content as JSON if missing.
    pub structured: Option<Value>,
    /// Whether this is a failure.
    pub is_error: bool,
}

impl HostOutput {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }
}

/// Builds a tool from host functions.
///
/// ```
/// use serde_json::json;
/// use toolreeve_engine::{HostOutput, ToolBuilder};
///
/// let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
/// let echo = ToolBuilder::new("Echo", "Says it again.", schema)
///     .read_only(true)
///     .concurrency_safe(true)
///     .build(|input, _ctx| async move { Ok(HostOutput::text(input["text"].as_str().unwrap_or_default())) });
/// assert_eq!(echo.name(), "Echo");
/// ```
pub struct ToolBuilder {
    tool: HostTool,
}

struct HostTool {
    name: String,
    aliases: Vec<String>,
    description: String,
    prompt: Option<String>,
    schema: InputSchema,
    max_result_size: ResultLimit,
    should_defer: bool,
    search_hint: String,
    enabled: bool,
    concurrency_safe: Predicate,
    resources: Option<Declare>,
    read_only: Predicate,
    destructive: Predicate,
    requires_interaction: bool,
    classifier_fields: Vec<String>,
    handler: Handler,
}

impl ToolBuilder {
    /// Begins a tool with the JSON Schema of its input. A schema that cannot be compiled refuses every input;
    /// [`InputSchema::problem`] of the built tool says why.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        let never: Predicate = Arc::new(|_| false);
        let handler: Handler =
            Arc::new(|_, _| std::future::ready(Err(ToolError::failed("the tool has no function"))).boxed());
        Self {
            tool: HostTool {
                name: name.into(),
                aliases: Vec::new(),
                description: description.into(),
                prompt: None,
                schema: InputSchema::new(input_schema),
                max_result_size: ResultLimit::Chars(DEFAULT_MAX_RESULT_CHARS),
                should_defer: false,
                search_hint: String::new(),
                enabled: true,
                concurrency_safe: Arc::clone(&never),
                resources: None,
                read_only: Arc::clone(&never),
                destructive: never,
                requires_interaction: false,
                classifier_fields: Vec::new(),
                handler,
            },
        }
    }

    /// Older names that still work.
    #[must_use]
    pub fn aliases(mut self, aliases: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tool.aliases = aliases.into_iter().map(Into::into).collect();
        self
    }

    /// What the model is told, if it differs from the description.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.tool.prompt = Some(prompt.into());
        self
    }

    /// How large a result may get before it goes to a file.
    #[must_use]
    pub fn max_result_size(mut self, limit: ResultLimit) -> Self {
        self.tool.max_result_size = limit;
        self
    }

    /// Whether the model learns of the tool only through the tool search, and words that help to find it.
    #[must_use]
    pub fn defer(mut self, should_defer: bool, search_hint: impl Into<String>) -> Self {
        self.tool.should_defer = should_defer;
        self.tool.search_hint = search_hint.into();
        self
    }

    /// Whether the tool can be used at all.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.tool.enabled = enabled;
        self
    }

    /// Whether calls may run beside others.
    #[must_use]
    pub fn concurrency_safe(self, safe: bool) -> Self {
        self.concurrency_safe_if(move |_| safe)
    }

    /// Which calls may run beside others. A panic counts as no.
    #[must_use]
    pub fn concurrency_safe_if(mut self, predicate: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.tool.concurrency_safe = Arc::new(predicate);
        self
    }

    /// What calls read and write, as [`crate::Tool::resources`] says. A panic counts as undeclared.
    #[must_use]
    pub fn resources(
        mut self,
        declare: impl Fn(&Value, &Context) -> Option<Resources> + Send + Sync + 'static,
    ) -> Self {
        self.tool.resources = Some(Arc::new(declare));
        self
    }

    /// What calls read and write, as keys with fields of the input in them: `file:{path}`, `table:{name}`. A field that
    /// holds a list gives a key for each item. The path behind `file:` may be relative or begin with `~/`; links on its
    /// way are followed. A call whose input lacks a field, or has something else than texts and numbers there, counts
    /// as undeclared.
    #[must_use]
    pub fn resource_keys(
        self,
        reads: impl IntoIterator<Item = impl Into<String>>,
        writes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let templates = ResourceTemplates {
            reads: reads.into_iter().map(Into::into).collect(),
            writes: writes.into_iter().map(Into::into).collect(),
        };
        self.resources(move |input, context| templates.fill(input, context))
    }

    /// Whether calls only read.
    #[must_use]
    pub fn read_only(self, read_only: bool) -> Self {
        self.read_only_if(move |_| read_only)
    }

    /// Which calls only read. A panic counts as no.
    #[must_use]
    pub fn read_only_if(mut self, predicate: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.tool.read_only = Arc::new(predicate);
        self
    }

    /// Whether calls destroy what cannot be brought back.
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.tool.destructive = Arc::new(move |_| destructive);
        self
    }

    /// Whether a person must answer whatever rules and modes say.
    #[must_use]
    pub fn requires_interaction(mut self, required: bool) -> Self {
        self.tool.requires_interaction = required;
        self
    }

    /// The fields of the input that a classifier reads, as a JSON object. Without any, or where a call has none of them,
    /// no classifier may approve it.
    #[must_use]
    pub fn classifier_fields(mut self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tool.classifier_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Finishes the tool with the function that does the work. The future must be able to move between threads; it
    /// is dropped when the call is cancelled.
    pub fn build<F, Fut>(mut self, handler: F) -> Arc<dyn DynTool>
    where
        F: Fn(Value, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HostOutput, ToolError>> + Send + 'static,
    {
        self.tool.handler = Arc::new(move |input, ctx| handler(input, ctx).boxed());
        Arc::new(self.tool)
    }
}

impl DynData for HostOutput {
    fn content(&self) -> Vec<ContentBlock> {
        self.content.clone()
    }
    fn structured(&self) -> Value {
        self.structured.clone().or_else(|| serde_json::to_value(&self.content).ok()).unwrap_or(Value::Null)
    }
    fn render(&self) -> RenderNode {
        let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        RenderNode::text(texts.join("\n"))
    }
    fn search_text(&self) -> String {
        self.render().to_plain_text()
    }
}

fn holds(predicate: &Predicate, input: &ToolInput) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| predicate(&input.value))).unwrap_or(false)
}

impl DynTool for HostTool {
    fn name(&self) -> &str {
        &self.name
    }
    fn aliases(&self) -> Vec<&str> {
        self.aliases.iter().map(String::as_str).collect()
    }
    fn description(&self) -> &str {
        &self.description
    }
    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.prompt.as_deref().unwrap_or(&self.description))
    }
    fn input_schema(&self) -> &InputSchema {
        &self.schema
    }
    fn max_result_size(&self) -> ResultLimit {
        self.max_result_size
    }
    fn should_defer(&self) -> bool {
        self.should_defer
    }
    fn search_hint(&self) -> &str {
        &self.search_hint
    }
    fn is_enabled(&self) -> bool {
        self.enabled
    }
    fn parse_input(&self, raw: &Value) -> Result<ToolInput, InputError> {
        let value = Arc::new(self.schema.check(&self.name, raw)?.into_owned());
        Ok(ToolInput::new(Arc::clone(&value), value))
    }
    fn is_concurrency_safe(&self, input: &ToolInput) -> bool {
        holds(&self.concurrency_safe, input)
    }
    fn resources(&self, input: &ToolInput, context: &Context) -> Option<Resources> {
        let declare = self.resources.as_ref()?;
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| declare(&input.value, context))).ok()?
    }
    fn is_read_only(&self, input: &ToolInput) -> bool {
        holds(&self.read_only, input)
    }
    fn is_destructive(&self, input: &ToolInput) -> bool {
        holds(&self.destructive, input)
    }
    fn edits_files(&self, _input: &ToolInput) -> bool {
        false
    }
    fn requires_interaction(&self, _input: &ToolInput) -> bool {
        self.requires_interaction
    }
    fn failure_cancels_siblings(&self, _input: &ToolInput) -> bool {
        false
    }
    fn stops_on_interrupt(&self, _input: &ToolInput) -> bool {
        true
    }
    fn validate_input<'a>(&'a self, _input: &'a ToolInput, _ctx: &'a CallContext) -> BoxFuture<'a, Validation> {
        std::future::ready(Validation::Pass).boxed()
    }
    fn permission_subject(&self, _input: &ToolInput, _ctx: &CallContext) -> CallSubject {
        CallSubject::None
    }
    fn check_permissions<'a>(&'a self, _input: &'a ToolInput, _ctx: &'a CallContext) -> BoxFuture<'a, OwnCheck> {
        std::future::ready(OwnCheck::Pass).boxed()
    }
    fn destructive_warnings(&self, _input: &ToolInput) -> Vec<String> {
        Vec::new()
    }
    fn classifier_input(&self, input: &ToolInput) -> String {
        let fields = self.classifier_fields.iter();
        let seen: Map<String, Value> =
            fields.filter_map(|field| Some((field.clone(), input.value.get(field)?.clone()))).collect();
        if seen.is_empty() { String::new() } else { Value::Object(seen).to_string() }
    }
    fn user_facing_name(&self, _input: Option<&ToolInput>) -> String {
        self.name.clone()
    }
    fn call<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, Result<DynOutput, ToolError>> {
        let future = (self.handler)(input.value.as_ref().clone(), ctx.clone());
        async move {
            let output = future.await?;
            let is_error = output.is_error;
            Ok(ToolOutput { is_error, ..ToolOutput::new(Box::new(output) as Box<dyn DynData>) })
        }
        .boxed()
    }
    fn backfill_observable_input(&self, _input: &mut Value, _context: &Context) {}
    fn render_use(&self, _input: &ToolInput) -> RenderNode {
        RenderNode::title(&self.name)
    }
    fn render_rejected(&self, _input: &ToolInput) -> RenderNode {
        RenderNode::error(format!("{} was refused", self.name))
    }
    fn render_error(&self, message: &str) -> RenderNode {
        RenderNode::error(message)
    }
    fn render_grouped(&self, _inputs: &[&ToolInput]) -> Option<RenderNode> {
        None
    }
}
