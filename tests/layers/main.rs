//! The layer test: imports go one way only. Inside of the crate `toolreeve` that is
//! files <- {process, search} <- {tools, mcp, hooks} <- agent <- the facade (everything else); between crates it is
//! shell <- permission <- engine <- toolreeve <- {ffi, python}. Tools know nothing of each other.

mod scan;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use scan::mentions;

/// The modules at the top of `toolreeve` that have a layer below the facade. A module that is not listed belongs to
/// the facade: it may import everything, and nothing that is listed may import it.
const LAYERS: [(&str, u8); 7] =
    [("files", 0), ("process", 1), ("search", 1), ("tools", 2), ("mcp", 2), ("hooks", 2), ("agent", 3)];
const FACADE: u8 = 4;

fn layer(module: &str) -> u8 {
    LAYERS.iter().find(|(name, _)| *name == module).map_or(FACADE, |(_, layer)| *layer)
}

/// Why a file that holds `module` must not name `path`; `None` if it may. `tool_folders` are the folders in `tools`.
fn objection(module: &[String], path: &[String], tool_folders: &BTreeSet<String>) -> Option<String> {
    let own = module.first()?;
    let target = path.first()?;
    if own != target {
        let lower = layer(target) < layer(own) || layer(own) == FACADE;
        return (!lower).then(|| format!("`{own}` must not import `{target}`"));
    }
    let (own_tool, target_tool) = (module.get(1)?, path.get(1)?);
    let both_tools = own == "tools" && tool_folders.contains(own_tool) && tool_folders.contains(target_tool);
    (both_tools && own_tool != target_tool).then(|| format!("tool `{own_tool}` must not import tool `{target_tool}`"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder.
fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The module that a file holds: `tools/read/mod.rs` is `tools::read`.
fn module_of(relative: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

fn folders(parent: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        if entry.path().is_dir() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

#[test]
fn modules_of_toolreeve_import_only_from_lower_layers() {
    let src = root().join("core/toolreeve/src");
    let tools = folders(&src.join("tools")).unwrap();
    let mut wrong = Vec::new();
    for file in rust_files(&src).unwrap() {
        let relative = file.strip_prefix(&src).unwrap();
        if relative.starts_with("bin") {
            continue;
        }
        let module = module_of(relative);
        for mention in mentions(&std::fs::read_to_string(&file).unwrap(), &module) {
            if let Some(why) = objection(&module, &mention.path, &tools) {
                wrong.push(format!("{}:{}: {why}", relative.display(), mention.line));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that go the wrong way:\n{}", wrong.join("\n"));
}

/// Which of our own crates each crate may depend on.
const CRATES: [(&str, &[&str]); 6] = [
    ("core/shell", &[]),
    ("core/permission", &["toolreeve-shell"]),
    ("core/engine", &["toolreeve-permission", "toolreeve-shell"]),
    ("core/toolreeve", &["toolreeve-engine", "toolreeve-permission", "toolreeve-shell"]),
    ("ffi", &["toolreeve"]),
    ("python", &["toolreeve"]),
];

/// Crates that would bring I/O or a runtime into the pure crates.
const NOT_IN_PURE: [&str; 6] = ["tokio", "tokio-util", "rustix", "tempfile", "async-std", "reqwest"];

/// The names under every `[…dependencies]` heading of a manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            inside = heading.trim_end().trim_end_matches(']').ends_with("dependencies");
        } else if inside && let Some((name, _)) = line.split_once(['=', '.']) {
            names.insert(name.trim().to_owned());
        }
    }
    names
}

#[test]
fn crates_depend_only_on_lower_crates() {
    for (folder, allowed) in CRATES {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let names = dependencies(&manifest);
        assert!(!names.is_empty(), "{folder}: no dependencies were found, so nothing was checked");
        for name in names.iter().filter(|name| name.starts_with("toolreeve")) {
            assert!(allowed.contains(&name.as_str()), "{folder} must not depend on {name}");
        }
        if matches!(folder, "core/shell" | "core/permission") {
            let bad: Vec<_> = names.iter().filter(|name| NOT_IN_PURE.contains(&name.as_str())).collect();
            assert!(bad.is_empty(), "{folder} is pure and must not depend on {bad:?}");
        }
    }
}

#[test]
fn every_member_of_the_workspace_has_a_place_in_the_table() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find(|line| line.starts_with("members")).unwrap();
    let named: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    let listed: Vec<&str> = CRATES.iter().map(|(folder, _)| *folder).collect();
    assert_eq!(named, listed);
}

/// One file, what it holds, and the objections that are expected.
const CASES: [(&str, &str, &[&str]); 14] = [
    ("tools/read/run.rs", "use crate::files::path;", &[]),
    ("tools/read/run.rs", "use crate::{files::path, process, tools::read::schema};", &[]),
    ("tools/read/run.rs", "use crate::{files, agent::turn};", &["`tools` must not import `agent`"]),
    ("tools/read/run.rs", "fn f() { crate::bridge::g(); }", &["`tools` must not import `bridge`"]),
    ("tools/read/mod.rs", "use super::edit::run as other;", &["tool `read` must not import tool `edit`"]),
    ("tools/read/run.rs", "use super::super::{common, edit};", &["tool `read` must not import tool `edit`"]),
    ("tools/read/run.rs", "mod tests { use super::super::super::edit; }", &["tool `read` must not import tool `edit`"]),
    ("tools/read/run.rs", "mod tests { use super::super::edit; } use super::schema;", &[]),
    ("tools/mod.rs", "mod edit; use self::edit::Edit;", &[]),
    ("mcp/bridge.rs", "use crate::tools::read;", &["`mcp` must not import `tools`"]),
    ("files/mod.rs", "use crate::process::Child;", &["`files` must not import `process`"]),
    ("process/mod.rs", "/* use crate::tools; */ // crate::agent\nconst S: &str = r#\"crate::\"tools\"#;", &[]),
    (
        "process/mod.rs",
        "const Q: char = '\"'; use crate::Agent; const R: &str = \"\";",
        &["`process` must not import `Agent`"],
    ),
    ("cli/mod.rs", "use crate::{agent, tools};", &[]),
];

#[test]
fn the_scanner_sees_what_it_must() {
    let tools: BTreeSet<String> = ["read", "edit"].map(str::to_owned).into();
    for (file, source, expected) in CASES {
        let module = module_of(Path::new(file));
        let found: Vec<String> =
            mentions(source, &module).iter().filter_map(|mention| objection(&module, &mention.path, &tools)).collect();
        assert_eq!(found, expected, "{file}: {source}");
    }
}
