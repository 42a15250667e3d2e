//! The Write tool: creates a file, or replaces all of one that the model has read.

mod permit;
mod render;
mod run;
mod schema;

use std::borrow::Cow;

use serde_json::Value;
use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, Context, RenderNode, Resources, Tool, ToolError, ToolOutput, Validation,
};

pub use schema::{WriteInput, WriteKind, WriteOutput};

use crate::files::{path, touched};

/// The tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Write;

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;

    fn name(&self) -> &str {
        "Write"
    }

    fn description(&self) -> &str {
        "Creates a file, or replaces all of its content."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md").trim_ascii())
    }

    fn search_hint(&self) -> &str {
        "create save overwrite new file content"
    }

    fn edits_files(&self, _: &WriteInput) -> bool {
        true
    }

    fn stops_on_interrupt(&self, _: &WriteInput) -> bool {
        // It takes a moment, and the answer must say whether the file was changed.
        false
    }

    fn resources(&self, input: &WriteInput, context: &Context) -> Option<Resources> {
        touched::write_file(context, &input.file_path)
    }

    async fn validate_input(&self, input: &WriteInput, ctx: &CallContext) -> Validation {
        permit::validate(input, ctx)
    }

    fn permission_subject(&self, input: &WriteInput, ctx: &CallContext) -> CallSubject {
        permit::subject(input, ctx)
    }

    fn classifier_input(&self, input: &WriteInput) -> String {
        format!("{}\n---\n{}", input.file_path, input.content)
    }

    async fn call(&self, input: &WriteInput, ctx: &CallContext) -> Result<ToolOutput<WriteOutput>, ToolError> {
        run::run(input, ctx).await.map(ToolOutput::new)
    }

    fn result_content(&self, output: &WriteOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::for_model(output))]
    }

    fn backfill_observable_input(&self, input: &mut Value, context: &Context) {
        path::backfill(input, "file_path", context);
    }

    fn render_use(&self, input: &WriteInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _: &WriteInput, output: &WriteOutput) -> RenderNode {
        render::result(output)
    }

    fn render_rejected(&self, input: &WriteInput) -> RenderNode {
        RenderNode::Group {
            children: vec![RenderNode::error(format!("Writing {} was refused", input.file_path)), render::call(input)],
        }
    }
}
