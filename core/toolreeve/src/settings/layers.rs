//! All settings as they stand now, a layer for each file. Owns what becomes of a file that cannot be read: what it said
//! before still counts; if nothing is known of it, every call asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolreeve_permission::RuleSource;

use super::decode::{Decoded, Origin, decode};
use super::places::{FlagSettings, SettingsOptions};
use super::read::{Found, read};
use super::report::{FileState, SettingsFile, SettingsProblem, Severity};
use crate::files::open::Identity;

/// How often and how long a file is waited for that looks as if somebody were writing it at this moment.
const SECOND_LOOKS: u32 = 3;
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(15);

/// One file, or what stands in the place of one.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) source: RuleSource,
    pub(crate) path: Option<PathBuf>,
    pub(crate) state: FileState,
    pub(crate) decoded: Arc<Decoded>,
    /// The state of the file that `decoded` was read from.
    identity: Option<Identity>,
    /// Why the file itself cannot be used now.
    trouble: Option<SettingsProblem>,
}

impl Layer {
    /// What is wrong with it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &SettingsProblem> {
        self.trouble.iter().chain(&self.decoded.problems)
    }

    /// How it is reported.
    pub(crate) fn file(&self) -> Option<SettingsFile> {
        Some(SettingsFile { source: self.source, path: self.path.clone()?, state: self.state })
    }

    fn new(source: RuleSource, path: Option<PathBuf>, decoded: Decoded) -> Self {
        let decoded = Arc::new(decoded);
        Self { source, path, state: FileState::Loaded, decoded, identity: None, trouble: None }
    }
}

/// The files of all sources, weakest first, and what was given in the place of files. `previous` is what was known
/// before.
pub(crate) fn read_all(options: &SettingsOptions, previous: &[Layer]) -> Vec<Layer> {
    let mut layers = Vec::new();
    for source in
        [RuleSource::UserSettings, RuleSource::ProjectSettings, RuleSource::LocalSettings, RuleSource::FlagSettings]
    {
        if let Some(path) = options.file(source) {
            // Without a file at this place there is nothing to report, unless somebody named it.
            layers.push(layer(options, source, path, previous));
        } else if let (RuleSource::FlagSettings, Some(FlagSettings::Content(value, _))) = (source, &options.flag) {
            layers.push(content(options, source, &value.to_string()));
        }
    }
    let mut managed = Vec::new();
    managed.extend(options.file(RuleSource::PolicySettings).map(|path| layer_of_policy(options, path, previous)));
    if let Some(folder) = options.managed_folder() {
        managed.extend(managed_parts(options, &folder, previous));
    }
    let by_administrator = managed.iter().any(|layer| layer.state != FileState::Missing);
    let merges = managed.iter().any(|layer| {
        layer.decoded.settings.parent_settings_behavior == Some(super::model::ParentSettingsBehavior::Merge)
    });
    if let Some(value) = options.managed.as_ref().filter(|_| !by_administrator || merges) {
        layers.push(content(options, RuleSource::PolicySettings, &value.to_string()));
    }
    layers.extend(managed);
    layers
}

fn layer_of_policy(options: &SettingsOptions, path: PathBuf, previous: &[Layer]) -> Layer {
    layer(options, RuleSource::PolicySettings, path, previous)
}

/// The further files of the administrator, by name.
fn managed_parts(options: &SettingsOptions, folder: &Path, previous: &[Layer]) -> Vec<Layer> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Vec::new();
        }
        Err(error) => {
            let what = format!("the folder cannot be listed ({error}); mend its rights");
            return vec![unreadable(options, RuleSource::PolicySettings, folder.to_owned(), what, previous)];
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.into_iter().map(|path| layer_of_policy(options, path, previous)).collect()
}

fn origin(options: &SettingsOptions, source: RuleSource, path: Option<&Path>) -> Origin {
    Origin { source, file: path.map(|path| Arc::new(path.to_owned())), base: options.base(source) }
}

fn content(options: &SettingsOptions, source: RuleSource, text: &str) -> Layer {
    let origin = origin(options, source, None);
    match decode(text, &origin) {
        Ok(mut decoded) => {
            // The text was made from a value, so its places say nothing.
            for problem in &mut decoded.problems {
                (problem.line, problem.column) = (None, None);
            }
            Layer::new(source, None, decoded)
        }
        Err(problem) => failed(&origin, None, problem),
    }
}

fn known<'p>(previous: &'p [Layer], source: RuleSource, path: &Path) -> Option<&'p Layer> {
    previous.iter().find(|layer| layer.source == source && layer.path.as_deref() == Some(path))
}

fn layer(options: &SettingsOptions, source: RuleSource, path: PathBuf, previous: &[Layer]) -> Layer {
    let before = known(previous, source, &path).filter(|layer| layer.state != FileState::Missing);
    let mut looks = 0;
    loop {
        let found = read(&path, before.and_then(|layer| layer.identity));
        let again = looks < SECOND_LOOKS;
        looks += 1;
        match found {
            Found::Unchanged => {
                // The very text that was read before: whatever was wrong meanwhile is mended.
                let mut layer = before.cloned().unwrap_or_else(|| Layer::new(source, None, Decoded::default()));
                layer.state = FileState::Loaded;
                layer.trouble = None;
                return layer;
            }
            // Some programs take the old file away before they put the new one there.
            Found::Missing if before.is_some() && again => std::thread::sleep(SECOND_LOOK_AFTER),
            Found::Missing => return missing(options, source, path),
            Found::Unreadable(what) => return unreadable(options, source, path, what, previous),
            Found::Text(text, identity) => {
                let origin = origin(options, source, Some(&path));
                match decode(&text, &origin) {
                    Ok(decoded) => {
                        return Layer { identity: Some(identity), ..Layer::new(source, Some(path), decoded) };
                    }
                    Err(_) if before.is_none() && again => std::thread::sleep(SECOND_LOOK_AFTER),
                    Err(problem) => return broken(&origin, path, problem, previous),
                }
            }
        }
    }
}

/// Nothing is there. That is fine, unless the file was named.
fn missing(options: &SettingsOptions, source: RuleSource, path: PathBuf) -> Layer {
    if source == RuleSource::FlagSettings {
        let what = "it does not exist; name a file that does".to_owned();
        return unreadable(options, source, path, what, &[]);
    }
    Layer { state: FileState::Missing, ..Layer::new(source, Some(path), Decoded::default()) }
}

fn unreadable(options: &SettingsOptions, source: RuleSource, path: PathBuf, what: String, previous: &[Layer]) -> Layer {
    let origin = origin(options, source, Some(&path));
    let problem = origin.problem(Severity::Critical, String::new(), None, what);
    broken(&origin, path, problem, previous)
}

/// The file cannot be used: what it said before still counts.
fn broken(origin: &Origin, path: PathBuf, mut problem: SettingsProblem, previous: &[Layer]) -> Layer {
    let before = known(previous, origin.source, &path);
    match before.filter(|layer| matches!(layer.state, FileState::Loaded | FileState::Kept)) {
        Some(before) => {
            problem.message.push_str(". What it said before still counts");
            Layer { state: FileState::Kept, trouble: Some(problem), ..before.clone() }
        }
        None => failed(origin, Some(path), problem),
    }
}

/// Nothing is known of what it says, so it may deny anything.
fn failed(origin: &Origin, path: Option<PathBuf>, mut problem: SettingsProblem) -> Layer {
    problem.message.push_str(". Until then every call asks");
    let decoded = Decoded { rules: origin.guard("*", &problem).into_iter().collect(), ..Decoded::default() };
    let layer = Layer::new(origin.source, path, decoded);
    Layer { state: FileState::Failed, trouble: Some(problem), ..layer }
}
