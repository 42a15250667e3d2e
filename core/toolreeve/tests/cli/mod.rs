//! The `toolreeve` command, run as people and programs run it. Owns how the binary is started; what is expected of each
//! sub-command is in a file of its own.

mod check;
mod hook;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the command left behind.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

/// The command with a fixed home and nothing in the environment that changes what it does.
struct Toolreeve {
    command: Command,
}

impl Toolreeve {
    fn new(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolreeve"));
        command.args(args).env_clear().env("HOME", "/home/u").current_dir("/");
        Self { command }
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    fn cwd(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    fn run(self) -> Done {
        self.input(b"")
    }

    fn input(mut self, input: &[u8]) -> Done {
        let mut child =
            self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let done = std::thread::scope(|scope| {
            // Who stops reading early closes the pipe; that is no fault of the test.
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().unwrap()
        });
        Done {
            code: done.status.code().unwrap(),
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
