//! The ledger on disk: a file for each day, to which any process appends lines.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use toolshape_proxy::Counted;

use crate::entry::Entry;
use crate::entry::day_of;

/// How many days stay.
const KEPT: usize = 400;
const ENDING: &str = "jsonl";

/// A folder with the entries of each day.
#[derive(Clone, Debug)]
pub struct Ledger(PathBuf);

impl Ledger {
    /// The ledger of this user: `$XDG_STATE_HOME/toolshape/account`, by default in `~/.local/state`; on Windows in
    /// `%LOCALAPPDATA%`. Nothing for a user without a folder.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        state_folder().map(|folder| Self(folder.join("account")))
    }

    /// Adds entries: whole lines in one write, which appends of other processes do not divide.
    ///
    /// # Errors
    /// What the system reports.
    pub fn add(&self, entries: &[Entry]) -> io::Result<()> {
        let Some(first) = entries.first() else { return Ok(()) };
        let file = self.0.join(day_of(first.at)).with_extension(ENDING);
        if !file.exists() {
            self.begin_day()?;
        }
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lines: String = entries.iter().map(|entry| entry.line() + "\n").collect();
        options.append(true).create(true).open(file)?.write_all(lines.as_bytes())
    }

    /// Adds what a model was sent now. A ledger that cannot be written holds nobody up.
    pub fn count(&self, door: &str, counted: &Counted) {
        let _ = self.add(&[Entry::new(now(), door, counted)]);
    }

    /// All entries, the oldest day first.
    ///
    /// # Errors
    /// What the system reports; no folder is an empty ledger.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for file in days(&self.0)? {
            entries.extend(String::from_utf8_lossy(&fs::read(file)?).lines().filter_map(Entry::read));
        }
        Ok(entries)
    }

    fn begin_day(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.0)?;
        let days = days(&self.0)?;
        days.iter().rev().skip(KEPT).try_for_each(fs::remove_file)
    }
}

/// The user's folder: none where the environment names a relative one, which would be a part of the working folder.
#[must_use]
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// The folder that a variable of the environment names, if its path is absolute.
#[must_use]
pub fn folder_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The time in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    UNIX_EPOCH.elapsed().unwrap_or_default().as_secs()
}

/// The folder for what programs remember of this user.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    let usual = || home().map(|home| home.join(".local/state"));
    let usual = || if cfg!(windows) { folder_of("LOCALAPPDATA") } else { usual() };
    let folder = folder_of("XDG_STATE_HOME").or_else(usual)?;
    Some(folder.join("toolshape"))
}

/// The files of days, the oldest first.
fn days(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut days: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    days.retain(|file| file.extension().is_some_and(|ending| ending == ENDING));
    days.sort();
    Ok(days)
}
