//! The cost of one decision against few and many rules. The analysis of the command is made before: it is the shell
//! crate's to measure.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::json;
use toolreeve_permission::{Access, Behavior, OwnCheck, Policy, Query, RuleSource, Subject, evaluate};
use toolreeve_shell::{Shell, analyze};

/// A policy with so many rules, spread over behaviours, tools and sources.
fn policy(rules: usize) -> Policy {
    let root = PathBuf::from("/home/u/project");
    let mut policy =
        Policy { cwd: root.clone(), project_root: root, home: Some(PathBuf::from("/home/u")), ..Policy::default() };
    let sources = [
        RuleSource::UserSettings,
        RuleSource::ProjectSettings,
        RuleSource::LocalSettings,
        RuleSource::FlagSettings,
        RuleSource::PolicySettings,
        RuleSource::CliArg,
        RuleSource::Command,
        RuleSource::Session,
    ];
    for at in 0..rules {
        let behavior = [Behavior::Allow, Behavior::Ask, Behavior::Deny][at % 3];
        let text = match at % 5 {
            0 => format!("Bash(tool{at}:*)"),
            1 => format!("Bash(tool{at} run *)"),
            2 => format!("Read(./dir{at}/**)"),
            3 => format!("Edit(file{at}.txt)"),
            _ => format!("WebFetch(domain:host{at}.test)"),
        };
        let _ = policy.add(behavior, &text, sources[at % sources.len()]);
    }
    for rule in ["Bash(npm test:*)", "Edit(./src/**)"] {
        let _ = policy.add(Behavior::Allow, rule, RuleSource::Session);
    }
    policy
}

fn decide(criterion: &mut Criterion) {
    let command = "cd src && npm test -- --watch=false | tail -20";
    let analysis = analyze(command, Shell::Bash);
    let input = json!({"command": command});
    let path = Path::new("/home/u/project/src/main.rs");
    let calls = [
        ("command", "Bash", Subject::Command(&analysis)),
        ("path", "Edit", Subject::Path { path, real: path, access: Access::Write }),
        ("host", "WebFetch", Subject::Text("docs.example.com")),
    ];
    for (name, tool, subject) in calls {
        let mut group = criterion.benchmark_group(name);
        for rules in [10, 1_000, 10_000] {
            let policy = policy(rules);
            let query = Query {
                tool,
                input: &input,
                subject,
                read_only: false,
                edits_files: name == "path",
                requires_interaction: false,
                hook: None,
                own: OwnCheck::Pass,
            };
            group.bench_function(BenchmarkId::from_parameter(rules), |bench| {
                bench.iter(|| evaluate(black_box(&policy), black_box(&query)));
            });
        }
        group.finish();
    }
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("10000", |bench| bench.iter(|| policy(black_box(10_000))));
    group.finish();
}

criterion_group!(benches, decide);
criterion_main!(benches);
