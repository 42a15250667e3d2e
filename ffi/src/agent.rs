//! The life of an agent and of its runs.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_char;
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolreeve::bridge::{Bridge, BridgedAgent};
use toolreeve::engine::{Event, ToolResult};

use crate::callbacks::Callbacks;
use crate::error::{Failure, toolreeve_error};
use crate::guard::guard;
use crate::handle::Table;
use crate::status::toolreeve_status;
use crate::text::{Out, text};

/// A conversation with tools, with threads of its own. All its functions may be called from any thread at any time,
/// also from callbacks; once it is freed they return `TOOLREEVE_STATUS_INVALID_HANDLE`. Agents know nothing of each
/// other.
pub struct toolreeve_agent {
    _opaque: [u8; 0],
}

static AGENTS: Table<Shared> = Table::new(3);

/// The results of a `call`, once they are there.
pub(crate) type Results = Arc<Mutex<Option<Vec<ToolResult>>>>;

/// All there is to an agent. Lives until it is freed and the last call on it has returned.
pub(crate) struct Shared {
    /// Taken when the agent is freed, which stops everything at once.
    agent: Mutex<Option<Arc<BridgedAgent>>>,
    pub(crate) bridge: Bridge,
    pub(crate) callbacks: Callbacks,
    /// Events without a callback, with their runs.
    pub(crate) events: Mutex<VecDeque<(u64, Event)>>,
    pub(crate) results: Mutex<HashMap<u64, Results>>,
    /// Whether some thread is in `dispatch`.
    pub(crate) dispatching: AtomicBool,
    freed: AtomicBool,
}

impl Shared {
    pub(crate) fn new(agent: BridgedAgent, callbacks: Callbacks) -> Self {
        Self {
            bridge: agent.bridge().clone(),
            agent: Mutex::new(Some(Arc::new(agent))),
            callbacks,
            events: Mutex::default(),
            results: Mutex::default(),
            dispatching: AtomicBool::new(false),
            freed: AtomicBool::new(false),
        }
    }

    /// The agent, unless it was freed in the meantime.
    pub(crate) fn agent(&self) -> Result<Arc<BridgedAgent>, Failure> {
        lock(&self.agent).clone().ok_or_else(|| Failure::state(toolreeve_status::INVALID_HANDLE))
    }

    pub(crate) fn is_freed(&self) -> bool {
        self.freed.load(Ordering::Acquire)
    }

    fn free(&self) {
        self.freed.store(true, Ordering::Release);
        let agent = lock(&self.agent).take();
        // Stops the runs and what they started, unless another thread is in the middle of a call; then that thread
        // does it when the call returns.
        drop(agent);
        // Wakes whoever waits.
        self.bridge.close();
    }
}

/// Locks, whatever became of the last one who did: every state under these locks is whole at all times.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives an agent its handle.
pub(crate) fn keep(shared: Shared) -> *mut toolreeve_agent {
    AGENTS.insert(shared)
}

/// The agent of a handle.
pub(crate) fn find(agent: *const toolreeve_agent) -> Result<Arc<Shared>, Failure> {
    AGENTS.get(agent)
}

/// Frees an agent: stops its runs, kills what they started, and finalizes its callbacks. From then on its handle is
/// invalid; callbacks that other threads are in the middle of end as usual, no further one is called. May be called
/// from a callback. Takes at most about two seconds. In a forked child it does nothing (`TOOLREEVE_STATUS_FORKED`). NULL
/// is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_free(agent: *mut toolreeve_agent) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        if !agent.is_null() {
            AGENTS.remove(agent)?.free();
        }
        Ok(())
    })
}

/// The descriptor that is readable while `toolreeve_agent_dispatch` has something to do. For poll, epoll, GLib, Qt,
/// libuv: watch it, never read it, never close it. It is closed when the agent is freed, so stop watching before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_fd(agent: *const toolreeve_agent, fd: *mut i32) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(fd, "fd")?;
        out.write(find(agent)?.bridge.fd().as_raw_fd());
        Ok(())
    })
}

/// Waits until `toolreeve_agent_dispatch` has something to do or an event waits to be taken, at most for so many
/// milliseconds; a negative number waits without end. For programs without a loop of their own. Returns
/// `TOOLREEVE_STATUS_OK`, `TOOLREEVE_STATUS_TIMEOUT`, or `TOOLREEVE_STATUS_INTERRUPTED` after a signal; if the agent is freed
/// meanwhile, `TOOLREEVE_STATUS_INVALID_HANDLE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_wait(agent: *const toolreeve_agent, timeout_ms: i64) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let shared = find(agent)?;
        if !lock(&shared.events).is_empty() {
            return Ok(());
        }
        let timeout = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
        let has_something = match shared.bridge.wait(timeout) {
            Ok(has_something) => has_something,
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                return Err(Failure::state(toolreeve_status::INTERRUPTED));
            }
            Err(error) => return Err(Failure::new(toolreeve_status::IO, error.to_string())),
        };
        if shared.is_freed() {
            Err(Failure::state(toolreeve_status::INVALID_HANDLE))
        } else if has_something {
            Ok(())
        } else {
            Err(Failure::state(toolreeve_status::TIMEOUT))
        }
    })
}

/// Begins to work on a prompt and returns at once. The run's events carry its number; the last one is `done`. Runs of
/// one agent wait for each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_run(
    agent: *const toolreeve_agent,
    prompt: *const c_char,
    prompt_length: usize,
    run_id: *mut u64,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(run_id, "run_id")?;
        // SAFETY: the caller's promise about texts.
        let prompt = unsafe { text(prompt, prompt_length, "prompt") }?;
        out.write(find(agent)?.agent()?.run(prompt)?);
        Ok(())
    })
}

/// Goes on with a conversation whose last run ended as `deferred`: calls whose approvals are answered now run or are
/// refused, and the model is asked again once none waits any more. Events and end as of `toolreeve_agent_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_resume(
    agent: *const toolreeve_agent,
    run_id: *mut u64,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(run_id, "run_id")?;
        out.write(find(agent)?.agent()?.resume()?);
        Ok(())
    })
}

/// Stops a run as the person would: running calls are cancelled, each request of the model still gets its result, and
/// the conversation stays valid. Returns at once; `done` follows. `TOOLREEVE_STATUS_NOT_WANTED` if it is not under way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_interrupt(agent: *const toolreeve_agent, run_id: u64) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        if find(agent)?.agent()?.interrupt(run_id) { Ok(()) } else { Err(Failure::state(toolreeve_status::NOT_WANTED)) }
    })
}
