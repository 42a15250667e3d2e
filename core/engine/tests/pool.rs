//! The pool: what is offered, and that its first bytes never change.

use std::sync::Arc;

use serde_json::json;
use toolreeve_engine::host::ModelRequest;
use toolreeve_engine::{
    DynTool, HostOutput, Message, Origin, PoolOptions, ToolBuilder, ToolPool, ToolRegistry, assemble_pool,
};
use toolreeve_permission::{Behavior, Policy, RuleSource};

fn tool(name: &str) -> Arc<dyn DynTool> {
    let schema = json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer"}}});
    ToolBuilder::new(name, format!("About {name}."), schema).build(|_, _| async { Ok(HostOutput::text("")) })
}

fn registry(built_in: &[&str], mcp: &[&str]) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for name in mcp {
        registry.add(Origin::Mcp, tool(name));
    }
    for name in built_in {
        registry.add(Origin::BuiltIn, tool(name));
    }
    registry
}

fn names(pool: &ToolPool) -> Vec<&str> {
    pool.tools().iter().map(|tool| tool.name()).collect()
}

fn pool(built_in: &[&str], mcp: &[&str], deny: &[&str], options: PoolOptions) -> ToolPool {
    let mut policy = Policy::default();
    for rule in deny {
        policy.add(Behavior::Deny, rule, RuleSource::UserSettings).unwrap();
    }
    assemble_pool(&registry(built_in, mcp), &policy, &options)
}

const CORE: &[&str] = &["Write", "Bash", "Read", "Edit", "Glob", "Grep"];

#[test]
fn built_in_tools_come_first_each_part_sorted_by_name() {
    let pool = pool(CORE, &["mcp__b__x", "Aaa", "mcp__a__y"], &[], PoolOptions::default());
    assert_eq!(names(&pool), ["Bash", "Edit", "Glob", "Grep", "Read", "Write", "Aaa", "mcp__a__y", "mcp__b__x"]);
    assert_eq!(pool.built_in_count(), 6);
    assert!(pool.offers("mcp__a__y") && pool.offers("Bash") && !pool.offers("mcp__c__z"));
}

#[test]
fn the_request_begins_with_the_same_bytes_whatever_mcp_tools_there_are() {
    let request = |mcp: &[&str], order: &[&str]| {
        let tools = pool(order, mcp, &[], PoolOptions::default()).specs();
        let request = ModelRequest { tools, system: None, messages: vec![Message::user("hi")] };
        serde_json::to_string(&request).unwrap()
    };
    let without = request(&[], CORE);
    let prefix = without.split_once("],\"messages\"").unwrap().0;
    assert!(prefix.starts_with("{\"tools\":[{\"name\":\"Bash\"") && prefix.len() > 500, "{prefix}");
    let reversed: Vec<&str> = CORE.iter().rev().copied().collect();
    for mcp in [&["mcp__a__x"][..], &["mcp__z__x", "Aaa", "AA__first"], &["Bash", "mcp__a__x"]] {
        for order in [CORE, &reversed] {
            let with = request(mcp, order);
            assert!(with.starts_with(prefix), "{with}");
            assert!(with.as_bytes()[prefix.len()] == b',', "the rest follows behind the prefix");
        }
    }
    assert_eq!(request(&["Bash", "Read"], CORE), without, "a built-in tool wins over an MCP tool of its name");
}

#[test]
fn a_deny_rule_without_content_removes_tools() {
    let mcp = ["mcp__files__read", "mcp__files__write", "mcp__web__get"];
    let after = |deny: &[&str]| names(&pool(&["Bash", "Read"], &mcp, deny, PoolOptions::default())).join(" ");
    assert_eq!(after(&["Bash"]), "Read mcp__files__read mcp__files__write mcp__web__get");
    assert_eq!(after(&["mcp__files"]), "Bash Read mcp__web__get");
    assert_eq!(after(&["mcp__files__read"]), "Bash Read mcp__files__write mcp__web__get");
    assert_eq!(after(&["Bash(rm:*)"]), "Bash Read mcp__files__read mcp__files__write mcp__web__get");
}

#[test]
fn the_modes_cut_the_list() {
    let everything = ["Bash", "Edit", "Read", "Write", "Glob", "Grep", "NotebookEdit", "REPL", "WebFetch"];
    let rows = [
        (PoolOptions { simple: true, ..PoolOptions::default() }, "Bash Edit Read"),
        (PoolOptions { simple: true, repl: true, ..PoolOptions::default() }, "REPL"),
        (PoolOptions { repl: true, ..PoolOptions::default() }, "REPL WebFetch"),
        (
            PoolOptions { shell_has_search: true, ..PoolOptions::default() },
            "Bash Edit NotebookEdit REPL Read WebFetch Write",
        ),
    ];
    for (options, wanted) in rows {
        let what = format!("{options:?}");
        assert_eq!(names(&pool(&everything, &[], &[], options)).join(" "), wanted, "{what}");
    }
    let without_repl = pool(&["Bash", "Read"], &[], &[], PoolOptions { repl: true, ..PoolOptions::default() });
    assert_eq!(names(&without_repl), ["Bash", "Read"], "without a REPL there is nothing to hide them for");
}

#[test]
fn a_tool_of_the_same_name_replaces_or_is_dropped_by_its_origin() {
    let mut registry = ToolRegistry::new();
    let named = |name: &str, aliases: &[&str]| {
        let schema = json!({"type": "object"});
        ToolBuilder::new(name, "d", schema)
            .aliases(aliases.iter().copied())
            .build(|_, _| async { Ok(HostOutput::text("")) })
    };
    assert!(registry.add(Origin::Mcp, named("T", &["OldMcp"])));
    assert!(registry.add(Origin::BuiltIn, named("T", &["Old"])));
    assert!(!registry.add(Origin::Mcp, named("T", &["Stolen"])));
    assert!(registry.resolve("OldMcp").is_none() && registry.resolve("Stolen").is_none());
    assert!(registry.resolve("Old").is_some_and(|found| found.by_alias && found.tool.name() == "T"));
    assert_eq!(registry.iter().count(), 1);
}
