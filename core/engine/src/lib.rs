//! The tool engine of a coding agent: the contract of a tool, the registry and the pool, the eight stages that every
//! call goes through, and the executors that decide when a call may start and in which order results leave.
//!
//! The crate names no concrete tool and reaches the host only through the traits in [`host`].

mod approval;
mod builder;
mod context;
mod error;
mod event;
pub mod exec;
pub mod hooks;
pub mod host;
mod message;
pub mod pipeline;
mod pool;
mod registry;
mod render;
mod resource;
pub mod result;
mod schema;
mod tool;

pub use approval::{ApprovalError, Approvals, MAX_PENDING_APPROVALS, PendingApproval};
pub use builder::{HostOutput, ToolBuilder};
pub use context::{CallContext, Context, ContextChange, Session};
pub use error::{ErrorKind, ToolError, unknown_error_class};
pub use event::{Event, EventSink};
pub use exec::batch::run_batches;
pub use exec::cancel::{CancelReason, CancelToken};
pub use exec::gate::Footprint;
pub use exec::streaming::StreamingExecutor;
pub use message::{ContentBlock, Message, Role, ToolResult, ToolUse};
pub use pipeline::{CallOutcome, Pipeline, RequestedCall};
pub use pool::{PoolOptions, ToolPool, ToolSpec, assemble_pool};
pub use registry::{Origin, Resolved, ToolRegistry};
pub use render::{Hunk, RenderNode, sanitize};
pub use resource::{ResourceKey, Resources};
pub use result::DEFAULT_MAX_RESULT_CHARS;
pub use schema::{InputError, InputSchema, Misfit, schema_of};
pub use tool::{CallSubject, DynData, DynOutput, DynTool, ResultLimit, Tool, ToolInput, ToolOutput, Validation, erase};
