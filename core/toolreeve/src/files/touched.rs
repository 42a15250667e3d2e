//! Which resources a call on a file or a folder touches, so that calls on different files may run beside each other.
//! Only names them; when they may run is decided elsewhere.

use std::path::{Component, Path};

use toolreeve_engine::{Context, ResourceKey, Resources};

use super::path;

/// A file is read. One that is not there is told of with the names beside it, so then its folder is what is read.
pub fn read_file(context: &Context, text: &str) -> Option<Resources> {
    if path::misfit(context, "file_path", text).is_some() {
        return None;
    }
    let real = path::resolve(context, text).real;
    let place = if real.exists() { real.as_path() } else { real.parent()? };
    Some(Resources::reading(ResourceKey::file(place)))
}

/// A folder, or a file in its place, is searched.
pub fn search(real: &Path) -> Option<Resources> {
    Some(Resources::reading(ResourceKey::file(real)))
}

/// A file is created or changed. Files that say what searches pass over change the answers of searches all around
/// them, so writing those declares nothing and is done alone.
pub fn write_file(context: &Context, text: &str) -> Option<Resources> {
    if path::misfit(context, "file_path", text).is_some() {
        return None;
    }
    let real = path::resolve(context, text).real;
    let steers_searches = real.components().any(
        |part| matches!(part, Component::Normal(name) if name == ".git" || name.to_string_lossy().ends_with("ignore")),
    );
    (!steers_searches).then(|| Resources::writing(ResourceKey::file(&real)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_files_do_not_conflict_and_a_folder_does_with_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let context = Context::new(&root);
        let write = |text: &str| write_file(&context, text);
        let read = |text: &str| read_file(&context, text);
        let all = search(&root);
        let conflict = |one: &Option<Resources>, two: &Option<Resources>| {
            one.as_ref().unwrap().conflicts_with(two.as_ref().unwrap())
        };
        assert!(!conflict(&write("a"), &write("b")) && !conflict(&write("b"), &read("a")));
        assert!(conflict(&write("a"), &read("./x/../a")) && conflict(&all, &write("sub/new")));
        assert!(conflict(&read("missing"), &write("b")), "its neighbours are looked at");
        #[cfg(unix)]
        assert!(conflict(&write("link"), &read("a")), "one file has one name");
        for alone in [".gitignore", "sub/.ignore", ".git/info/exclude", "", "a\0b"] {
            assert_eq!(write(alone), None, "{alone:?}");
        }
    }
}
