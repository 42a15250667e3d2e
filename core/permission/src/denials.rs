//! Repeated denials. Owns the counting of what was denied how often in a row, the text that tells the model to try
//! something else instead of asking again, and when the auto mode gives up its classifier for the person.

use std::collections::HashMap;

/// So many denials of the same kind in a row give guidance.
pub const DENIALS_BEFORE_GUIDANCE: u32 = 3;

/// So many blocks of the classifier in a row make the auto mode ask the person again.
pub const AUTO_BLOCKS_IN_A_ROW: u32 = 3;

/// So many blocks of the classifier in all make the auto mode ask the person again.
pub const AUTO_BLOCKS_IN_ALL: u32 = 20;

/// So many kinds are remembered; the one denied least recently is forgotten first.
const MAX_KINDS: usize = 1_000;

/// Counts denials by tool and command pattern.
///
/// ```
/// use toolreeve_permission::DenialTracker;
///
/// let mut denials = DenialTracker::default();
/// assert!(denials.denied("Bash", Some("git push")).is_none());
/// assert!(denials.denied("Bash", Some("git push")).is_none());
/// let guidance = denials.denied("Bash", Some("git push")).unwrap();
/// assert!(guidance.contains("git push"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct DenialTracker {
    counts: HashMap<(String, String), (u32, u64)>,
    step: u64,
    consecutive: u32,
    total: u32,
}

impl DenialTracker {
    /// Notes a denial. `pattern` is what makes two calls of a tool alike: the prefix or the program of a command, the path
    /// of a file tool. From the third in a row on, the answer is guidance for the model.
    pub fn denied(&mut self, tool: &str, pattern: Option<&str>) -> Option<String> {
        self.step += 1;
        self.consecutive = self.consecutive.saturating_add(1);
        self.total = self.total.saturating_add(1);
        let key = (tool.to_owned(), pattern.unwrap_or("").to_owned());
        if !self.counts.contains_key(&key) && self.counts.len() >= MAX_KINDS {
            let oldest = self.counts.iter().min_by_key(|(_, (_, step))| *step).map(|(key, _)| key.clone());
            oldest.map(|oldest| self.counts.remove(&oldest));
        }
        let entry = self.counts.entry(key).or_insert((0, 0));
        *entry = (entry.0.saturating_add(1), self.step);
        let count = entry.0;
        (count >= DENIALS_BEFORE_GUIDANCE).then(|| guidance(tool, pattern, count))
    }

    /// Notes that a call of this kind was allowed: its row of denials ends.
    pub fn allowed(&mut self, tool: &str, pattern: Option<&str>) {
        self.consecutive = 0;
        self.counts.remove(&(tool.to_owned(), pattern.unwrap_or("").to_owned()));
    }

    /// Whether no kind of call has a row of denials: there is nothing that an allowed call could end.
    pub fn is_clear(&self) -> bool {
        self.counts.is_empty()
    }

    /// Denials since the last call that was allowed, of whatever kind.
    pub fn consecutive(&self) -> u32 {
        self.consecutive
    }

    /// All denials.
    pub fn total(&self) -> u32 {
        self.total
    }
}

/// Counts what the classifier of the auto mode blocked. While it pauses, the person is asked instead; their approval
/// resumes it.
///
/// ```
/// use toolreeve_permission::AutoModeBlocks;
///
/// let mut blocks = AutoModeBlocks::default();
/// assert!(!blocks.blocked() && !blocks.blocked());
/// assert!(blocks.blocked(), "the third in a row");
/// assert!(blocks.is_paused());
/// blocks.approved();
/// assert!(!blocks.is_paused());
/// ```
#[derive(Debug, Clone, Default)]
pub struct AutoModeBlocks {
    in_a_row: u32,
    in_all: u32,
    paused: bool,
}

impl AutoModeBlocks {
    /// Notes that the classifier blocked a call. The answer is whether the auto mode pauses from here on, this call
    /// included.
    pub fn blocked(&mut self) -> bool {
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.in_all = self.in_all.saturating_add(1);
        if self.in_all >= AUTO_BLOCKS_IN_ALL {
            // The total begins anew with the pause that it caused, or the next block would pause again.
            self.in_all = 0;
            self.paused = true;
        }
        self.paused |= self.in_a_row >= AUTO_BLOCKS_IN_A_ROW;
        self.paused
    }

    /// Notes that the classifier let a call through.
    pub fn let_through(&mut self) {
        self.in_a_row = 0;
    }

    /// Notes that the person approved a call: the pause ends.
    pub fn approved(&mut self) {
        self.in_a_row = 0;
        self.paused = false;
    }

    /// Whether the person is asked instead of the classifier.
    pub fn is_paused(&self) -> bool {
        self.paused
    }
}

fn guidance(tool: &str, pattern: Option<&str>, count: u32) -> String {
    let what = match pattern {
        Some(pattern) if !pattern.is_empty() => format!("{tool} with `{pattern}`"),
        _ => tool.to_owned(),
    };
    format!(
        "{what} was refused {count} times in a row. Asking again will not change that: take another way that does not need \
         it, or tell the user what you need and why."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_apart_and_an_allow_ends_a_row() {
        let mut denials = DenialTracker::default();
        for _ in 0..2 {
            assert_eq!(denials.denied("Bash", Some("git push")), None);
            assert_eq!(denials.denied("Bash", Some("npm publish")), None);
        }
        denials.allowed("Bash", Some("git push"));
        assert_eq!((denials.consecutive(), denials.total()), (0, 4));
        assert_eq!(denials.denied("Bash", Some("git push")), None);
        assert!(denials.denied("Bash", Some("npm publish")).is_some());
        assert!(denials.denied("Bash", Some("npm publish")).unwrap().contains("4 times"));
    }

    #[test]
    fn the_auto_mode_pauses_at_its_limits_and_resumes() {
        let mut blocks = AutoModeBlocks::default();
        for _ in 0..(AUTO_BLOCKS_IN_ALL - 1) {
            assert!(!blocks.blocked());
            blocks.let_through();
        }
        assert!(blocks.blocked(), "the twentieth in all");
        blocks.let_through();
        assert!(blocks.is_paused(), "only a person ends the pause");
        blocks.approved();
        assert!(!blocks.blocked() && !blocks.blocked() && blocks.blocked());
    }

    #[test]
    fn memory_is_bounded() {
        let mut denials = DenialTracker::default();
        for at in 0..(MAX_KINDS * 2) {
            denials.denied("Bash", Some(&at.to_string()));
        }
        assert_eq!(denials.counts.len(), MAX_KINDS);
        assert_eq!(denials.total() as usize, MAX_KINDS * 2);
    }
}
