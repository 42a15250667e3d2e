//! Reads command texts as JSON strings, one a line, and prints the analysis of each as one line of JSON. The soundness
//! oracle drives it; an argument `zsh` or `sh` chooses another shell than bash.
#![allow(clippy::disallowed_methods, reason = "an example is a program, the library is not")]

use std::io::{BufRead, Write};

use toolreeve_shell::{Shell, analyze};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shell = match std::env::args().nth(1).as_deref() {
        Some("zsh") => Shell::Zsh,
        Some("sh") => Shell::Sh,
        _ => Shell::Bash,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let command: String = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &analyze(&command, shell))?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}
