//! Hooks that are addresses: the input is sent by POST, and the body of the answer is read like the stdout of a program.
//! Only an answer with a 2xx status can decide anything. Redirects are not followed: a hook's input goes where its
//! settings say and nowhere else.
//!
//! One request needs little of HTTP/1.1 (RFC 9112), so this speaks it itself, over plain TCP: addresses that begin with
//! `https://` are refused in words. The work is done on a thread for blocking work; giving the request up closes its
//! connection, and with it ends the thread's wait.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolreeve_engine::host::{HookInput, HookOutcome};

use super::exit::{Ended, broken, failure, interpret};

/// The largest answer that is read.
const MAX_ANSWER_BYTES: usize = 8 << 20;
/// The largest head of an answer.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// How long one address of a host may take to accept a connection.
const MAX_CONNECT: Duration = Duration::from_secs(30);

/// What `http` hooks may do, by the settings. `None` is no limit.
#[derive(Debug, Clone, Default)]
pub struct HttpLimits {
    /// Patterns of the addresses that may be called; `*` stands for any text.
    pub allowed_urls: Option<Vec<String>>,
    /// The variables that headers may hold, beside what each hook allows itself.
    pub allowed_env_vars: Option<Vec<String>>,
}

/// A request to make.
pub(super) struct Request<'a> {
    pub(super) url: &'a str,
    pub(super) headers: &'a [(String, String)],
    pub(super) allowed_env_vars: &'a [String],
    /// Variables on top of the process's own.
    pub(super) env: &'a [(String, String)],
    pub(super) limits: &'a HttpLimits,
}

/// Makes it. The caller sets the time limit by dropping the future.
pub(super) async fn ask(request: &Request<'_>, input: &HookInput) -> HookOutcome {
    let event = input.event.name();
    let prepared = match prepare(request, &input.to_json().to_string()) {
        Ok(prepared) => prepared,
        Err(problem) => return failure(problem),
    };
    let connection = Connection::default();
    let on_thread = connection.clone();
    let _closes_on_drop = CloseOnDrop(connection);
    let answered = tokio::task::spawn_blocking(move || exchange(&prepared, &on_thread)).await;
    match answered.unwrap_or_else(|error| Err(Failure::Other(error.to_string()))) {
        Ok(Answer { status, body }) if (200..300).contains(&status) => {
            let stdout = String::from_utf8_lossy(&body);
            interpret(event, &Ended { code: Some(0), stdout: &stdout, stderr: "", is_cut: false })
        }
        Ok(Answer { status, .. }) if (300..400).contains(&status) => {
            failure(format!("it answered with status {status}; redirects are not followed"))
        }
        Ok(Answer { status, .. }) => failure(format!("it answered with status {status}")),
        Err(Failure::TooLarge) => broken(event, "its answer was too large".to_owned()),
        Err(Failure::Other(problem)) => failure(problem),
    }
}

/// The open connection, if there is one; what was given up gets none any more.
#[derive(Clone, Default)]
struct Connection(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    stream: Option<TcpStream>,
    is_given_up: bool,
}

struct CloseOnDrop(Connection);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_given_up = true;
        if let Some(stream) = state.stream.take() {
            // Fails if the other side was quicker.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

struct Prepared {
    host: String,
    port: u16,
    bytes: Vec<u8>,
}

struct Answer {
    status: u16,
    body: Vec<u8>,
}

enum Failure {
    TooLarge,
    Other(String),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(format!("it cannot be reached: {error}"))
    }
}

fn prepare(request: &Request<'_>, body: &str) -> Result<Prepared, String> {
    let Request { url, limits, .. } = request;
    if limits.allowed_urls.as_ref().is_some_and(|patterns| !patterns.iter().any(|pattern| fits(pattern, url))) {
        return Err("the settings (allowedHttpHookUrls) do not let hooks call this address".to_owned());
    }
    let rest =
        url.strip_prefix("http://").ok_or("hooks are called over http:// only; let a local service pass it on")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let path = path.split('#').next().unwrap_or_default();
    let slash = if path.starts_with('/') { "" } else { "/" };
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if authority.is_empty() || authority.contains('@') || !is_plain(authority) || !is_plain(path) {
        return Err(format!("{url:?} is not an address of the form http://HOST:PORT/PATH"));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            (host, port.parse().map_err(|_| format!("{port:?} in {url:?} is not a port"))?)
        }
        _ => (authority, 80),
    };
    let mut head = format!("POST {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    let mut has_type = false;
    for (name, value) in request.headers {
        let value = filled_in(value, request);
        let is_token = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&byte));
        let is_safe = value.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f));
        let is_ours =
            ["host", "connection", "content-length", "transfer-encoding"].contains(&name.to_lowercase().as_str());
        if !is_token || !is_safe || is_ours {
            return Err(format!("the header {name:?} cannot be sent"));
        }
        has_type |= name.eq_ignore_ascii_case("content-type");
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !has_type {
        head.push_str("Content-Type: application/json\r\n");
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    Ok(Prepared { host: host.trim_matches(['[', ']']).to_owned(), port, bytes: head.into_bytes() })
}

/// Whether an address fits a pattern with `*`.
fn fits(pattern: &str, url: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = url.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A header with its variables: `$NAME` and `${NAME}`, if they are allowed; others are empty.
fn filled_in(value: &str, request: &Request<'_>) -> String {
    let look_up = |name: &str| {
        let is_listed = request.allowed_env_vars.iter().any(|allowed| allowed == name);
        let is_allowed = request.limits.allowed_env_vars.as_ref().is_none_or(|all| all.iter().any(|each| each == name));
        let own = request.env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        if is_listed && is_allowed {
            own.or_else(|| std::env::var(name).ok()).unwrap_or_default()
        } else {
            String::new()
        }
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        let braced = behind.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        if let Some((name, after)) = braced.filter(|(name, _)| name.chars().all(is_name)) {
            out.push_str(&look_up(name));
            rest = after;
            continue;
        }
        let end = behind.find(|c| !is_name(c)).unwrap_or(behind.len());
        if end == 0 {
            out.push('$');
        } else {
            out.push_str(&look_up(&behind[..end]));
        }
        rest = &behind[end..];
    }
    out + rest
}

fn exchange(prepared: &Prepared, connection: &Connection) -> Result<Answer, Failure> {
    let addresses = (prepared.host.as_str(), prepared.port).to_socket_addrs()?;
    let mut last = Failure::Other(format!("{} has no address", prepared.host));
    for address in addresses {
        match TcpStream::connect_timeout(&address, MAX_CONNECT) {
            Ok(stream) => return talk(stream, prepared, connection),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

fn talk(mut stream: TcpStream, prepared: &Prepared, connection: &Connection) -> Result<Answer, Failure> {
    {
        let mut state = connection.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_given_up {
            return Err(Failure::Other("it was given up".to_owned()));
        }
        state.stream = Some(stream.try_clone()?);
    }
    // A server may answer without reading everything; what it says is read all the same.
    let sent = stream.write_all(&prepared.bytes);
    let mut received = Vec::new();
    let read = (&mut stream).take(MAX_ANSWER_BYTES as u64 + 1).read_to_end(&mut received);
    if received.len() > MAX_ANSWER_BYTES {
        return Err(Failure::TooLarge);
    }
    match (parse(&received), sent.and(read.map(drop))) {
        (Some(answer), _) => Ok(answer),
        (None, Err(error)) => Err(error.into()),
        (None, Ok(())) => Err(Failure::Other("its answer is not HTTP, or breaks off".to_owned())),
    }
}

/// Reads a whole answer; `None` if it is none, or if a part of it is missing.
fn parse(received: &[u8]) -> Option<Answer> {
    let mut rest = received;
    loop {
        let at = rest.windows(4).take(MAX_HEAD_BYTES).position(|end| end == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&rest[..at]).ok()?;
        rest = &rest[at + 4..];
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let status: u16 =
            first.next().filter(|version| version.starts_with("HTTP/1.")).and(first.next())?.parse().ok()?;
        if (100..200).contains(&status) {
            continue;
        }
        let header = |name: &str| {
            let mut fields = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
            fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
        };
        let body = match (header("transfer-encoding"), header("content-length")) {
            (Some(coding), _) if coding.eq_ignore_ascii_case("chunked") => joined(rest)?,
            (_, Some(length)) => rest.get(..length.parse().ok()?)?.to_vec(),
            _ => rest.to_vec(),
        };
        return Some(Answer { status, body });
    }
}

/// The body of an answer that came in chunks.
fn joined(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let at = rest.windows(2).position(|end| end == b"\r\n")?;
        let line = std::str::from_utf8(&rest[..at]).ok()?;
        let length = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[at + 2..];
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..length)?);
        rest = rest.get(length.checked_add(2)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_in_all_their_forms() {
        let rows: [(&str, Option<(u16, &str)>); 9] = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}more", Some((200, "{}"))),
            ("HTTP/1.1 200 OK\r\n\r\n{}", Some((200, "{}"))),
            ("HTTP/1.0 204 No Content\r\n\r\n", Some((204, ""))),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx", Some((200, "x"))),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{\"\r\n3;x=y\r\na\"}\r\n0\r\n\r\n",
                Some((200, "{\"a\"}")),
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}", None),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}", None),
            ("SSH-2.0-OpenSSH\r\n\r\n", None),
            ("", None),
        ];
        for (text, expected) in rows {
            let found = parse(text.as_bytes()).map(|answer| (answer.status, String::from_utf8(answer.body).unwrap()));
            assert_eq!(found.as_ref().map(|(status, body)| (*status, body.as_str())), expected, "{text:?}");
        }
    }

    #[test]
    fn headers_hold_only_the_variables_that_are_allowed() {
        let env = [("TOKEN".to_owned(), "t".to_owned()), ("OTHER".to_owned(), "o".to_owned())];
        let limits = HttpLimits { allowed_env_vars: Some(vec!["TOKEN".to_owned()]), ..HttpLimits::default() };
        let allowed = ["TOKEN".to_owned(), "OTHER".to_owned()];
        let request = Request { url: "", headers: &[], allowed_env_vars: &allowed, env: &env, limits: &limits };
        for (value, expected) in [
            ("Bearer $TOKEN", "Bearer t"),
            ("${TOKEN}x", "tx"),
            ("$OTHER", ""),
            ("$HOME", ""),
            ("5 $", "5 $"),
            ("${a b}", "${a b}"),
        ] {
            assert_eq!(filled_in(value, &request), expected, "{value}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_called_are_refused_in_words() {
        let limits = HttpLimits {
            allowed_urls: Some(vec!["http://localhost:*".to_owned(), "https://*".to_owned()]),
            ..HttpLimits::default()
        };
        for (url, headers, problem) in [
            ("http://localhost:80/x", vec![], ""),
            ("http://elsewhere/", vec![], "allowedHttpHookUrls"),
            ("https://a/", vec![], "http:// only"),
            ("http://localhost:99999/", vec![], "is not a port"),
            ("http://localhost:80 /x", vec![], "is not an address"),
            ("http://localhost:80/x", vec![("A".to_owned(), "b\r\nC: d".to_owned())], "cannot be sent"),
            ("http://localhost:80/x", vec![("Host".to_owned(), "b".to_owned())], "cannot be sent"),
        ] {
            let request = Request { url, headers: &headers, allowed_env_vars: &[], env: &[], limits: &limits };
            let found = prepare(&request, "{}").err().unwrap_or_default();
            assert!(found.contains(problem) && found.is_empty() == problem.is_empty(), "{url}: {found}");
        }
        assert!(fits("http://*.b/*", "http://a.b/c") && !fits("http://a", "http://ab") && fits("*", ""));
    }
}
