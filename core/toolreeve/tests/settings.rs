//! Settings as files: what counts, what is reported, what happens to files that are broken in every way.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolreeve::permission::{Behavior, OwnCheck, PermissionMode, Policy, Query, RuleSource, Subject, evaluate};
use toolreeve::settings::{FileState, FlagSettings, LoadedSettings, SettingSources, SettingsOptions, Severity, load};
use toolreeve::shell::{Shell, analyze};

/// A home, a project and an administrator's folder.
pub(crate) struct Place {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["home/.claude", "project/.claude", "managed"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { _dir: dir, root }
    }

    pub(crate) fn path(&self, source: RuleSource) -> PathBuf {
        self.root.join(match source {
            RuleSource::UserSettings => "home/.claude/settings.json",
            RuleSource::ProjectSettings => "project/.claude/settings.json",
            RuleSource::LocalSettings => "project/.claude/settings.local.json",
            RuleSource::PolicySettings => "managed/managed-settings.json",
            _ => "flag/settings.json",
        })
    }

    pub(crate) fn write(&self, source: RuleSource, text: &str) {
        let path = self.path(source);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn options(&self) -> SettingsOptions {
        let mut options = SettingsOptions::new(self.root.join("project"), Some(self.root.join("home")));
        options.managed_directory = Some(self.root.join("managed"));
        options.trust_workspace = true;
        options
    }

    fn load(&self) -> LoadedSettings {
        load(&self.options())
    }
}

use RuleSource::{FlagSettings as Flag, LocalSettings as Local, PolicySettings as Managed, ProjectSettings as Project};
const USER: RuleSource = RuleSource::UserSettings;

pub(crate) fn judge(policy: &Policy, command: &str) -> (Behavior, String) {
    let analysis = analyze(command, Shell::Bash);
    let input = json!({"command": command});
    let query = Query {
        tool: "Bash",
        input: &input,
        subject: Subject::Command(&analysis),
        read_only: false,
        edits_files: false,
        requires_interaction: false,
        hook: None,
        own: OwnCheck::Pass,
    };
    let decision = evaluate(policy, &query);
    (decision.behavior, decision.reason.message)
}

fn behavior(loaded: &LoadedSettings, command: &str) -> Behavior {
    judge(&loaded.policy(), command).0
}

fn state(loaded: &LoadedSettings, source: RuleSource) -> FileState {
    loaded.report.files.iter().find(|file| file.source == source).unwrap().state
}

fn problems(loaded: &LoadedSettings) -> Vec<String> {
    loaded.report.problems.iter().map(ToString::to_string).collect()
}

/// The schema beside the crate is the one of the code; `UPDATE_SETTINGS_SCHEMA=1` writes it anew.
#[test]
fn the_published_schema_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("settings.schema.json");
    let schema = serde_json::to_string_pretty(&toolreeve::settings::settings_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SETTINGS_SCHEMA").is_some() {
        fs::write(&file, &schema).unwrap();
    }
    assert!(fs::read_to_string(file).unwrap() == schema, "run this test with UPDATE_SETTINGS_SCHEMA=1 and commit");
}

#[test]
fn nothing_there_is_nothing_wrong() {
    let place = Place::new();
    let loaded = place.load();
    assert_eq!(problems(&loaded), [""; 0]);
    assert!(loaded.report.files.iter().all(|file| file.state == FileState::Missing));
    assert_eq!(behavior(&loaded, "make"), Behavior::Ask);
}

#[test]
fn rules_of_every_source_count_and_say_where_they_stand() {
    let place = Place::new();
    place.write(USER, r#"{"permissions": {"allow": ["Bash(make:*)"], "defaultMode": "plan"}}"#);
    place.write(
        Project,
        "{\r\n  // comment\r\n  \"permissions\": {\r\n    \"deny\": [\"Bash(git push:*)\",],\r\n  },\r\n}",
    );
    place.write(Local, r#"{"permissions": {"allow": ["Bash(cargo test)"], "defaultMode": "acceptEdits"}}"#);
    place.write(Managed, r#"{"permissions": {"ask": [{"rule": "Bash(make deploy)", "message": "ask Kim first"}]}}"#);
    place.write(Flag, r#"{"permissions": {"allow": ["Bash(./run)"]}}"#);
    let mut options = place.options();
    options.flag = Some(FlagSettings::File(place.path(Flag)));
    let loaded = load(&options);
    assert_eq!(problems(&loaded), [""; 0]);
    for (command, expected) in [
        ("make", Behavior::Allow),
        ("make deploy", Behavior::Ask),
        ("cargo test", Behavior::Allow),
        ("./run", Behavior::Allow),
        ("git push", Behavior::Deny),
        ("make && git push", Behavior::Deny),
    ] {
        assert_eq!(behavior(&loaded, command), expected, "{command}");
    }
    assert_eq!(loaded.mode, Some(PermissionMode::AcceptEdits), "local is stronger than user");
    assert!(judge(&loaded.policy(), "make deploy").1.contains("ask Kim first"));
    let place_of_rule = loaded.policy().deny[0].origin.clone().unwrap();
    assert_eq!((place_of_rule.line, place_of_rule.column), (4, 14));
    assert_eq!(**place_of_rule.file, *place.path(Project));
}

#[test]
fn the_host_chooses_the_sources_and_managed_settings_always_count() {
    let place = Place::new();
    for source in [USER, Project, Local, Managed] {
        place.write(source, &format!(r#"{{"permissions": {{"deny": ["Bash({source:?})"]}}}}"#));
    }
    let mut options = place.options();
    options.sources = SettingSources::from_names(&["project"]).unwrap();
    let sources: Vec<RuleSource> = load(&options).policy().deny.iter().map(|rule| rule.source).collect();
    assert_eq!(sources, [Project, Managed]);
    assert!(SettingSources::from_names(&["projekt"]).unwrap_err().contains("\"project\""));
    options.sources = SettingSources::ALL;
    options.directory_name = ".agent".to_owned();
    fs::create_dir(place.root.join("project/.agent")).unwrap();
    fs::write(place.root.join("project/.agent/settings.json"), r#"{"permissions": {"deny": ["Bash(x)"]}}"#).unwrap();
    assert_eq!(load(&options).policy().deny.len(), 2);
}

/// A text of `permissions`, what is reported (severity, key, column), and what a harmless command then gets.
type BadRule = (&'static str, &'static [(Severity, &'static str, u32)], Behavior);

#[test]
fn a_bad_rule_disables_no_other_and_a_bad_guard_asks() {
    use Severity::{Critical, Error, Warning};
    let rows: &[BadRule] = &[
        (r#"{"allow": ["Bash(make", "Bash(ok)"]}"#, &[(Error, "permissions.allow[0]", 38)], Behavior::Allow),
        (r#"{"allow": [5, "Bash(ok)"]}"#, &[(Error, "permissions.allow[0]", 28)], Behavior::Allow),
        (
            r#"{"deny": ["Bash(rm", "Bash(no)"], "allow": ["Bash(ok)"]}"#,
            &[(Critical, "permissions.deny[0]", 35)],
            Behavior::Ask,
        ),
        (r#"{"deny": ["Read(./x"], "allow": ["Bash(ok)"]}"#, &[(Critical, "permissions.deny[0]", 36)], Behavior::Allow),
        (r#"{"deny": [7], "allow": ["Bash(ok)"]}"#, &[(Critical, "permissions.deny[0]", 27)], Behavior::Ask),
        (r#"{"ask": {"a": 1}, "allow": ["Bash(ok)"]}"#, &[(Critical, "permissions.ask", 25)], Behavior::Ask),
        (r#"{"deny": "Bash(no)", "allow": ["Bash(ok)"]}"#, &[(Error, "permissions.deny", 26)], Behavior::Allow),
        (r#"["Bash(ok)"]"#, &[(Critical, "permissions", 17)], Behavior::Ask),
        (r#"{"Deny": ["Bash(no)"], "allow": ["Bash(ok)"]}"#, &[(Error, "permissions.Deny", 26)], Behavior::Allow),
        (r#"{"deny": ["bash(no)"], "allow": ["Bash(ok)"]}"#, &[(Warning, "permissions.deny[0]", 27)], Behavior::Allow),
        (r#"{"deny": ["Write(./x)"], "allow": ["Bash(ok)"]}"#, &[(Error, "permissions.deny[0]", 27)], Behavior::Allow),
        (
            r#"{"defaultMode": "sometimes", "allow": ["Bash(ok)"]}"#,
            &[(Error, "permissions.defaultMode", 33)],
            Behavior::Allow,
        ),
        (r#"{"deny": [], "deny": ["Bash(ok)"]}"#, &[(Error, "permissions.deny", 38)], Behavior::Deny),
        (r#"{"deny": ["Bash(ok)"], "deny": []}"#, &[(Error, "permissions.deny", 48)], Behavior::Deny),
        (
            r#"{"deny": [{"rule": "Bash(no)", "match": ["yes"]}], "allow": ["Bash(ok)"]}"#,
            &[(Error, "permissions.deny[0]", 27)],
            Behavior::Allow,
        ),
        (
            r#"{"deny": [{"rules": "Bash(no)"}], "allow": ["Bash(ok)"]}"#,
            &[(Critical, "permissions.deny[0]", 27)],
            Behavior::Ask,
        ),
    ];
    for (permissions, expected, answer) in rows {
        let place = Place::new();
        place.write(Project, &format!("{{\"permissions\": {permissions}}}"));
        let loaded = place.load();
        let found: Vec<(Severity, &str, u32)> = loaded
            .report
            .problems
            .iter()
            .map(|problem| (problem.severity, problem.key.as_str(), problem.column.unwrap()))
            .collect();
        assert_eq!(found, *expected, "{permissions}: {:?}", problems(&loaded));
        assert_eq!(behavior(&loaded, "ok"), *answer, "{permissions}");
    }
}

#[test]
fn switches_that_are_written_wrongly_count_as_set() {
    let place = Place::new();
    place.write(
        Managed,
        r#"{"permissions": {"disableBypassPermissionsMode": true, "disableAutoMode": 1}, "allowManagedHooksOnly": "yes",
            "env": {"A": 1, "B": ["x"], "C": "c"}, "sandbox": {"enabled": "yes", "network": {"allowedDomains": [1, "a.test"]}},
            "model": {"anything": true}}"#,
    );
    place.write(USER, r#"{"permissions": {"defaultMode": "bypassPermissions"}, "hooks": {"Stop": []}}"#);
    let loaded = place.load();
    assert!(loaded.bypass_disabled && loaded.auto_disabled);
    assert_eq!(loaded.policy().mode, PermissionMode::Default);
    assert!(!loaded.policy().bypass_available);
    assert_eq!(loaded.hooks, []);
    assert_eq!(loaded.env, [("A".to_owned(), "1".to_owned()), ("C".to_owned(), "c".to_owned())]);
    assert_eq!(loaded.merged.sandbox.enabled, None);
    assert_eq!(loaded.merged.sandbox.network.allowed_domains, ["a.test"]);
    let keys: Vec<&str> = loaded.report.problems.iter().map(|problem| problem.key.as_str()).collect();
    for key in [
        "permissions.disableBypassPermissionsMode",
        "permissions.disableAutoMode",
        "allowManagedHooksOnly",
        "env.B",
        "sandbox.enabled",
        "sandbox.network.allowedDomains[0]",
    ] {
        assert!(keys.contains(&key), "{key} in {keys:?}");
    }
    assert_eq!(keys.len(), 6, "{:?}", problems(&loaded));
    assert_eq!(loaded.merged.other["model"], json!({"anything": true}));
}

#[test]
fn managed_switches_count_in_managed_settings_only() {
    let place = Place::new();
    let switches = r#"{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(a)"]}}"#;
    place.write(USER, switches);
    assert_eq!(behavior(&place.load(), "a"), Behavior::Allow);
    assert_eq!(place.load().report.problems[0].severity, Severity::Warning);
    place.write(Managed, r#"{"allowManagedPermissionRulesOnly": true}"#);
    fs::create_dir(place.root.join("managed/managed-settings.d")).unwrap();
    fs::write(place.root.join("managed/managed-settings.d/10-b.json"), r#"{"permissions": {"allow": ["Bash(b)"]}}"#)
        .unwrap();
    let loaded = place.load();
    assert_eq!((behavior(&loaded, "a"), behavior(&loaded, "b")), (Behavior::Ask, Behavior::Allow));
    let mut policy = loaded.policy();
    policy.add(Behavior::Allow, "Bash(a)", RuleSource::Session).unwrap();
    assert_eq!(judge(&policy, "a").0, Behavior::Ask, "nor does what a person adds later");
}

#[test]
fn what_loosens_waits_for_trust() {
    let place = Place::new();
    place.write(
        Project,
        r#"{"permissions": {"allow": ["Bash(a)"], "deny": ["Bash(b)"], "additionalDirectories": ["/"],
            "defaultMode": "bypassPermissions"}, "env": {"PATH": "/evil"}, "hooks": {"Stop": [{"hooks": []}]}}"#,
    );
    let mut options = place.options();
    options.trust_workspace = false;
    let loaded = load(&options);
    assert_eq!((behavior(&loaded, "a"), behavior(&loaded, "b")), (Behavior::Ask, Behavior::Deny));
    assert_eq!(
        (loaded.mode, loaded.additional_directories.len(), loaded.env.len(), loaded.hooks.len()),
        (None, 0, 0, 0)
    );
    assert_eq!(loaded.report.problems.len(), 1);
    for word in ["allow rules", "its mode", "additional directories", "variables", "hooks"] {
        assert!(problems(&loaded)[0].contains(word), "{word}");
    }
    options.trust_workspace = true;
    let loaded = load(&options);
    assert_eq!((loaded.env.len(), loaded.hooks.len(), loaded.additional_directories.len()), (1, 1, 1));
    assert_eq!(problems(&loaded), [""; 0]);
}

#[test]
fn managed_settings_of_the_host_need_leave_of_the_administrator() {
    let place = Place::new();
    let mut options = place.options();
    options.managed = Some(json!({"permissions": {"deny": ["Bash(host)"]}}));
    assert_eq!(behavior(&load(&options), "host"), Behavior::Deny);
    place.write(Managed, "{}");
    assert_eq!(behavior(&load(&options), "host"), Behavior::Ask);
    place.write(Managed, r#"{"parentSettingsBehavior": "merge"}"#);
    assert_eq!(behavior(&load(&options), "host"), Behavior::Deny);
}

/// Breaks the file at a path; returns whether it is worth looking at (some breaks need a person without rights).
type Break = fn(&Path) -> bool;

const BREAKS: [(&str, Break, &str); 11] = [
    ("half-written", |path| fs::write(path, r#"{"permissions": {"deny": ["Bash(no"#).is_ok(), ":1:"),
    ("empty", |path| fs::write(path, "").is_ok(), "empty"),
    ("a list", |path| fs::write(path, "[]").is_ok(), "no object"),
    ("not UTF-8", |path| fs::write(path, b"{\"a\": \"\xff\"}").is_ok(), "UTF-8 at byte 7"),
    ("a directory", |path| fs::create_dir(path).is_ok(), "a directory"),
    ("a pipe", |path| std::process::Command::new("mkfifo").arg(path).status().unwrap().success(), "no stored file"),
    ("a dangling link", |path| std::os::unix::fs::symlink("nowhere.json", path).is_ok(), "does not exist"),
    ("a loop", |path| std::os::unix::fs::symlink("settings.json", path).is_ok(), "cannot be read"),
    ("100 MB", |path| fs::File::create(path).unwrap().set_len(100 << 20).is_ok(), "16 MB"),
    ("deeply nested", |path| fs::write(path, "[".repeat(1_000_000)).is_ok(), "64 levels"),
    (
        "unreadable",
        |path| {
            use std::os::unix::fs::PermissionsExt;
            fs::write(path, "{}").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            // The superuser reads everything.
            fs::File::open(path).is_err()
        },
        "cannot be read",
    ),
];

#[test]
fn what_cannot_be_read_at_the_start_makes_every_call_ask() {
    for (name, break_it, words) in BREAKS {
        let place = Place::new();
        place.write(USER, r#"{"permissions": {"allow": ["Bash(ok)"], "deny": ["Bash(no)"]}}"#);
        if !break_it(&place.path(Project)) {
            continue;
        }
        let loaded = place.load();
        assert_eq!(state(&loaded, Project), FileState::Failed, "{name}");
        assert_eq!(loaded.report.severity(), Some(Severity::Critical), "{name}");
        assert_eq!(problems(&loaded).len(), 1, "{name}");
        assert!(problems(&loaded)[0].contains(words), "{name}: {}", problems(&loaded)[0]);
        let (asked, why) = judge(&loaded.policy(), "ok");
        assert_eq!(asked, Behavior::Ask, "{name}");
        assert!(why.contains("project/.claude/settings.json"), "{name}: {why}");
        assert_eq!(behavior(&loaded, "ls"), Behavior::Ask, "{name}");
        assert_eq!(behavior(&loaded, "no"), Behavior::Deny, "{name}");
    }
}
