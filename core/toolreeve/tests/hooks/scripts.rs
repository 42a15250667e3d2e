//! Scripts as people write them for the public contract, declared as people declare them.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolreeve::engine::host::HostError;
use toolreeve::hooks::{HookJudge, HookMcp, HookQuestion};

use super::{World, one, repository};

fn command(script: &str) -> Value {
    json!({"type": "command", "command": repository("tests/hooks").join(script)})
}

async fn result(hooks: &Value, text: &str) -> (String, bool, usize) {
    let world = World::new(1, text);
    let agent = world.builder(hooks).allow("Work").build().unwrap();
    world.play(&agent).await;
    assert!(world.failures().is_empty(), "{:?}", world.failures());
    let (text, is_error) = world.result();
    (text, is_error, world.person.asked.lock().unwrap().len())
}

#[tokio::test]
async fn guards_in_sh_and_python_decide() {
    for script in ["guard.sh", "guard.py"] {
        let hooks = one("PreToolUse", command(script));
        let (text, is_error, _) = result(&hooks, "production").await;
        assert!(is_error && text.contains("production"), "{script}: {text}");
        assert_eq!(result(&hooks, "home").await, ("worked: home".to_owned(), false, 0), "{script}");
    }
    let asks = one("PreToolUse", command("guard.py"));
    assert_eq!(result(&asks, "staging").await, ("worked: staging".to_owned(), false, 1));
}

#[tokio::test]
async fn a_changed_input_is_not_judged_by_the_hook_beside_it() {
    let hooks = one("PreToolUse", command("rewrite.mjs"));
    assert_eq!(result(&hooks, "production").await.0, "worked: staging");
    let both = json!({"PreToolUse": [{"matcher": "Work", "hooks": [command("rewrite.mjs"), command("guard.sh")]}]});
    let (text, is_error, _) = result(&both, "production").await;
    assert!(is_error && text.contains("hands off production"), "deny beats allow: {text}");
}

#[tokio::test]
async fn the_same_hook_runs_once_and_different_ones_run_beside_each_other() {
    // Each waits until the other has begun, so one after the other would take for ever.
    let meets = |own: &str, other: &str| {
        let text = format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo x >> ran-{own}");
        json!({"type": "command", "command": text, "timeout": 60})
    };
    let world = World::new(1, "hi");
    let hooks = json!({"PreToolUse": [
        {"matcher": "Work", "hooks": [meets("a", "b"), meets("b", "a"), meets("a", "b")]},
        {"matcher": "*", "hooks": [meets("a", "b")]},
    ]});
    let agent = world.builder(&hooks).allow("Work").build().unwrap();
    world.play(&agent).await;
    assert_eq!(world.failures(), Vec::<String>::new());
    for name in ["ran-a", "ran-b"] {
        assert_eq!(std::fs::read_to_string(world.path().join(name)).unwrap(), "x\n", "{name}");
    }
}

#[tokio::test]
async fn once_is_once_in_a_session() {
    let world = World::new(2, "hi");
    let hooks = one("PreToolUse", json!({"type": "command", "command": "echo x >> ran", "once": true}));
    let agent = world.builder(&hooks).allow("Work").build().unwrap();
    world.play(&agent).await;
    assert_eq!(std::fs::read_to_string(world.path().join("ran")).unwrap(), "x\n");
}

#[tokio::test]
async fn the_environment_is_that_of_the_contract() {
    let world = World::new(1, "hi");
    let say = "printf '%s|%s|%s|%s' \"$CLAUDE_PROJECT_DIR\" \"$PWD\" \"$OWN\" \"$1\" > said";
    let hooks = one(
        "PreToolUse",
        json!({"type": "command", "command": "sh", "args": ["-c", say, "sh", "${CLAUDE_PROJECT_DIR}/x"]}),
    );
    let agent = world.builder(&hooks).env("OWN", "own").allow("Work").build().unwrap();
    world.play(&agent).await;
    let path = world.path().display().to_string();
    let said = std::fs::read_to_string(world.path().join("said")).unwrap();
    assert_eq!(said, format!("{path}|{path}|own|{path}/x"));
}

#[tokio::test]
async fn a_hook_in_the_background_decides_nothing_and_is_heard_later() {
    let context = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "additionalContext": "found out"}}"#;
    for (declared, text) in [
        (json!({"async": true}), format!("while [ ! -e go ]; do sleep 0.01; done; echo '{context}'")),
        (json!({}), "echo '{\"async\": true}'; while [ ! -e go ]; do sleep 0.01; done; exit 3".to_owned()),
        (
            json!({"asyncRewake": true}),
            "while [ ! -e go ]; do sleep 0.01; done; echo 'found out' >&2; exit 2".to_owned(),
        ),
    ] {
        let mut handler = json!({"type": "command", "command": text});
        for (name, value) in declared.as_object().unwrap() {
            handler[name] = value.clone();
        }
        let world = World::new(1, "hi");
        let agent = world.builder(&one("PreToolUse", handler)).allow("Work").build().unwrap();
        world.play(&agent).await;
        assert_eq!(world.result(), ("worked: hi".to_owned(), false), "{text}");
        std::fs::write(world.path().join("go"), "").unwrap();
        let expects_failure = declared == json!({});
        // It is heard with a later prompt; when, nobody knows.
        for _ in 0..2_000 {
            world.play(&agent).await;
            let messages = serde_json::to_value(agent.messages().await).unwrap().to_string();
            if messages.contains("found out") || (expects_failure && !world.failures().is_empty()) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let messages = serde_json::to_value(agent.messages().await).unwrap().to_string();
        assert_eq!(messages.contains("found out"), !expects_failure, "{text}");
        assert_eq!(world.failures().len(), usize::from(expects_failure), "{:?}", world.failures());
    }
}

/// A judge and a server that keep what they were asked.
#[derive(Clone)]
struct Others {
    answer: Result<Value, String>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl HookJudge for Others {
    fn judge(&self, question: HookQuestion) -> BoxFuture<'_, Result<Value, HostError>> {
        self.asked.lock().unwrap().push(format!("{} {:?} {}", question.by_agent, question.model, question.prompt));
        std::future::ready(self.answer.clone().map_err(HostError::new)).boxed()
    }
}

impl HookMcp for Others {
    fn call(&self, server: String, tool: String, input: Value) -> BoxFuture<'_, Result<String, HostError>> {
        self.asked.lock().unwrap().push(format!("{server} {tool} {input}"));
        std::future::ready(self.answer.clone().map(|answer| answer.to_string()).map_err(HostError::new)).boxed()
    }
}

#[tokio::test]
async fn prompts_agents_and_servers_answer_hooks() {
    let prompt = json!({"type": "prompt", "prompt": "check $ARGUMENTS", "model": "m"});
    let agent_hook = json!({"type": "agent", "prompt": "look"});
    let mcp = json!({"type": "mcp_tool", "server": "s", "tool": "t", "input": {"text": "${tool_input.text}"}});
    // The hook, what answers it, what it is asked, what becomes of the call, and what the person is told.
    let rows = [
        (&prompt, Ok(json!({"ok": true})), "false Some(\"m\") check {\"session_id\"", "worked: hi", ""),
        (&prompt, Ok(json!({"ok": false, "reason": "not fine"})), "\"text\":\"hi\"", "denied: not fine", ""),
        (&prompt, Ok(json!({"fine": true})), "check", "nobody", ""),
        (&prompt, Err("no model".to_owned()), "check", "no model", ""),
        (&agent_hook, Ok(json!({"ok": false, "reason": "seen it"})), "true None look\n\n{", "denied: seen it", ""),
        (
            &mcp,
            Ok(json!({"decision": "block", "reason": "by server"})),
            "s t {\"text\":\"hi\"}",
            "denied: by server",
            "",
        ),
        (&mcp, Err("not connected".to_owned()), "s t", "worked: hi", "not connected"),
    ];
    for (handler, answer, question, result, told) in rows {
        let others = Others { answer, asked: Arc::default() };
        let mut world = World::new(1, "hi");
        world.person.refuses = true;
        let builder = world.builder(&one("PreToolUse", handler.clone())).allow("Work");
        let builder = builder.hook_judge(Arc::new(others.clone())).hook_mcp(Arc::new(others.clone()));
        world.play(&builder.build().unwrap()).await;
        let asked = others.asked.lock().unwrap();
        assert!(asked.len() == 1 && asked[0].contains(question), "{handler}: {asked:?}");
        // A guard that breaks asks the person, who refuses; the question says why.
        let titles: Vec<String> = world.person.asked.lock().unwrap().iter().map(|asked| asked.title.clone()).collect();
        let found = format!("{} {titles:?}", world.result().0);
        let is_question = result == "nobody" || result == "no model";
        assert_eq!(titles.len(), usize::from(is_question), "{handler}: {found}");
        assert!(
            found.contains(result) || (result == "nobody" && found.contains("is not {\\\"ok\\\"")),
            "{handler}: {found}"
        );
        let failures = world.failures();
        assert!(failures.len() == usize::from(!told.is_empty()) && failures.concat().contains(told), "{failures:?}");
    }
}

#[tokio::test]
async fn settings_that_disable_hooks_or_misspell_them() {
    let settings = |extra: Value| {
        let mut content = json!({"hooks": one("UserPromptSubmit", json!({"type": "command", "command": "exit 2"}))});
        content.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        toolreeve::Settings::from_content(content, None).unwrap()
    };
    for (extra, stops) in [(json!({}), true), (json!({"disableAllHooks": true}), false)] {
        let world = World::new(0, "hi");
        let builder =
            world.builder(&json!({})).settings(&settings(extra), toolreeve::permission::RuleSource::UserSettings);
        let agent = builder.build().unwrap();
        assert_eq!(agent.hook_problems(), []);
        world.play(&agent).await;
        let done = serde_json::to_value(world.events().last().unwrap()).unwrap();
        assert_eq!(done["subtype"] == "stopped_by_hook", stops, "{done}");
    }
}
