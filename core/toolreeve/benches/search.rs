//! Grep and Glob in process, next to the programs `rg` and `fd` on the same tree, where these are installed. Rounds
//! are interleaved, so that a busy machine slows all alike; each line gives the median and, in brackets, the minimum.
//!
//! Run with `cargo bench -p toolreeve --bench search [-- FOLDER]`; the default folder is the sources of cargo's
//! registry.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a bench that cannot set up must stop")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolreeve::engine::{CallContext, CancelToken, Context, DynTool, EventSink, Session, erase};
use toolreeve::tools::{glob::Glob, grep::Grep};

const ROUNDS: usize = 9;

/// One thing to measure; it answers how many results it found.
type Probe<'a> = (&'a str, Box<dyn Fn() -> u64 + 'a>);

fn main() {
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).map_or_else(registry, PathBuf::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let session = Arc::new(Session::new("bench", Context::new(&folder), folder.join("spill")));
    let call = |tool: &Arc<dyn DynTool>, input: Value| -> Value {
        let ctx = CallContext::new("bench", Arc::clone(&session), CancelToken::new(), EventSink::none());
        let input = tool.parse_input(&input).unwrap();
        runtime.block_on(tool.call(&input, &ctx)).unwrap().data.structured()
    };
    let (grep, glob) = (erase(Grep::default()), erase(Glob::default()));
    let rg = ["--hidden", "--glob=!.git", "--no-require-git", "--no-ignore-parent", "--no-messages"];
    let rg_lines = |more: &[&str]| lines_of("rg", &[&rg, more].concat(), &folder);

    println!("{}", folder.display());
    for pattern in ["TokenStream", r"fn \w+_with_\w+\(", "zzz_not_there"] {
        compare(
            &format!("lines: {pattern}"),
            &[
                ("rg -n", Box::new(|| rg_lines(&["-n", "--no-heading", pattern]))),
                (
                    "Grep content",
                    Box::new(|| {
                        let input = json!({"pattern": pattern, "output_mode": "content"});
                        call(&grep, input)["totalLines"].as_u64().unwrap()
                    }),
                ),
            ],
        );
        compare(
            &format!("files: {pattern}"),
            &[
                ("rg -l", Box::new(|| rg_lines(&["-l", pattern]))),
                (
                    "Grep files_with_matches",
                    Box::new(|| call(&grep, json!({"pattern": pattern}))["totalFiles"].as_u64().unwrap()),
                ),
            ],
        );
        compare(
            &format!("counts: {pattern}"),
            &[
                ("rg -c", Box::new(|| rg_lines(&["-c", pattern]))),
                (
                    "Grep count",
                    Box::new(|| {
                        call(&grep, json!({"pattern": pattern, "output_mode": "count"}))["totalFiles"].as_u64().unwrap()
                    }),
                ),
            ],
        );
    }
    let fd = ["fd", "fdfind"].into_iter().find(|name| is_installed(name)).unwrap_or("fd");
    compare(
        "names: *.rs",
        &[
            (fd, Box::new(|| lines_of(fd, &["-HI", "-E", ".git", "-t", "f", "-g", "*.rs"], &folder))),
            ("rg --files", Box::new(|| lines_of("rg", &["--files", "-uu", "-g", "*.rs"], &folder))),
            ("Glob", Box::new(|| call(&glob, json!({"pattern": "**/*.rs"}))["totalMatches"].as_u64().unwrap())),
        ],
    );
}

fn registry() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    home.unwrap_or_else(|| panic!("no home folder: name a folder")).join("registry/src")
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn lines_of(program: &str, args: &[&str], folder: &Path) -> u64 {
    let output = Command::new(program).args(args).arg("./").current_dir(folder).stdin(Stdio::null()).output().unwrap();
    memchr::memchr_iter(b'\n', &output.stdout).count() as u64
}

/// The processor time that this process and its ended children used so far, in ticks of 10 ms.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().unwrap()).sum()
}

fn compare(title: &str, probes: &[Probe<'_>]) {
    println!("\n{title}");
    let program = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
    let present: Vec<&Probe<'_>> =
        probes.iter().filter(|(name, _)| name.starts_with('G') || is_installed(&program(name))).collect();
    let mut times = vec![Vec::new(); present.len()];
    let mut found = vec![0; present.len()];
    let mut used = vec![0; present.len()];
    for round in 0..=ROUNDS {
        for (at, (_, probe)) in present.iter().enumerate() {
            let (begun, ticks_before) = (Instant::now(), ticks());
            found[at] = probe();
            // The first round warms the caches of the file system.
            if round > 0 {
                times[at].push(begun.elapsed());
                used[at] += ticks() - ticks_before;
            }
        }
    }
    for (at, (name, _)) in present.iter().enumerate() {
        let times = &mut times[at];
        times.sort();
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let (median, least) = (millis(times[times.len() / 2]), millis(times[0]));
        let cpu = used[at] as f64 * 10.0 / ROUNDS as f64;
        println!("  {name:<24} {median:8.1} ms [{least:.1}]  CPU {cpu:6.1} ms   {} found", found[at]);
    }
}
