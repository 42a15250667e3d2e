//! Reads the source of the ABI: every export is guarded and named as ours, the version is that of the package.

use std::ffi::CStr;
use std::path::Path;

fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    sources.sort();
    sources
}

/// The names of the exported functions of a source, and the first word of each body that stands outside of the guard.
fn exports(source: &str) -> Vec<(String, Result<(), String>)> {
    let mut found = Vec::new();
    for definition in source.split("extern \"C\" fn ").skip(1) {
        let Some((name, rest)) = definition.split_once('(') else { continue };
        let Some((_, body)) = rest.split_once("{\n") else { continue };
        let mut lines = body.lines().map(str::trim);
        // Ownership of userdata passes even if everything else fails, so that line may come first.
        let first = lines.find(|line| *line != "let userdata = Userdata::new(userdata, finalizer);" && !is_local(line));
        let first = first.unwrap_or_default();
        let is_guarded = first.starts_with("guard(") || first.starts_with("guard_value(");
        found.push((name.to_owned(), if is_guarded { Ok(()) } else { Err(first.to_owned()) }));
    }
    found
}

/// Constants and comments run nothing.
fn is_local(line: &str) -> bool {
    line.starts_with("const ") || line.starts_with("//")
}

#[test]
fn every_export_is_guarded_and_named_as_ours() {
    let mut count = 0;
    for (file, source) in sources() {
        for (name, guarded) in exports(&source) {
            // Types of callbacks have no name.
            if name.is_empty() {
                continue;
            }
            assert!(name.starts_with("toolreeve_"), "{file}: {name}");
            assert_eq!(guarded, Ok(()), "{file}: {name} runs code outside of the guard");
            count += 1;
        }
        let mangled = source.lines().filter(|line| *line == "#[unsafe(no_mangle)]").count();
        let named = exports(&source).iter().filter(|(name, _)| !name.is_empty()).count();
        assert_eq!(mangled, named, "{file}: an export that this test does not see");
    }
    assert!(count > 30, "only {count} exports were found");
}

#[test]
fn an_export_outside_of_the_guard_is_found() {
    let source = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn toolreeve_x(a: u8) -> u8 {\n    a.pow(2)\n}\n";
    assert_eq!(exports(source), [("toolreeve_x".to_owned(), Err("a.pow(2)".to_owned()))]);
}

#[test]
fn the_header_speaks_of_this_version() {
    use toolreeve_ffi::*;
    let version = format!("{TOOLREEVE_VERSION_MAJOR}.{TOOLREEVE_VERSION_MINOR}.{TOOLREEVE_VERSION_PATCH}");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/toolreeve.h");
    let line = format!("#define TOOLREEVE_VERSION_STRING \"{version}\"\n");
    assert!(std::fs::read_to_string(header).unwrap().contains(&line), "{line}");
    // SAFETY: the text is static.
    let loaded = unsafe { CStr::from_ptr(toolreeve_version_string()) };
    assert_eq!(loaded.to_str().unwrap(), version);
    assert_eq!(toolreeve_abi_version(), TOOLREEVE_ABI_VERSION);
}

#[test]
fn every_status_has_its_name() {
    use toolreeve_ffi::{toolreeve_status, toolreeve_status_name};
    let name = |number: i32| {
        // SAFETY: the text is static.
        unsafe { CStr::from_ptr(toolreeve_status_name(number)) }.to_str().unwrap()
    };
    let (_, source) = sources().into_iter().find(|(file, _)| file == "status.rs").unwrap();
    let (_, list) = source.split_once("pub enum toolreeve_status {").unwrap();
    let (list, _) = list.split_once("\n}").unwrap();
    let variants: Vec<_> =
        list.lines().filter_map(|line| line.trim().trim_end_matches(',').split_once(" = ")).collect();
    assert_eq!(variants.len(), 16);
    for (variant, number) in variants {
        assert_eq!(name(number.parse().unwrap()), format!("TOOLREEVE_STATUS_{variant}"));
    }
    assert_eq!(name(toolreeve_status::PANIC as i32), "TOOLREEVE_STATUS_PANIC");
    assert_eq!(name(-1), "unknown status");
}
