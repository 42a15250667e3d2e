//! The `toolreeve` command.
fn main() {}
