//! The names of all events that hooks may be declared for, and which of them a matcher can narrow.

/// What is known of one event by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventInfo {
    /// The name; case matters.
    pub name: &'static str,
    /// The field that a matcher is compared with; `None` where a matcher is ignored.
    pub matcher_field: Option<&'static str>,
    /// Whether a hook can keep what happens from going on, or tell the model that it must not have happened.
    pub can_block: bool,
}

const fn hears(name: &'static str, matcher_field: Option<&'static str>) -> EventInfo {
    EventInfo { name, matcher_field, can_block: false }
}

const fn blocks(name: &'static str, matcher_field: Option<&'static str>) -> EventInfo {
    EventInfo { name, matcher_field, can_block: true }
}

/// Every event of the public contract. Some are raised by this library, the others by hosts through
/// `HookEvent::Other`.
pub const HOOK_EVENTS: [EventInfo; 34] = [
    blocks("PreToolUse", Some("tool_name")),
    blocks("PostToolUse", Some("tool_name")),
    blocks("PostToolUseFailure", Some("tool_name")),
    blocks("PostToolBatch", None),
    hears("PermissionRequest", Some("tool_name")),
    hears("PermissionDenied", Some("tool_name")),
    blocks("UserPromptSubmit", None),
    blocks("UserPromptExpansion", Some("command_name")),
    blocks("Stop", None),
    hears("StopFailure", Some("error")),
    hears("SubagentStart", Some("agent_type")),
    blocks("SubagentStop", Some("agent_type")),
    blocks("TaskCreated", None),
    blocks("TaskCompleted", None),
    blocks("TeammateIdle", None),
    hears("SessionStart", Some("source")),
    hears("SessionEnd", Some("reason")),
    hears("Setup", Some("trigger")),
    hears("Notification", Some("notification_type")),
    blocks("PreCompact", Some("trigger")),
    hears("PostCompact", Some("trigger")),
    blocks("ConfigChange", Some("source")),
    hears("InstructionsLoaded", Some("load_reason")),
    hears("CwdChanged", None),
    hears("DirectoryAdded", Some("source")),
    hears("FileChanged", Some("file_path")),
    blocks("WorktreeCreate", None),
    hears("WorktreeRemove", None),
    blocks("Elicitation", Some("mcp_server_name")),
    blocks("ElicitationResult", Some("mcp_server_name")),
    hears("MessageDisplay", None),
    blocks("PreModelSwitch", None),
    hears("PostModelSwitch", None),
    blocks("PreSkillShellCommand", Some("tool_name")),
];

/// The event of this name, if there is one.
pub fn event_info(name: &str) -> Option<&'static EventInfo> {
    HOOK_EVENTS.iter().find(|event| event.name == name)
}

/// The name that somebody who wrote `name` most likely meant.
pub fn nearest_event(name: &str) -> &'static str {
    nearest_name(name, HOOK_EVENTS.iter().map(|event| event.name)).unwrap_or("PreToolUse")
}

/// Of these names the one that is most like `name`: one that contains it or begins it comes first.
pub fn nearest_name<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    names.into_iter().min_by_key(|known| {
        let known = known.to_lowercase();
        let is_part = wanted.len() >= 4 && known.starts_with(&wanted);
        (!is_part, edit_distance(&wanted, &known))
    })
}

/// How many letters have to be put in, taken out or replaced.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // A name as long as a book is no slip of the pen; its beginning tells as much.
    for (i, from) in a.chars().take(64).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_event_has_a_nearest_name() {
        let rows = [
            ("pretooluse", "PreToolUse"),
            ("PreToolUsed", "PreToolUse"),
            ("PostTool", "PostToolUse"),
            ("UserPrompt", "UserPromptSubmit"),
            ("onStop", "Stop"),
            ("Session-Start", "SessionStart"),
        ];
        for (written, meant) in rows {
            assert_eq!(nearest_event(written), meant, "{written}");
            assert!(event_info(written).is_none());
        }
        assert!(event_info("PreToolUse").is_some_and(|event| event.matcher_field == Some("tool_name")));
    }
}
