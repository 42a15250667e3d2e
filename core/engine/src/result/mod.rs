//! Stage 6: from an output to the block that the model reads, within the three limits of seeds 4.8: one for a single
//! result, an absolute one, and one for all results of a message. Characters are counted, as the seeds do.

mod budget;
mod spill;

pub use budget::apply_message_budget;
pub use spill::{SpillNote, spill_if_large};
pub(crate) use spill::{is_large, spill_text};

/// A single result above this many characters goes to a file, whatever the tool declares.
pub const DEFAULT_MAX_RESULT_CHARS: usize = 50_000;
/// No result is larger than this many characters (100,000 tokens of four characters), not even that of a tool that
/// limits itself.
pub const ABSOLUTE_MAX_RESULT_CHARS: usize = 400_000;
/// All results of one message together.
pub const MAX_MESSAGE_RESULT_CHARS: usize = 200_000;
/// How much of a spilled result the model still sees, in bytes, cut at a character.
pub const PREVIEW_BYTES: usize = 2_000;
