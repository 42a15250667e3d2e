//! Measures the analysis of the benign rows: mean time for each, and the worst of some texts made to be slow.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "an example is a program, the library is not"
)]

use std::time::Instant;

use toolreeve_shell::{Shell, analyze};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/bash/benign.jsonl");
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<serde_json::Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let commands: Vec<&str> = rows.iter().filter_map(|row| row["command"].as_str()).collect();
    for command in &commands {
        analyze(command, Shell::Bash);
    }
    let rounds = 20;
    let start = Instant::now();
    for _ in 0..rounds {
        for command in &commands {
            std::hint::black_box(analyze(std::hint::black_box(command), Shell::Bash));
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / (rounds * commands.len()) as f64;
    println!("{} benign rows: {each:.1} µs each", commands.len());
    for piece in [
        "<",
        "$(",
        "a;",
        "a|",
        "[",
        "x) ",
        "echo \"$(",
        "<(",
        "sudo ",
        "find . -exec ",
        "\"$f\" ",
        "{a,b}",
        "ln -s a b;",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let start = Instant::now();
        std::hint::black_box(analyze(&text, Shell::Bash));
        println!("100 kB of {piece:?}: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
