//! What was installed: the files as they were, and the servers that the user wants without toolshape. It is beside no host's file,
//! because hosts read whole folders and repositories show new files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use toolshape_hosts::unwrap;

use super::place::{Place, digest, home, private};

const FILE: &str = "installed.json";

pub struct Ledger {
    folder: PathBuf,
    files: BTreeMap<String, Entry>,
    off: BTreeSet<String>,
}

/// A file that was changed.
struct Entry {
    /// The digest of its text without toolshape, which is the name of the copy.
    before: String,
    /// The digest of what was written.
    after: String,
}

impl Ledger {
    /// # Errors
    /// A ledger that cannot be read.
    pub fn open() -> Result<Self> {
        let folder = home()?.join(".local/state/toolshape");
        let file = folder.join(FILE);
        let (mut files, mut off) = (BTreeMap::new(), BTreeSet::new());
        if file.is_file() {
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let read: Value = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
            for (path, entry) in read["files"].as_object().into_iter().flatten() {
                if let (Some(before), Some(after)) = (entry["before"].as_str(), entry["after"].as_str()) {
                    files.insert(path.clone(), Entry { before: before.to_owned(), after: after.to_owned() });
                }
            }
            off.extend(read["off"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        }
        Ok(Self { folder, files, off })
    }

    pub fn is_off(&self, server: &str) -> bool {
        self.off.contains(server)
    }

    pub fn set_off(&mut self, server: &str, is_off: bool) -> Result<()> {
        if is_off {
            self.off.insert(server.to_owned())
        } else {
            self.off.remove(server)
        };
        self.save()
    }

    pub fn has(&self, place: &Place) -> bool {
        self.files.contains_key(&key(place))
    }

    /// The text of a file before toolshape, if nobody has changed it since.
    ///
    /// # Errors
    /// A copy that cannot be read.
    pub fn original(&self, place: &Place) -> Result<Option<String>> {
        let entry = self.files.get(&key(place)).filter(|entry| entry.after == digest(&place.text));
        let read =
            |entry: &Entry| fs::read_to_string(self.folder.join(&entry.before)).context("the copy of a file is gone");
        entry.map(read).transpose()
    }

    /// Writes a file, after its text without toolshape is kept.
    ///
    /// # Errors
    /// What the system reports; then the file is as it was.
    pub fn write(&mut self, place: &Place, text: &str) -> Result<()> {
        let before = match self.original(place)? {
            Some(before) => before,
            None => unwrap(place.file, &place.text, &|_| true)?.text,
        };
        let name = digest(&before);
        self.make_folder()?;
        std::io::Write::write_all(&mut private(&self.folder.join(&name))?, before.as_bytes())?;
        // Before the file: of a change that did not come, the ledger says that somebody changed it since.
        let old = self.files.insert(key(place), Entry { before: name, after: digest(text) });
        self.save()?;
        place.write(text)?;
        self.drop_copy(old);
        Ok(())
    }

    pub fn forget(&mut self, place: &Place) -> Result<()> {
        let old = self.files.remove(&key(place));
        let is_known = old.is_some();
        self.drop_copy(old);
        if is_known { self.save() } else { Ok(()) }
    }

    /// Deletes all of it.
    pub fn delete(self) -> Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn drop_copy(&self, entry: Option<Entry>) {
        let is_used = |name: &str| self.files.values().any(|entry| entry.before == name);
        if let Some(entry) = entry.filter(|entry| !is_used(&entry.before)) {
            let _ = fs::remove_file(self.folder.join(entry.before));
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
        let entry =
            |(path, entry): (&String, &Entry)| (path.clone(), json!({ "before": entry.before, "after": entry.after }));
        let files: serde_json::Map<String, Value> = self.files.iter().map(entry).collect();
        let text = serde_json::to_string_pretty(&json!({ "files": files, "off": self.off }))?;
        let beside = self.folder.join(format!("{FILE}.{}", std::process::id()));
        std::io::Write::write_all(&mut private(&beside)?, text.as_bytes())?;
        fs::rename(beside, self.folder.join(FILE)).context("cannot write what is installed")
    }
}

fn key(place: &Place) -> String {
    place.real.to_string_lossy().into_owned()
}
