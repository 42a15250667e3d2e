//! Whatever can go wrong with a hook: none loses a decision, keeps the call waiting beyond its time, takes memory without
//! end or leaves a process.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{World, one};

/// A variable in the environment of whatever the hooks of a test start, and the processes that carry it.
struct Marked(String);

impl Marked {
    fn new() -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        Self(format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    fn processes(&self) -> Vec<String> {
        let entry = format!("HOOK_TEST={}", self.0).into_bytes();
        let carries = |process: &Path| {
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|own| own == entry)
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let ours = all.filter(|process| carries(process));
        ours.map(|process| std::fs::read_to_string(process.join("stat")).unwrap_or_default())
            .filter(|stat| !stat.is_empty() && !stat.contains(") Z "))
            .collect()
    }

    /// A killed process may take a moment to vanish.
    async fn assert_none(&self, what: &str) {
        let begun = Instant::now();
        while !self.processes().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{what} left {:?}", self.processes());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// How a guard that goes wrong ends: `"runs"`, `"asks"`, or what the model reads of the denial.
async fn guard(handler: &Value) -> (String, Vec<String>) {
    let marked = Marked::new();
    let mut world = World::new(1, "hi");
    world.person.refuses = true;
    let agent = world.builder(&one("PreToolUse", handler.clone())).env("HOOK_TEST", &marked.0).allow("Work");
    let agent = agent.build().unwrap();
    world.play(&agent).await;
    marked.assert_none(&handler.to_string()).await;
    let (text, is_error) = world.result();
    let asked = world.person.asked.lock().unwrap();
    let end = match (is_error, asked.first()) {
        (false, _) => "runs".to_owned(),
        (true, Some(question)) => format!("asks: {}", question.title),
        (true, None) => text,
    };
    (end, world.failures())
}

fn shell(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

#[tokio::test]
async fn a_guard_that_fails_follows_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("plain.sh");
    std::fs::write(&plain, "#!/bin/sh\nexit 2\n").unwrap();
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
    let broken = dir.path().join("broken");
    std::fs::write(&broken, "#!/nonexistent/interpreter\n").unwrap();
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).unwrap();
    let exec = |program: &Path| json!({"type": "command", "command": program, "args": []});
    let quick = |command: &str| json!({"type": "command", "command": command, "timeout": 0.2});
    // The guard, how it ends, and what the person is told.
    let rows = [
        (quick("sleep 600"), "runs", "it took longer than 0.2 s"),
        (quick("trap '' TERM; sleep 600 & wait; sleep 600"), "runs", "it took longer than 0.2 s"),
        (quick("setsid sleep 600 & sleep 600"), "runs", "it took longer than 0.2 s"),
        (shell("no-such-program-at-all"), "runs", "exit code 127"),
        (exec(Path::new("no-such-program-at-all")), "runs", "there is no program \"no-such-program-at-all\" on PATH"),
        (exec(&dir.path().join("none")), "runs", "there is no program"),
        (exec(&plain), "runs", "is not executable; run `chmod +x` on it"),
        (shell(plain.to_str().unwrap()), "runs", "exit code 126"),
        // In words of the system, or of the shell that starts it where there is a terminal.
        (exec(&broken), "runs", "broken"),
        (shell("echo '{\"decision\":'"), "runs", "its output is not JSON"),
        (shell("printf '{\"decision\": \"\\377\"}'"), "runs", "not usable"),
        (shell("kill -KILL $$"), "asks: Work: a PreToolUse hook failed: it was ended by a signal", ""),
        (
            shell("echo why >&2; kill -SEGV $$"),
            "asks: Work: a PreToolUse hook failed: it was ended by a signal: why",
            "",
        ),
        // What it leaves behind keeps nobody waiting, whether it holds the output open or has a session of its own.
        (shell("sleep 600 & exit 0"), "runs", ""),
        (shell("(setsid sleep 600 >/dev/null 2>&1 &) ; echo no >&2; exit 2"), "no", ""),
        (shell("setsid sh -c 'sleep 600 & sleep 600' & echo late; exit 0"), "runs", ""),
        // It reads nothing, or closes its input.
        (shell("exec <&-; echo blocked >&2; exit 2"), "blocked", ""),
        (shell("exit 0"), "runs", ""),
        (shell("exec >&- 2>&-; exit 2"), "blocks it and gives no reason", ""),
    ];
    for (handler, end, told) in rows {
        let (found, failures) = guard(&handler).await;
        assert!(found.contains(end), "{handler}: {found}, not {end}");
        match told {
            "" => assert!(failures.is_empty(), "{handler}: {failures:?}"),
            told => assert!(failures.len() == 1 && failures[0].contains(told), "{handler}: {failures:?}"),
        }
    }
}

#[tokio::test]
async fn output_without_end_takes_no_memory_and_loses_no_decision() {
    let much = "head -c 1000000000 /dev/zero | tr '\\0' 'x'";
    for (command, end) in [
        (format!("{much} >&2; exit 2"), "denied"),
        (format!("{much}; exit 0"), "runs"),
        (format!("printf '{{'; {much}; exit 0"), "asks: Work: a PreToolUse hook failed: its output was too large"),
    ] {
        let before = peak_memory();
        let (found, _) = guard(&shell(&command)).await;
        let grown = peak_memory().saturating_sub(before);
        assert!(found.contains(end), "{command}: {}", &found[..found.len().min(300)]);
        assert!(grown < 64 << 10, "{command}: {grown} KiB");
        assert!(found.len() < 5_000, "{command}: the model reads {} bytes", found.len());
    }
}

/// The most memory this process has had, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

#[tokio::test]
async fn a_large_input_reaches_a_hook_and_disturbs_none_that_does_not_read() {
    let text = "x".repeat(3_000_000);
    for (command, is_error) in [("wc -c > size", false), ("exit 2", true), ("head -c 10 >/dev/null", false)] {
        let world = World::new(1, &text);
        let agent = world.builder(&one("PreToolUse", shell(command))).allow("Work").build().unwrap();
        world.play(&agent).await;
        assert_eq!(world.result().1, is_error, "{command}");
        if let Ok(size) = std::fs::read_to_string(world.path().join("size")) {
            assert!(size.trim().parse::<usize>().unwrap() > 3_000_000, "{size}");
        }
    }
}

#[tokio::test]
async fn an_interrupted_run_ends_its_hooks() {
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "PostToolBatch"] {
        let marked = Marked::new();
        let world = World::new(1, "hi");
        let hooks = one(event, shell("touch begun; sleep 600"));
        let agent = world.builder(&hooks).env("HOOK_TEST", &marked.0).allow("Work").build().unwrap();
        let mut run = agent.run("go");
        while !world.path().join("begun").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        run.interrupt();
        let mut last = None;
        while let Some(event) = run.next().await {
            last = Some(event);
        }
        let subtype = serde_json::to_value(last.unwrap()).unwrap()["subtype"].clone();
        assert_eq!(subtype, "interrupted", "{event}");
        marked.assert_none(event).await;
    }
}

#[tokio::test]
async fn dropping_the_agent_ends_hooks_in_the_background() {
    let marked = Marked::new();
    let world = World::new(1, "hi");
    let hooks = one("PreToolUse", json!({"type": "command", "command": "touch begun; sleep 600", "async": true}));
    let agent = world.builder(&hooks).env("HOOK_TEST", &marked.0).allow("Work").build().unwrap();
    world.play(&agent).await;
    while !world.path().join("begun").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!marked.processes().is_empty());
    drop(agent);
    marked.assert_none("the background").await;
}

#[tokio::test]
async fn a_hook_runs_where_the_project_is_even_if_the_working_directory_is_gone() {
    let world = World::new(1, "hi");
    let sub = world.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let agent = world.builder(&one("PreToolUse", shell("pwd > where"))).allow("Work").build().unwrap();
    agent.session().update_context(|context| context.policy.cwd = sub.clone());
    std::fs::remove_dir(&sub).unwrap();
    world.play(&agent).await;
    assert_eq!(world.result().0, "worked: hi");
    let place = std::fs::read_to_string(world.path().join("where")).unwrap();
    assert_eq!(place.trim(), world.path().display().to_string());
}

/// A server on this machine that treats each connection in this way; returns its address.
fn server(answer: impl Fn(std::net::TcpStream) + Send + Sync + 'static) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap());
        }
    });
    format!("http://{address}/hook")
}

/// Reads a request to its end; gives its head and its body.
fn request(stream: &mut std::net::TcpStream) -> (String, String) {
    use std::io::Read;
    let mut text = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).unwrap();
        text.extend_from_slice(&piece[..count]);
        let whole = String::from_utf8_lossy(&text).into_owned();
        if let Some((head, body)) = whole.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
            if body.len() >= length.parse().unwrap() {
                return (head.to_owned(), body.to_owned());
            }
        }
        assert!(count > 0, "the request breaks off");
    }
}

fn says(text: &'static str) -> impl Fn(std::net::TcpStream) + Send + Sync + 'static {
    use std::io::Write;
    move |mut stream| {
        request(&mut stream);
        // It may be gone already.
        let _ = stream.write_all(text.as_bytes());
    }
}

#[tokio::test]
async fn hooks_that_are_addresses_decide_or_fail_like_programs() {
    let deny =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"decision\": \"block\", \"reason\": \"by post\"}";
    let silent = |stream: std::net::TcpStream| std::mem::forget(stream);
    let endless = |mut stream: std::net::TcpStream| {
        use std::io::Write;
        request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"a\": \"");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    };
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let http = |url: String| json!({"type": "http", "url": url, "timeout": 60});
    let rows = [
        (http(server(says(deny))), "by post", ""),
        (http(server(says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))), "runs", ""),
        (
            http(server(says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"))),
            "runs",
            "redirects are not followed",
        ),
        (http(server(says("HTTP/1.1 500 Oh\r\n\r\n{\"decision\": \"block\"}"))), "runs", "status 500"),
        (http(server(says("HTTP/1.1 200 OK\r\n\r\n{\"decision\": "))), "runs", "is not JSON"),
        (http(server(says("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{}"))), "runs", "breaks off"),
        (http(server(says("hello"))), "runs", "is not HTTP"),
        (http(server(drop)), "runs", "a PreToolUse hook: it"),
        (http(closed), "runs", "it cannot be reached"),
        (http("https://localhost/".to_owned()), "runs", "over http:// only"),
        (json!({"type": "http", "url": server(silent), "timeout": 0.2}), "runs", "longer than 0.2 s"),
        (http(server(endless)), "asks: Work: a PreToolUse hook failed: its answer was too large", ""),
    ];
    for (handler, end, told) in rows {
        let (found, failures) = guard(&handler).await;
        assert!(found.contains(end), "{handler}: {found}, not {end}");
        match told {
            "" => assert!(failures.is_empty(), "{handler}: {failures:?}"),
            told => assert!(failures.len() == 1 && failures[0].contains(told), "{handler}: {failures:?}"),
        }
    }
}

#[tokio::test]
async fn an_address_gets_the_input_and_the_headers() {
    let (sender, received) = std::sync::mpsc::channel();
    let url = server(move |mut stream| {
        use std::io::Write;
        sender.send(request(&mut stream)).unwrap();
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    let handler =
        json!({"type": "http", "url": url, "headers": {"X-Token": "is $TOKEN$OTHER"}, "allowedEnvVars": ["TOKEN"]});
    let world = World::new(1, "hi");
    let agent = world.builder(&one("PreToolUse", handler)).env("TOKEN", "t").env("OTHER", "o").allow("Work");
    world.play(&agent.build().unwrap()).await;
    let (head, body) = received.recv().unwrap();
    assert!(head.starts_with("POST /hook HTTP/1.1\r\n") && head.contains("\r\nX-Token: is t\r\n"), "{head}");
    let input: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&input["tool_name"], &input["hook_event_name"]), (&json!("Work"), &json!("PreToolUse")));
}
