//! Compilers, interpreters and tools that do their work by files and options nobody lists here; only version and help are reading.

use super::forms;
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program {
    names: &[
        "tsc",
        "eslint",
        "prettier",
        "jest",
        "webpack",
        "vite",
        "ruff",
        "mypy",
        "black",
        "java",
        "javac",
        "ruby",
        "perl",
        "php",
        "gcc",
        "g++",
        "clang",
        "clang++",
        "cc",
        "swift",
        "dotnet",
        "deno",
        "bun",
        "zig",
        "ghc",
        "lua",
        "julia",
        "elixir",
        "gem",
        "poetry",
        "conda",
        "packer",
        "psql",
        "mysql",
        "redis-cli",
        "sqlite3",
        "ffmpeg",
        "pandoc",
        "openssl",
        "rustfmt",
        "shellcheck",
        "shfmt",
        "hadolint",
        "yamllint",
    ],
    custom: Some(effects),
    ..Program::READER
};

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("tsc", words, "", &[], context)
}
