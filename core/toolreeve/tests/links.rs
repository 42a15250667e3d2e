//! Commands in folders with symbolic links: what leads out of the working directory is asked about, whatever way the
//! command goes, and nothing else is.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;
use toolreeve::permission::{
    Behavior, Decision, OwnCheck, PermissionMode, Policy, Query, ReasonKind, RuleSource, Subject, evaluate,
};
use toolreeve::shell::{Shell, analyze};

struct Folder {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

/// A project `p` with links that stay inside of it and, where `leaks` says so, links that lead out.
fn folder(leaks: bool) -> Folder {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let root = top.join("p");
    for folder in ["p/src/deep", "p/lib", "p/bin", "p/conf", "o/inner", "p/node_modules/.bin", "p/node_modules/a"] {
        std::fs::create_dir_all(top.join(folder)).unwrap();
    }
    for file in ["p/src/a.rs", "p/src/deep/b.rs", "p/lib/c.py", "p/x.md", "p/f", "p/conf/.env", "o/o", "o/inner/s"] {
        std::fs::write(top.join(file), "text\n").unwrap();
    }
    std::fs::write(root.join("node_modules/a/cli.js"), "text\n").unwrap();
    symlink("../a/cli.js", root.join("node_modules/.bin/a")).unwrap();
    symlink("src", root.join("code")).unwrap();
    symlink("conf/.env", root.join("settings")).unwrap();
    if leaks {
        symlink("../o", root.join("lout")).unwrap();
        symlink("../o/o", root.join("lf")).unwrap();
        symlink("../../../o/o", root.join("src/deep/leak.txt")).unwrap();
        symlink("/etc", root.join("lib/etc")).unwrap();
        symlink("../../o/new", root.join("bin/f")).unwrap();
    }
    Folder { _dir: dir, root }
}

impl Folder {
    fn judge(&self, mode: PermissionMode, rules: &[(Behavior, &str)], command: &str) -> Decision {
        let mut policy = Policy {
            cwd: self.root.clone(),
            project_root: self.root.clone(),
            home: Some(PathBuf::from("/home/u")),
            mode,
            links: toolreeve::files::links::resolver(),
            ..Policy::default()
        };
        for (behavior, rule) in rules {
            policy.add(*behavior, rule, RuleSource::UserSettings).unwrap();
        }
        let analysis = analyze(command, Shell::Bash);
        let input = json!({"command": command});
        let query = Query {
            tool: "Bash",
            input: &input,
            subject: Subject::Command(&analysis),
            read_only: analysis.read_only,
            edits_files: false,
            requires_interaction: false,
            hook: None,
            own: OwnCheck::Pass,
        };
        evaluate(&policy, &query)
    }

    fn check(&self, mode: PermissionMode, rules: &[(Behavior, &str)], commands: &[(&str, Behavior)]) {
        let wrong: Vec<String> = commands
            .iter()
            .filter_map(|(command, expected)| {
                let got = self.judge(mode, rules, command);
                (got.behavior != *expected).then(|| format!("{command}: {got:?}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), commands.len(), wrong.join("\n"));
    }
}

/// Commands that read outside in a folder with leaks, and stay inside in one without.
const THROUGH_LINKS: [&str; 42] = [
    "cat */o",
    "head -5 */*",
    "cat lf*",
    "cat l?",
    "cat [l]f",
    "wc -l */deep/*",
    "md5sum src/*/*.txt",
    "grep -n x */*",
    "grep -r x *",
    "grep -r x */",
    "ls l*/",
    "ls -R */",
    "stat -L l*",
    "du -s ./*/",
    "cat < lf",
    "for f in l*; do cat \"$f\"; done",
    "for d in */; do ls \"$d/inner\"; done",
    "cd src && cat deep/*",
    "(cd src; cat */leak.txt)",
    "find . -name '*.txt' | xargs cat",
    "find src -name '*.txt' -print0 | xargs -0 cat",
    "git ls-files | xargs cat",
    "ls | xargs cat",
    "ls | grep l | xargs head",
    "grep -R x .",
    "grep -Rn x src",
    "grep --dereference-recursive x",
    "egrep -R x src/deep",
    "rg -L x",
    "rg --follow x src",
    "ag -f x",
    "find -L . -name s",
    "find src -follow",
    "find -L . -type f | xargs cat",
    "ls -LR",
    "ls -lL src/deep",
    "du -L .",
    "tree -l",
    "fd -L x",
    "diff -r src lib",
    "diff src/deep lib",
    "sort lib/*/passwd",
];

#[test]
fn links_that_lead_out_are_asked_about() {
    let leaking = folder(true);
    for mode in [PermissionMode::Default, PermissionMode::Plan, PermissionMode::AcceptEdits] {
        for command in THROUGH_LINKS {
            let got = leaking.judge(mode, &[], command);
            assert_eq!(got.behavior, Behavior::Ask, "{command}: {got:?}");
            assert_eq!(got.reason.kind, ReasonKind::OutsideDirectory, "{command}: {got:?}");
        }
    }
    let got = leaking.judge(PermissionMode::Default, &[], "cat */o");
    assert!(got.reason.message.contains("/p/lout leads to "), "{}", got.reason.message);
}

#[test]
fn an_ordinary_folder_is_not_asked_about() {
    let plain = folder(false);
    for mode in [PermissionMode::Default, PermissionMode::Plan] {
        for command in THROUGH_LINKS {
            let got = plain.judge(mode, &[], command);
            assert_eq!(got.behavior, Behavior::Allow, "{command}: {got:?}");
        }
    }
}

#[test]
fn what_does_not_meet_the_links_is_not_asked_about() {
    folder(true).check(
        PermissionMode::Default,
        &[],
        &[
            ("cat src/*.rs", Behavior::Allow),
            ("cat code/*.rs", Behavior::Allow),
            ("cat */*.rs", Behavior::Allow),
            ("cat **/*.rs", Behavior::Allow),
            ("ls src/*/", Behavior::Allow),
            ("grep -n x *.md", Behavior::Allow),
            ("grep -r x .", Behavior::Allow),
            ("grep -r x src", Behavior::Allow),
            ("grep -R x conf", Behavior::Allow),
            ("ls -R", Behavior::Allow),
            ("ls -la", Behavior::Allow),
            ("find . -name '*.rs'", Behavior::Allow),
            ("du -sh .", Behavior::Allow),
            ("rg x", Behavior::Allow),
            ("rg -l x | xargs head -1", Behavior::Allow),
            ("grep -rl x . | xargs wc -l", Behavior::Allow),
            ("find . -type f -name '*.txt' | xargs cat", Behavior::Allow),
            ("find . -name '*.txt' -o -type f | xargs cat", Behavior::Ask),
            ("cat nothing*", Behavior::Allow),
            ("cat .e*", Behavior::Allow),
            ("cat .*", Behavior::Ask),
            ("diff src/a.rs lib/c.py", Behavior::Allow),
        ],
    );
}

#[test]
fn writing_through_links_is_asked_about() {
    let rows = |outside: Behavior| -> Vec<(&str, Behavior)> {
        vec![
            ("cp f l?ut/o", outside),
            ("cp x.md lout*", outside),
            ("touch ./*/o", outside),
            ("mv x.md l?ut", outside),
            ("sed -i s/a/b/ ./*/*/leak.txt", outside),
            ("rm l*/o", outside),
            ("rm -r ./*/inner", outside),
            ("cp f bin", outside),
            ("cp f x.md bin", outside),
            ("cp -t bin f", outside),
            ("cp -r ./bin lib", Behavior::Allow),
            ("cp lib/c.py bin", Behavior::Allow),
            ("touch src/*.rs", Behavior::Allow),
            ("rm src/deep/*", Behavior::Allow),
            ("rm -r src/de*", Behavior::Allow),
            ("cp src/*.rs bin", Behavior::Allow),
            ("cp src/* bin", outside),
        ]
    };
    folder(true).check(PermissionMode::AcceptEdits, &[], &rows(Behavior::Ask));
    folder(false).check(PermissionMode::AcceptEdits, &[], &rows(Behavior::Allow));
}

#[test]
fn rules_hold_where_links_and_patterns_lead() {
    let plain = folder(false);
    let deny = [(Behavior::Deny, "Read(conf/.env)")];
    plain.check(
        PermissionMode::Default,
        &deny,
        &[
            ("cat settings", Behavior::Deny),
            ("cat s*s", Behavior::Deny),
            ("cat set*", Behavior::Deny),
            ("cat */.env", Behavior::Ask),
            ("cat conf/.e*", Behavior::Ask),
            ("rg -L x", Behavior::Deny),
            ("grep -R x .", Behavior::Deny),
            ("grep -r x .", Behavior::Ask),
            ("grep -r x src", Behavior::Allow),
            ("rg x", Behavior::Allow),
            ("cat *.md", Behavior::Allow),
            ("cat src/*", Behavior::Allow),
            ("ls | xargs cat", Behavior::Deny),
        ],
    );
    let everything = [(Behavior::Allow, "Bash"), (Behavior::Deny, "Edit(./conf/**)")];
    plain.check(
        PermissionMode::Default,
        &everything,
        &[("cp f settings", Behavior::Deny), ("touch s*s", Behavior::Deny), ("touch src/*", Behavior::Allow)],
    );
    // A rule that lets a command read anything, or one for where the link leads, answers the question.
    let leaking = folder(true);
    let outside = leaking.root.parent().unwrap().join("o");
    let read = format!("Read(/{}/**)", outside.display());
    leaking.check(
        PermissionMode::Default,
        &[(Behavior::Allow, &read)],
        &[("cat lo*/o", Behavior::Allow), ("cat lib/*/passwd", Behavior::Ask)],
    );
    let asked = leaking.judge(PermissionMode::Default, &[], "cat lo*/o");
    assert_eq!(asked.suggestions, [format!("Read(/{})", outside.display())]);
    leaking.check(PermissionMode::Default, &[(Behavior::Allow, "Bash(cat:*)")], &[("cat */o", Behavior::Allow)]);
}

#[test]
fn a_folder_that_is_too_large_to_look_through_is_asked_about() {
    let plain = folder(false);
    let many = plain.root.join("many");
    std::fs::create_dir(&many).unwrap();
    // A link costs more than a file, so it takes fewer of them.
    for number in 0..5_001 {
        symlink("x", many.join(number.to_string())).unwrap();
    }
    let got = plain.judge(PermissionMode::Default, &[], "cat many/*");
    assert_eq!(got.behavior, Behavior::Ask);
    assert!(got.reason.message.contains("could be looked at"), "{}", got.reason.message);
    assert_eq!(plain.judge(PermissionMode::Default, &[], "cat many/1*").behavior, Behavior::Allow);
}
