//! All processes of one command: its group, and those that left it. Each carries a variable of the command in its
//! environment, by which it is found wherever it went.

use std::hash::{BuildHasher, RandomState};
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

/// The name of the variable.
pub(super) const MARK: &str = "TOOLREEVE_CALL";

/// How often what is left of a command is looked for.
#[cfg(target_os = "linux")]
const MAX_LOOKS: usize = 4;

/// A value that no other command has.
pub(super) fn new_mark() -> String {
    let random = RandomState::new();
    format!("{:016x}{:016x}", random.hash_one(0), random.hash_one(1))
}

/// The processes of a command. Its leader must not be waited for while signals are sent: until then the number of the
/// group cannot be given to another.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    /// `NAME=value`, as it stands in the environment.
    mark: String,
    /// Processes outside of the group that were seen before: their parents may be gone since.
    #[cfg(target_os = "linux")]
    seen: Mutex<Vec<linux::Identity>>,
}

impl Tree {
    pub(super) fn new(leader: Pid, mark: &str) -> Self {
        Self {
            leader,
            mark: format!("{MARK}={mark}"),
            #[cfg(target_os = "linux")]
            seen: Mutex::default(),
        }
    }

    /// Asks everything to end.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
        // A stopped process hears the request only once it goes on.
        self.signal(Signal::CONT);
    }

    /// Ends everything. Some of it may not be gone yet when this returns.
    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Kills what is left after the leader was waited for. A group that still has members keeps its number, and the others
    /// are told by their mark.
    pub(super) fn kill_left_over(&self) {
        if self.has_group() {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
        #[cfg(target_os = "linux")]
        for _ in 0..MAX_LOOKS {
            let left = linux::marked(self.mark.as_bytes());
            if left.is_empty() {
                break;
            }
            // And once more, for what forked while it was looked for.
            for process in left {
                process.identity.signal(Signal::KILL);
            }
        }
    }

    /// Whether nothing is left but what waits to be reaped.
    pub(super) fn is_gone(&self) -> bool {
        self.leader_has_exited() && !self.has_members()
    }

    /// Whether the group has any process, the leader included as long as it was not waited for.
    pub(super) fn has_group(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }

    fn leader_has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that it was waited for.
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    fn signal(&self, signal: Signal) {
        // Looked for before the group is signalled: when a parent dies, its children can no longer be told by it.
        #[cfg(target_os = "linux")]
        let outsiders = self.members().into_iter().filter(|process| !process.is_in(self.leader));
        // Fails if nothing is left, which is the goal.
        let _ = kill_process_group(self.leader, signal);
        #[cfg(target_os = "linux")]
        for process in outsiders {
            process.identity.signal(signal);
        }
    }

    #[cfg(target_os = "linux")]
    fn members(&self) -> Vec<linux::Process> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let members = linux::members(self.leader, self.mark.as_bytes(), &seen);
        *seen = members.iter().map(|process| process.identity).collect();
        members
    }

    #[cfg(target_os = "linux")]
    fn has_members(&self) -> bool {
        !self.members().is_empty()
    }

    #[cfg(not(target_os = "linux"))]
    fn has_members(&self) -> bool {
        self.has_group()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! Looking through `/proc`.

    use std::collections::HashMap;

    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

    /// A process, told from a later one with the same number by when it started.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Identity {
        pid: i32,
        started: u64,
    }

    /// A living process.
    pub(super) struct Process {
        pub(super) identity: Identity,
        parent: i32,
        group: i32,
        is_marked: bool,
    }

    /// The processes that carry the mark.
    pub(super) fn marked(mark: &[u8]) -> Vec<Process> {
        processes(mark).into_values().filter(|process| process.is_marked).collect()
    }

    /// All living processes but the host, by number.
    fn processes(mark: &[u8]) -> HashMap<i32, Process> {
        let host = std::process::id().cast_signed();
        let mut processes = HashMap::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            if pid != host
                && let Some(process) = look_at(pid, mark)
            {
                processes.insert(pid, process);
            }
        }
        processes
    }

    /// The processes that are in the group, carry the mark, were seen before, or descend from one of these.
    pub(super) fn members(group: Pid, mark: &[u8], seen: &[Identity]) -> Vec<Process> {
        let group = group.as_raw_nonzero().get();
        let mut processes = processes(mark);
        let descends = |pid: i32| {
            let mut at = pid;
            // A chain longer than the number of processes would be a circle, read while it changed.
            for _ in 0..=processes.len() {
                match processes.get(&at) {
                    Some(process)
                        if process.is_marked || process.group == group || seen.contains(&process.identity) =>
                    {
                        return true;
                    }
                    Some(process) => at = process.parent,
                    None => return false,
                }
            }
            false
        };
        let ours: Vec<i32> = processes.keys().copied().filter(|pid| descends(*pid)).collect();
        ours.iter().filter_map(|pid| processes.remove(pid)).collect()
    }

    impl Process {
        pub(super) fn is_in(&self, group: Pid) -> bool {
            self.group == group.as_raw_nonzero().get()
        }
    }

    impl Identity {
        /// Signals the process, unless its number went to another since it was seen.
        pub(super) fn signal(&self, signal: Signal) {
            let Some(pid) = Pid::from_raw(self.pid) else { return };
            match pidfd_open(pid, PidfdFlags::empty()) {
                Ok(handle) => {
                    // The handle cannot change what it stands for: what is seen now is what is signalled.
                    if look_at(self.pid, b"").is_some_and(|now| now.identity == *self) {
                        // Fails if it is gone, which is the goal.
                        let _ = pidfd_send_signal(handle, signal);
                    }
                }
                // A kernel without such handles.
                Err(rustix::io::Errno::NOSYS) => {
                    let _ = kill_process(pid, signal);
                }
                // It is gone.
                Err(_) => {}
            }
        }
    }

    /// What `/proc` says of a process; `None` if it is gone or only waits to be reaped.
    fn look_at(pid: i32, mark: &[u8]) -> Option<Process> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may hold anything; behind it come state, parent, group and, as the 20th, the start.
        let behind = stat.get(memchr::memrchr(b')', &stat)? + 1..)?;
        let fields: Vec<&str> = std::str::from_utf8(behind).ok()?.split_ascii_whitespace().collect();
        let [state, parent, group, ..] = fields[..] else { return None };
        if matches!(state, "Z" | "X") {
            return None;
        }
        Some(Process {
            identity: Identity { pid, started: fields.get(19)?.parse().ok()? },
            parent: parent.parse().ok()?,
            group: group.parse().ok()?,
            is_marked: !mark.is_empty() && is_marked(pid, mark),
        })
    }

    fn is_marked(pid: i32, mark: &[u8]) -> bool {
        // Processes of other users cannot be looked into; they cannot be signalled either.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == mark)
    }
}
