//! `toolreeve check --jsonl`: one request a line in, one answer a line out, in order. Owns the reading and writing of
//! lines; the answers come from [`crate::check`].

use std::io::{BufRead, Write};

use clap::Args;
use serde_json::json;

use super::complain;

/// The arguments of `toolreeve check`.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// Read one JSON request from each line of the standard input and write one JSON answer for each
    #[arg(long, required = true)]
    jsonl: bool,
}

/// Answers every line, bad ones with an error object. Returns the exit code: 0, or 1 if a stream broke.
pub(super) fn run(args: &CheckArgs, mut input: impl BufRead, mut output: impl Write) -> u8 {
    debug_assert!(args.jsonl, "the only form there is");
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return 0,
            Ok(_) => {}
            Err(error) => {
                complain(format!("the standard input could not be read: {error}"));
                return 1;
            }
        }
        // Each answer leaves at once: who asks may wait for it before the next request.
        let written = output.write_all(answer(&line).as_bytes()).and_then(|()| output.write_all(b"\n"));
        if let Err(error) = written.and_then(|()| output.flush()) {
            if error.kind() == std::io::ErrorKind::BrokenPipe {
                return 0;
            }
            complain(format!("the answer could not be written: {error}"));
            return 1;
        }
    }
}

fn answer(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => crate::check_json(text),
        Err(error) => {
            let message = format!("the line is not UTF-8 at byte {}", error.valid_up_to());
            json!({"error": {"kind": "invalid-json", "message": message}}).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_gets_its_answer_in_order() {
        let input: &[u8] = b"{\"id\":1,\"command\":\"ls\"}\nnot json\n\xff\xfe\n\n{\"id\":\"x\",\"command\":\"rm a\"}";
        let mut output = Vec::new();
        assert_eq!(run(&CheckArgs { jsonl: true }, input, &mut output), 0);
        let answers: Vec<serde_json::Value> =
            String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 5);
        assert_eq!((&answers[0]["id"], &answers[0]["behavior"]), (&json!(1), &json!("allow")));
        for bad in &answers[1..4] {
            assert_eq!(bad["error"]["kind"], "invalid-json");
        }
        assert_eq!((&answers[4]["id"], &answers[4]["behavior"]), (&json!("x"), &json!("ask")));
    }
}
