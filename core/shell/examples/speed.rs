//! Measures the analysis: the mean time of the benign rows, and the time and growth of texts that are made to be slow.
//!
//! `speed` prints a table: each family at 9.9, 50 and 100 kB in milliseconds (the best of five), and how the last
//! doubling grew. `speed --instructions FAMILY BYTES` analyses one such text once, for an instruction counter.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "an example is a program, the library is not"
)]

use std::hint::black_box;
use std::time::Instant;

use toolreeve_shell::{Shell, analyze};

/// A text of about so many bytes.
enum Family {
    /// This, again and again.
    Repeat(&'static str),
    /// A start, this again and again, an end.
    Within(&'static str, &'static str, &'static str),
    /// A start, an opening again and again, a middle, as many closings, an end.
    Nest(&'static str, &'static str, &'static str, &'static str, &'static str),
    /// One piece for every number, with `#` for the number.
    Numbered(&'static str),
}

impl Family {
    fn text(&self, bytes: usize) -> String {
        match self {
            Self::Repeat(piece) => piece.repeat(bytes / piece.len()),
            Self::Within(start, piece, end) => format!("{start}{}{end}", piece.repeat(bytes / piece.len())),
            Self::Nest(start, open, middle, close, end) => {
                let count = bytes / (open.len() + close.len());
                format!("{start}{}{middle}{}{end}", open.repeat(count), close.repeat(count))
            }
            Self::Numbered(piece) => {
                let mut text = String::with_capacity(bytes + piece.len());
                let mut number = 0;
                while text.len() < bytes {
                    text.push_str(&piece.replace('#', &number.to_string()));
                    number += 1;
                }
                text
            }
        }
    }
}

const FAMILIES: &[(&str, Family)] = &[
    ("semicolons", Family::Repeat("echo a;")),
    ("and", Family::Within("echo a", " && echo a", "")),
    ("pipes", Family::Within("cat", " | cat", "")),
    ("substitutions", Family::Nest("echo ", "$(echo ", "x", ")", "")),
    ("open substitutions", Family::Within("echo ", "$(echo ", "")),
    ("subshells", Family::Nest("", "( ", "x", " )", "")),
    ("single quotes", Family::Within("echo '", "a b ", "'")),
    ("double quotes", Family::Within("echo \"", "a b ", "\"")),
    ("open quotes", Family::Within("echo \"", "a b ", "")),
    ("backslashes", Family::Within("echo ", "\\", "")),
    ("assignments", Family::Within("", "a=b ", "ls")),
    ("nested braces", Family::Nest("echo ", "{a,", "b", "}", "")),
    ("braces", Family::Within("echo ", "{a,b}", "")),
    ("here-documents", Family::Numbered("cat <<E#\nx\nE#\n")),
    ("open here-documents", Family::Within("cat", " <<E", "\n")),
    ("parameters", Family::Nest("echo ", "${a:-", "x", "}", "")),
    ("backticks", Family::Within("echo ", "`a` ", "")),
    ("ifs", Family::Nest("", "if true; then ", "x", "; fi", "")),
    ("arithmetic", Family::Nest("echo $((", "(", "1", ")", "))")),
    ("dollars", Family::Within("echo ", "$", "")),
    ("inputs", Family::Within("cat ", "<", "")),
    ("outputs", Family::Within("cat ", "> a ", "")),
    ("words", Family::Within("echo ", "w ", "")),
    ("tests", Family::Repeat("[")),
    ("double tests", Family::Repeat("[[ ")),
    ("patterns", Family::Repeat("x) ")),
    ("cases", Family::Nest("", "case a in a) ", "x", ";; esac", "")),
    ("quoted substitutions", Family::Repeat("echo \"$(")),
    ("process substitutions", Family::Repeat("<(")),
    ("wrappers", Family::Repeat("sudo ")),
    ("env wrappers", Family::Repeat("env A=b ")),
    ("nested find", Family::Repeat("find . -exec ")),
    ("variables", Family::Repeat("\"$f\" ")),
    ("links", Family::Repeat("ln -s a b;")),
    ("numbered links", Family::Numbered("ln -s a# b#;")),
    ("moves", Family::Repeat("cd a || ")),
    ("numbered moves", Family::Numbered("cd a# || ")),
    ("scripts", Family::Repeat("sh -c 'rm x';")),
    ("piped scripts", Family::Repeat("echo rm x | sh;")),
    ("loops", Family::Repeat("for f in a b; do rm $f; done;")),
    ("nested loops", Family::Nest("", "for f in a b; do ", "rm $f", "; done", "")),
    ("values", Family::Within("a=b;", "a=$a$a;", "rm $a")),
    ("numbered values", Family::Numbered("a#=b; rm $a#;")),
    ("one value", Family::Within("a=b;", "rm $a;", "")),
    ("removals", Family::Within("rm", " a", "")),
    ("removal of braces", Family::Within("rm ", "{a,b}", "")),
    ("removal commands", Family::Repeat("rm a b;")),
    ("writes", Family::Repeat("echo a > b;")),
    ("numbered commands", Family::Numbered("cat file# > out#;")),
    ("sed scripts", Family::Within("sed -n '", "1p;", "' f")),
    ("awk scripts", Family::Within("awk '", "{print}", "' f")),
    ("evals", Family::Repeat("eval 'echo a';")),
    ("xargs", Family::Repeat("xargs ")),
    ("piped xargs", Family::Repeat("find a | xargs rm;")),
    ("comments", Family::Repeat("# it's\n")),
    ("lines", Family::Repeat("a\n")),
    ("escapes", Family::Within("echo $'", "\\x41", "'")),
    ("multibyte", Family::Within("echo ", "é", "")),
    ("functions", Family::Numbered("f#() { rm a; };")),
    ("function calls", Family::Within("f() { rm a; };", "f;", "")),
    ("git", Family::Repeat("git log -p;")),
    ("arrays", Family::Within("a=(", "b ", ")")),
    ("databases", Family::Within("psql -c '", "drop;", "'")),
];

/// The lengths that are measured; the last is twice the one before.
const SIZES: [usize; 3] = [9_900, 50_000, 100_000];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--instructions", name, bytes] => {
            let family = FAMILIES.iter().find(|family| family.0 == *name).ok_or("there is no such family")?;
            let text = family.1.text(bytes.parse()?);
            black_box(analyze(black_box(&text), Shell::Bash));
        }
        names => {
            benign()?;
            println!("{:24} {:>9} {:>9} {:>9} {:>6}", "ms", "9.9 kB", "50 kB", "100 kB", "growth");
            for (name, family) in FAMILIES.iter().filter(|family| names.is_empty() || names.contains(&family.0)) {
                let [small, half, full] = SIZES.map(|bytes| best(&family.text(bytes)));
                println!("{name:24} {small:9.2} {half:9.2} {full:9.2} {:6.2}", full / half);
            }
        }
    }
    Ok(())
}

/// The best of five runs, in milliseconds.
fn best(text: &str) -> f64 {
    let once = || {
        let start = Instant::now();
        black_box(analyze(black_box(text), Shell::Bash));
        start.elapsed().as_secs_f64() * 1e3
    };
    // What takes this long is not run again.
    let mut least = once();
    for _ in 1..5 {
        if least < 300.0 {
            least = least.min(once());
        }
    }
    least
}

fn benign() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/bash/benign.jsonl");
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<serde_json::Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let commands: Vec<&str> = rows.iter().filter_map(|row| row["command"].as_str()).collect();
    let rounds = 20;
    let start = Instant::now();
    for _ in 0..rounds {
        for command in &commands {
            black_box(analyze(black_box(command), Shell::Bash));
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / (rounds * commands.len()) as f64;
    println!("{} benign rows: {each:.1} µs each", commands.len());
    Ok(())
}
