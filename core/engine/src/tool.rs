//! The contract of a tool. [`Tool`] is what a tool's author writes, with typed input and output; [`DynTool`] is the
//! same with the types erased, which is all the engine sees. Every default is the careful one.

use std::any::Any;
use std::borrow::Cow;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolreeve_permission::{Access, OwnCheck};
use toolreeve_shell::Analysis;

use crate::context::{CallContext, Context, ContextChange};
use crate::error::ToolError;
use crate::message::{ContentBlock, Message};
use crate::render::RenderNode;
use crate::resource::Resources;
use crate::result::DEFAULT_MAX_RESULT_CHARS;
use crate::schema::{InputError, InputSchema};

/// How large a result may get before it goes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultLimit {
    /// At most this many characters; clamped to [`DEFAULT_MAX_RESULT_CHARS`].
    Chars(usize),
    /// The tool limits itself and its result is never spilled.
    Unlimited,
}

/// What a tool says about an input that fits the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validation {
    /// It makes sense.
    Pass,
    /// It does not.
    Reject {
        /// What the model reads.
        message: String,
        /// A stable number of the tool's own.
        code: u32,
    },
    /// A person should decide.
    Ask {
        /// What the person reads.
        message: String,
    },
}

/// What the content of permission rules is matched against, for one call.
#[derive(Debug, Clone, Default)]
pub enum CallSubject {
    /// Nothing: only rules that name the whole tool match.
    #[default]
    None,
    /// A bash command, taken apart.
    Command(Arc<Analysis>),
    /// A file or folder.
    Path {
        /// As named: absolute, without `.` and `..`.
        path: PathBuf,
        /// Where it leads once symbolic links are followed, as far as it exists.
        real: PathBuf,
        /// What is done to it.
        access: Access,
    },
    /// Any other text.
    Text(String),
}

/// What a call produced.
#[derive(Debug)]
pub struct ToolOutput<T> {
    /// The structured output.
    pub data: T,
    /// Whether this is a failure: the result is marked as an error and failure hooks run.
    pub is_error: bool,
    /// Messages to add to the conversation after the results.
    pub new_messages: Vec<Message>,
    /// A change of the context.
    pub context_change: Option<ContextChange>,
}

impl<T> ToolOutput<T> {
    /// A successful output and nothing else.
    pub fn new(data: T) -> Self {
        Self { data, is_error: false, new_messages: Vec::new(), context_change: None }
    }
}

/// A tool, as its author writes it.
///
/// ```
/// use toolreeve_engine::{CallContext, ContentBlock, Tool, ToolError, ToolOutput};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// The text to turn round.
///     text: String,
/// }
///
/// struct Reverse;
///
/// impl Tool for Reverse {
///     type Input = Input;
///     type Output = String;
///     fn name(&self) -> &str {
///         "Reverse"
///     }
///     fn description(&self) -> &str {
///         "Turns a text round."
///     }
///     fn is_read_only(&self, _: &Input) -> bool {
///         true
///     }
///     async fn call(&self, input: &Input, _: &CallContext) -> Result<ToolOutput<String>, ToolError> {
///         Ok(ToolOutput::new(input.text.chars().rev().collect()))
///     }
///     fn result_content(&self, output: &String) -> Vec<ContentBlock> {
///         vec![ContentBlock::text(output)]
///     }
/// }
/// ```
pub trait Tool: Send + Sync + 'static {
    /// The input; its JSON Schema is derived unless [`Tool::input_schema`] gives another.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The structured output: what hooks and hosts see.
    type Output: Serialize + Send + Sync + 'static;

    /// The unique name.
    fn name(&self) -> &str;

    /// Older names that still work.
    fn aliases(&self) -> &[&str] {
        &[]
    }

    /// One sentence about the tool, for people and for the tool search.
    fn description(&self) -> &str;

    /// What the model is told about the tool.
    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.description())
    }

    /// The JSON Schema of the input.
    fn input_schema(&self) -> Value {
        crate::schema::schema_of::<Self::Input>()
    }

    /// How large a result may get before it goes to a file.
    fn max_result_size(&self) -> ResultLimit {
        ResultLimit::Chars(DEFAULT_MAX_RESULT_CHARS)
    }

    /// Whether the model learns of the tool only through the tool search.
    fn should_defer(&self) -> bool {
        false
    }

    /// Words that help the tool search to find it.
    fn search_hint(&self) -> &str {
        ""
    }

    /// Whether the tool can be used at all, here and now.
    fn is_enabled(&self) -> bool {
        true
    }

    /// Whether this call may run beside others. A panic counts as no.
    fn is_concurrency_safe(&self, _input: &Self::Input) -> bool {
        false
    }

    /// What this call reads and writes. Two calls that both declare it run beside each other unless one writes what
    /// the other touches, also where they are not concurrency-safe. `None`, the default, declares nothing: beside what
    /// is concurrency-safe if this call is, else alone. Asked before the call starts and again for the input that will
    /// run; must be quick. A change of the context is not honoured from a call that declares something. A panic counts
    /// as `None`.
    fn resources(&self, _input: &Self::Input, _context: &Context) -> Option<Resources> {
        None
    }

    /// Whether this call only reads.
    fn is_read_only(&self, _input: &Self::Input) -> bool {
        false
    }

    /// Whether this call destroys what cannot be brought back.
    fn is_destructive(&self, _input: &Self::Input) -> bool {
        false
    }

    /// Whether changing files is what this call is for (the `acceptEdits` mode lets it through).
    fn edits_files(&self, _input: &Self::Input) -> bool {
        false
    }

    /// Whether a person must answer whatever rules, hooks and modes say.
    fn requires_interaction(&self, _input: &Self::Input) -> bool {
        false
    }

    /// Whether a failure of this call makes the calls beside it pointless, so that they are cancelled.
    fn failure_cancels_siblings(&self, _input: &Self::Input) -> bool {
        false
    }

    /// Whether an interruption by the person stops the call; otherwise it is waited for.
    fn stops_on_interrupt(&self, _input: &Self::Input) -> bool {
        true
    }

    /// Whether an input that fits the schema makes sense.
    fn validate_input(&self, _input: &Self::Input, _ctx: &CallContext) -> impl Future<Output = Validation> + Send {
        std::future::ready(Validation::Pass)
    }

    /// What rule contents are matched against.
    fn permission_subject(&self, _input: &Self::Input, _ctx: &CallContext) -> CallSubject {
        CallSubject::None
    }

    /// The tool's own check; by default the rules decide.
    fn check_permissions(&self, _input: &Self::Input, _ctx: &CallContext) -> impl Future<Output = OwnCheck> + Send {
        std::future::ready(OwnCheck::Pass)
    }

    /// Warnings for the person about what this call may destroy. Information only.
    fn destructive_warnings(&self, _input: &Self::Input) -> Vec<String> {
        Vec::new()
    }

    /// What a classifier reads. Empty means that no classifier may approve the call.
    fn classifier_input(&self, _input: &Self::Input) -> String {
        String::new()
    }

    /// The name for people; the input is missing where it did not fit the schema.
    fn user_facing_name(&self, _input: Option<&Self::Input>) -> String {
        self.name().to_owned()
    }

    /// Does the work. Must stop soon after `ctx.cancel` fires; what it leaves behind then is its own business.
    ///
    /// # Errors
    /// Whatever goes wrong, as data for the model.
    fn call(
        &self,
        input: &Self::Input,
        ctx: &CallContext,
    ) -> impl Future<Output = Result<ToolOutput<Self::Output>, ToolError>> + Send;

    /// What the model reads of an output.
    fn result_content(&self, output: &Self::Output) -> Vec<ContentBlock>;

    /// Completes an input for observers (for example absolute paths). What the model sees stays untouched.
    fn backfill_observable_input(&self, _input: &mut Value, _context: &Context) {}

    /// Shows a call.
    fn render_use(&self, input: &Self::Input) -> RenderNode {
        RenderNode::title(self.user_facing_name(Some(input)))
    }

    /// Shows a result.
    fn render_result(&self, _input: &Self::Input, output: &Self::Output) -> RenderNode {
        let mut blocks = self.result_content(output);
        match blocks.as_mut_slice() {
            [ContentBlock::Text(only)] => RenderNode::text(std::mem::take(only)),
            blocks => {
                let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
                RenderNode::text(texts.join("\n"))
            }
        }
    }

    /// Shows that the person refused the call.
    fn render_rejected(&self, _input: &Self::Input) -> RenderNode {
        RenderNode::error(format!("{} was refused", self.name()))
    }

    /// Shows a failure.
    fn render_error(&self, message: &str) -> RenderNode {
        RenderNode::error(message)
    }

    /// Shows several calls of this tool as one; `None` shows each by itself.
    fn render_grouped(&self, _inputs: &[&Self::Input]) -> Option<RenderNode> {
        None
    }

    /// The text that [`Tool::render_result`] makes visible, for search.
    fn extract_search_text(&self, input: &Self::Input, output: &Self::Output) -> String {
        self.render_result(input, output).to_plain_text()
    }
}

/// An input that passed the schema: as the model wrote it, as it was coerced, and as the tool's own type.
#[derive(Clone)]
pub struct ToolInput {
    /// After coercion.
    pub value: Arc<Value>,
    typed: Arc<dyn Any + Send + Sync>,
}

impl ToolInput {
    /// Puts one together.
    pub fn new(value: Arc<Value>, typed: Arc<dyn Any + Send + Sync>) -> Self {
        Self { value, typed }
    }

    fn typed<T: 'static>(&self) -> Option<&T> {
        self.typed.downcast_ref()
    }
}

impl std::fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ToolInput").field(&self.value).finish()
    }
}

/// An output with its type erased, still able to say everything about itself.
pub trait DynData: Send + Sync {
    /// What the model reads.
    fn content(&self) -> Vec<ContentBlock>;
    /// What hooks and hosts see.
    fn structured(&self) -> Value;
    /// What is shown.
    fn render(&self) -> RenderNode;
    /// The text of what is shown.
    fn search_text(&self) -> String;
}

/// The output of a call with its type erased.
pub type DynOutput = ToolOutput<Box<dyn DynData>>;

/// A tool with its types erased: what the registry, the pool and the pipeline hold. Made by [`erase`] from a [`Tool`]
/// or by a [`crate::ToolBuilder`] from host functions. The methods mean what those of [`Tool`] mean.
#[expect(missing_docs, reason = "each method is documented under the same name at Tool")]
pub trait DynTool: Send + Sync {
    fn name(&self) -> &str;
    fn aliases(&self) -> Vec<&str>;
    fn description(&self) -> &str;
    fn prompt(&self) -> Cow<'_, str>;
    fn input_schema(&self) -> &InputSchema;
    fn max_result_size(&self) -> ResultLimit;
    fn should_defer(&self) -> bool;
    fn search_hint(&self) -> &str;
    fn is_enabled(&self) -> bool;
    /// Coerces, validates and types an input.
    ///
    /// # Errors
    /// If it does not fit, in words for the model.
    fn parse_input(&self, raw: &Value) -> Result<ToolInput, InputError>;
    fn is_concurrency_safe(&self, input: &ToolInput) -> bool;
    fn resources(&self, input: &ToolInput, context: &Context) -> Option<Resources>;
    fn is_read_only(&self, input: &ToolInput) -> bool;
    fn is_destructive(&self, input: &ToolInput) -> bool;
    fn edits_files(&self, input: &ToolInput) -> bool;
    fn requires_interaction(&self, input: &ToolInput) -> bool;
    fn failure_cancels_siblings(&self, input: &ToolInput) -> bool;
    fn stops_on_interrupt(&self, input: &ToolInput) -> bool;
    fn validate_input<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, Validation>;
    fn permission_subject(&self, input: &ToolInput, ctx: &CallContext) -> CallSubject;
    fn check_permissions<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, OwnCheck>;
    fn destructive_warnings(&self, input: &ToolInput) -> Vec<String>;
    fn classifier_input(&self, input: &ToolInput) -> String;
    fn user_facing_name(&self, input: Option<&ToolInput>) -> String;
    fn call<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, Result<DynOutput, ToolError>>;
    fn backfill_observable_input(&self, input: &mut Value, context: &Context);
    fn render_use(&self, input: &ToolInput) -> RenderNode;
    fn render_rejected(&self, input: &ToolInput) -> RenderNode;
    fn render_error(&self, message: &str) -> RenderNode;
    fn render_grouped(&self, inputs: &[&ToolInput]) -> Option<RenderNode>;
}

/// Erases the types of a tool. Its schema is compiled here, once.
pub fn erase<T: Tool>(tool: T) -> Arc<dyn DynTool> {
    let schema = InputSchema::new(tool.input_schema());
    Arc::new(Erased { tool: Arc::new(tool), schema })
}

struct Erased<T: Tool> {
    tool: Arc<T>,
    schema: InputSchema,
}

struct TypedData<T: Tool> {
    tool: Arc<T>,
    input: Arc<dyn Any + Send + Sync>,
    output: T::Output,
}

impl<T: Tool> DynData for TypedData<T> {
    fn content(&self) -> Vec<ContentBlock> {
        self.tool.result_content(&self.output)
    }
    fn structured(&self) -> Value {
        serde_json::to_value(&self.output).unwrap_or(Value::Null)
    }
    fn render(&self) -> RenderNode {
        match self.input.downcast_ref::<T::Input>() {
            Some(input) => self.tool.render_result(input, &self.output),
            None => RenderNode::error(FOREIGN_INPUT),
        }
    }
    fn search_text(&self) -> String {
        match self.input.downcast_ref::<T::Input>() {
            Some(input) => self.tool.extract_search_text(input, &self.output),
            None => String::new(),
        }
    }
}

/// An input of one tool was handed to another: a bug of the caller, answered as data like everything else.
const FOREIGN_INPUT: &str = "the input was parsed by another tool";

impl<T: Tool> Erased<T> {
    /// Asks the tool about an input; a foreign input or a panic gets the careful answer.
    fn ask<R>(&self, input: &ToolInput, careful: R, question: impl FnOnce(&T, &T::Input) -> R) -> R {
        let Some(typed) = input.typed::<T::Input>() else { return careful };
        guarded(|| question(&self.tool, typed)).unwrap_or(careful)
    }
}

/// Runs code of the tool's author; `None` if it panics.
fn guarded<R>(code: impl FnOnce() -> R) -> Option<R> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(code)).ok()
}

impl<T: Tool> DynTool for Erased<T> {
    fn name(&self) -> &str {
        self.tool.name()
    }
    fn aliases(&self) -> Vec<&str> {
        self.tool.aliases().to_vec()
    }
    fn description(&self) -> &str {
        self.tool.description()
    }
    fn prompt(&self) -> Cow<'_, str> {
        self.tool.prompt()
    }
    fn input_schema(&self) -> &InputSchema {
        &self.schema
    }
    fn max_result_size(&self) -> ResultLimit {
        self.tool.max_result_size()
    }
    fn should_defer(&self) -> bool {
        self.tool.should_defer()
    }
    fn search_hint(&self) -> &str {
        self.tool.search_hint()
    }
    fn is_enabled(&self) -> bool {
        guarded(|| self.tool.is_enabled()).unwrap_or(false)
    }
    fn parse_input(&self, raw: &Value) -> Result<ToolInput, InputError> {
        let mut value = self.schema.check(self.tool.name(), raw)?;
        let typed = match T::Input::deserialize(value.as_ref()) {
            Ok(typed) => typed,
            Err(first) => {
                // JSON Schema takes 3.0 for an integer, the types do not.
                crate::schema::write_whole_numbers_as_integers(value.to_mut());
                T::Input::deserialize(value.as_ref())
                    .map_err(|_| InputError::new(format!("{} cannot use this input: {first}", self.tool.name())))?
            }
        };
        Ok(ToolInput::new(Arc::new(value.into_owned()), Arc::new(typed)))
    }
    fn is_concurrency_safe(&self, input: &ToolInput) -> bool {
        self.ask(input, false, T::is_concurrency_safe)
    }
    fn resources(&self, input: &ToolInput, context: &Context) -> Option<Resources> {
        self.ask(input, None, |tool, typed| tool.resources(typed, context))
    }
    fn is_read_only(&self, input: &ToolInput) -> bool {
        self.ask(input, false, T::is_read_only)
    }
    fn is_destructive(&self, input: &ToolInput) -> bool {
        self.ask(input, true, T::is_destructive)
    }
    fn edits_files(&self, input: &ToolInput) -> bool {
        self.ask(input, false, T::edits_files)
    }
    fn requires_interaction(&self, input: &ToolInput) -> bool {
        self.ask(input, true, T::requires_interaction)
    }
    fn failure_cancels_siblings(&self, input: &ToolInput) -> bool {
        self.ask(input, false, T::failure_cancels_siblings)
    }
    fn stops_on_interrupt(&self, input: &ToolInput) -> bool {
        self.ask(input, true, T::stops_on_interrupt)
    }
    fn validate_input<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, Validation> {
        match input.typed::<T::Input>() {
            Some(typed) => self.tool.validate_input(typed, ctx).boxed(),
            None => {
                std::future::ready(Validation::Reject { message: FOREIGN_INPUT.to_owned(), code: u32::MAX }).boxed()
            }
        }
    }
    fn permission_subject(&self, input: &ToolInput, ctx: &CallContext) -> CallSubject {
        // Not guarded here: a tool that cannot say what it is about to touch must not pass for one that touches
        // nothing, so the permission stage catches the panic and asks.
        match input.typed::<T::Input>() {
            Some(typed) => self.tool.permission_subject(typed, ctx),
            None => CallSubject::None,
        }
    }
    fn check_permissions<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, OwnCheck> {
        match input.typed::<T::Input>() {
            Some(typed) => self.tool.check_permissions(typed, ctx).boxed(),
            None => std::future::ready(OwnCheck::Pass).boxed(),
        }
    }
    fn destructive_warnings(&self, input: &ToolInput) -> Vec<String> {
        self.ask(input, Vec::new(), T::destructive_warnings)
    }
    fn classifier_input(&self, input: &ToolInput) -> String {
        self.ask(input, String::new(), T::classifier_input)
    }
    fn user_facing_name(&self, input: Option<&ToolInput>) -> String {
        guarded(|| self.tool.user_facing_name(input.and_then(ToolInput::typed::<T::Input>)))
            .unwrap_or_else(|| self.tool.name().to_owned())
    }
    fn call<'a>(&'a self, input: &'a ToolInput, ctx: &'a CallContext) -> BoxFuture<'a, Result<DynOutput, ToolError>> {
        async move {
            let Some(typed) = input.typed::<T::Input>() else { return Err(ToolError::failed(FOREIGN_INPUT)) };
            let output = self.tool.call(typed, ctx).await?;
            let data = TypedData { tool: Arc::clone(&self.tool), input: Arc::clone(&input.typed), output: output.data };
            Ok(ToolOutput {
                data: Box::new(data) as Box<dyn DynData>,
                is_error: output.is_error,
                new_messages: output.new_messages,
                context_change: output.context_change,
            })
        }
        .boxed()
    }
    fn backfill_observable_input(&self, input: &mut Value, context: &Context) {
        self.tool.backfill_observable_input(input, context);
    }
    fn render_use(&self, input: &ToolInput) -> RenderNode {
        self.ask(input, None, |tool, typed| Some(tool.render_use(typed)))
            .unwrap_or_else(|| RenderNode::title(self.tool.name()))
    }
    fn render_rejected(&self, input: &ToolInput) -> RenderNode {
        self.ask(input, None, |tool, typed| Some(tool.render_rejected(typed)))
            .unwrap_or_else(|| RenderNode::error(self.tool.name()))
    }
    fn render_error(&self, message: &str) -> RenderNode {
        guarded(|| self.tool.render_error(message)).unwrap_or_else(|| RenderNode::error(message))
    }
    fn render_grouped(&self, inputs: &[&ToolInput]) -> Option<RenderNode> {
        let typed: Option<Vec<&T::Input>> = inputs.iter().map(|input| input.typed()).collect();
        let typed = typed?;
        guarded(|| self.tool.render_grouped(&typed)).flatten()
    }
}
