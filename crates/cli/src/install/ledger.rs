//! What was installed: the files as they were, and the servers that the user wants without toolshape. It is beside no host's file,
//! because hosts read whole folders and repositories show new files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use toolshape_account::state_folder;

use super::place::{Place, digest, private, remove_empty};
use crate::store::cache_folder;

const FILE: &str = "installed.json";

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    #[serde(skip)]
    folder: PathBuf,
    files: BTreeMap<String, Entry>,
    off: BTreeSet<String>,
    /// The folders that were made for this ledger and for stored results.
    made: Vec<PathBuf>,
}

/// A file that was changed.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The digest of its text without toolshape, which is the name of the copy; nothing if there was no file.
    before: Option<String>,
    /// The digest of what was written; nothing that is one if somebody had changed the file before.
    after: String,
    /// The folder that was made for it.
    made: Option<PathBuf>,
}

impl Ledger {
    /// # Errors
    /// A ledger that cannot be read.
    pub fn open() -> Result<Self> {
        let folder = state_folder().context("this user has no folder")?;
        let file = folder.join(FILE);
        let ledger = if file.is_file() {
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            serde_json::from_str(&text).with_context(|| file.display().to_string())?
        } else {
            let folders = [Some(folder.clone()), cache_folder()];
            let made = folders.into_iter().flatten().filter_map(|folder| missing(&folder)).collect();
            Self { made, ..Self::default() }
        };
        Ok(Self { folder, ..ledger })
    }

    /// Whether the user wants a server without toolshape, or with `SERVER/TOOL` a tool.
    pub fn is_off(&self, name: &str) -> bool {
        self.off.contains(name)
    }

    /// All that the user wants without toolshape.
    pub fn off(&self) -> impl Iterator<Item = &str> {
        self.off.iter().map(String::as_str)
    }

    pub fn set_off(&mut self, name: &str, is_off: bool) -> Result<()> {
        if is_off {
            self.off.insert(name.to_owned())
        } else {
            self.off.remove(name)
        };
        self.save()
    }

    /// The files that were changed.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(Path::new)
    }

    /// The folders that were made for what is deleted with the ledger.
    pub fn made(&self) -> &[PathBuf] {
        &self.made
    }

    /// The text of a file before toolshape, whoever has changed it since.
    pub fn copy(&self, place: &Place) -> Option<String> {
        let before = self.files.get(&key(place))?.before.as_ref()?;
        fs::read_to_string(self.folder.join(before)).ok()
    }

    pub fn has(&self, place: &Place) -> bool {
        self.files.contains_key(&key(place))
    }

    /// The text of a file before toolshape, if nobody has changed it since: nothing inside if there was none.
    ///
    /// # Errors
    /// A copy that cannot be read.
    pub fn original(&self, place: &Place) -> Result<Option<Option<String>>> {
        let is_ours = |entry: &&Entry| place.text.as_ref().is_some_and(|text| entry.after == digest(text));
        let Some(entry) = self.files.get(&key(place)).filter(is_ours) else { return Ok(None) };
        let Some(before) = &entry.before else { return Ok(Some(None)) };
        let read = fs::read_to_string(self.folder.join(before)).context("the copy of a file is gone")?;
        Ok(Some(Some(read)))
    }

    /// Writes a file, after its text of before is kept. That is what the file has if it is `without` toolshape; once somebody has changed
    /// the rest, there is none to which the file goes back.
    ///
    /// # Errors
    /// What the system reports; then the file is as it was.
    pub fn write(&mut self, place: &Place, without: Option<String>, text: &str) -> Result<()> {
        self.make_folder()?;
        let is_whole = self.original(place)?.is_some();
        let mut name = self.files.get(&key(place)).and_then(|entry| entry.before.clone());
        let after = if is_whole || without == place.text { digest(text) } else { String::new() };
        if !is_whole && without == place.text {
            name = without.as_deref().map(digest);
            if let (Some(name), Some(before)) = (&name, without) {
                std::io::Write::write_all(&mut private(&self.folder.join(name))?, before.as_bytes())?;
            }
        }
        let made = place.real.parent().and_then(missing);
        place.real.parent().map_or(Ok(()), fs::create_dir_all)?;
        let made = made.or_else(|| self.files.get(&key(place)).and_then(|entry| entry.made.clone()));
        // Before the file: of a change that did not come, the ledger says that somebody changed it since.
        let old = self.files.insert(key(place), Entry { before: name, after, made });
        self.save()?;
        place.write(Some(text))?;
        self.drop_copy(old);
        Ok(())
    }

    /// Writes a file without toolshape, or deletes it, and forgets it.
    ///
    /// # Errors
    /// What the system reports.
    pub fn take_back(&mut self, place: &Place, text: Option<&str>) -> Result<()> {
        place.write(text)?;
        let old = self.files.remove(&key(place));
        let made = old.as_ref().and_then(|entry| entry.made.clone()).filter(|_| text.is_none());
        made.iter().for_each(|made| remove_empty(&place.real, made));
        let is_known = old.is_some();
        self.drop_copy(old);
        if is_known { self.save() } else { Ok(()) }
    }

    /// Deletes all of it, and the account, which is in the same folder. Returns the folder if there was one.
    pub fn delete(self) -> Result<Option<PathBuf>> {
        match fs::remove_dir_all(&self.folder) {
            Ok(()) => Ok(Some(self.folder)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn drop_copy(&self, entry: Option<Entry>) {
        let name = entry.and_then(|entry| entry.before);
        if let Some(name) = name.filter(|name| self.files.values().all(|other| other.before.as_ref() != Some(name))) {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    fn make_folder(&self) -> Result<()> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.folder).with_context(|| self.folder.display().to_string())
    }

    fn save(&self) -> Result<()> {
        self.make_folder()?;
        let text = serde_json::to_string_pretty(self)?;
        let beside = self.folder.join(format!("{FILE}.{}", std::process::id()));
        std::io::Write::write_all(&mut private(&beside)?, text.as_bytes())?;
        fs::rename(beside, self.folder.join(FILE)).context("cannot write what is installed")
    }
}

fn key(place: &Place) -> String {
    place.real.to_string_lossy().into_owned()
}

/// The first folder of a path that is not there.
fn missing(folder: &Path) -> Option<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !folder.exists()).last();
    missing.map(Path::to_owned)
}
