//! The Edit tool: replaces one exact piece of text in a file by another. The file must have been read before.

mod permit;
mod render;
mod run;
mod schema;

use std::borrow::Cow;

use serde_json::Value;
use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, Context, RenderNode, Resources, Tool, ToolError, ToolOutput, Validation,
};

pub use schema::{EditInput, EditOutput};

use crate::files::{path, touched};

/// The tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit;

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;

    fn name(&self) -> &str {
        "Edit"
    }

    fn description(&self) -> &str {
        "Replaces an exact piece of text in a file."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md").trim_ascii())
    }

    fn search_hint(&self) -> &str {
        "change modify update replace text in file"
    }

    fn edits_files(&self, _: &EditInput) -> bool {
        true
    }

    fn stops_on_interrupt(&self, _: &EditInput) -> bool {
        // It takes a moment, and the answer must say whether the file was changed.
        false
    }

    fn resources(&self, input: &EditInput, context: &Context) -> Option<Resources> {
        touched::write_file(context, &input.file_path)
    }

    async fn validate_input(&self, input: &EditInput, ctx: &CallContext) -> Validation {
        permit::validate(input, ctx)
    }

    fn permission_subject(&self, input: &EditInput, ctx: &CallContext) -> CallSubject {
        permit::subject(input, ctx)
    }

    fn classifier_input(&self, input: &EditInput) -> String {
        format!("{}\n--- old\n{}\n--- new\n{}", input.file_path, input.old_string, input.new_string)
    }

    fn user_facing_name(&self, input: Option<&EditInput>) -> String {
        input.map_or("Edit", render::verb).to_owned()
    }

    async fn call(&self, input: &EditInput, ctx: &CallContext) -> Result<ToolOutput<EditOutput>, ToolError> {
        run::run(input, ctx).await.map(ToolOutput::new)
    }

    fn result_content(&self, output: &EditOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::for_model(output))]
    }

    fn backfill_observable_input(&self, input: &mut Value, context: &Context) {
        path::backfill(input, "file_path", context);
    }

    fn render_use(&self, input: &EditInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _: &EditInput, output: &EditOutput) -> RenderNode {
        render::result(output)
    }

    fn render_rejected(&self, input: &EditInput) -> RenderNode {
        RenderNode::Group {
            children: vec![
                RenderNode::error(format!("The edit of {} was refused", input.file_path)),
                render::call(input),
            ],
        }
    }
}
