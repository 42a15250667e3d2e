//! Stage 6: from an output to the block that the model reads, within the three limits of seeds 4.8.

/// A single result above this many characters goes to a file, whatever the tool declares.
pub const DEFAULT_MAX_RESULT_CHARS: usize = 50_000;
