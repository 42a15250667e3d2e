//! The bridge to hosts in other languages: what the library wants of the host (open a model stream, run a host-written
//! tool, ask the person, hear an event) waits in one queue behind one pollable descriptor. The host's own loop watches
//! the descriptor, takes many requests per wake-up on a thread of its choice, and answers each when it likes, from any
//! thread. No thread of the library ever enters the host, so there is no lock of the host to wait for and nothing that
//! the end of an interpreter can break.
//!
//! `queue` is the queue, `callbacks` the engine's callbacks on top of it, `agent` an agent that is configured by JSON
//! and driven through the queue, `answers` reads what hosts answer in JSON. Python and C are thin over this.

mod agent;
pub mod answers;
mod callbacks;
mod queue;

pub use agent::{AgentConfig, BridgeError, BridgedAgent, HookSpec, HostToolSpec, RuleLists};
pub use queue::{Bridge, HostRequest, RequestId};
