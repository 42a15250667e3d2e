//! From what a model sends to complete blocks: `sse` cuts bytes into events, `anthropic` assembles the events of the
//! Anthropic Messages API. Work is linear in the bytes, however small the pieces are.

mod anthropic;
mod sse;

pub use anthropic::{Assembled, MessageAssembler};
pub use sse::{SseDecoder, SseError};
