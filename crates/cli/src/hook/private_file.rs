//! Files of the user, written as a whole and as private as they were.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Who may read a file.
pub type Access = Option<fs::Permissions>;

/// Who may read a file; nothing if it is not there.
pub fn access(file: &Path) -> Access {
    fs::metadata(file).ok().map(|about| about.permissions())
}

/// The text of a file; nothing if it is not there.
pub fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// Writes a file, or removes it. Who may read it is as `access` says, or else the user alone. What a link names is written.
pub fn put(file: &Path, text: Option<&str>, access: &Access) -> Result<()> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let done = match text {
        Some(text) => replace(&file, text, access),
        None => fs::remove_file(&file)
            .or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }),
    };
    done.with_context(|| format!("cannot write {}", file.display()))
}

fn replace(file: &Path, text: &str, access: &Access) -> std::io::Result<()> {
    let new = beside(file);
    let _ = fs::remove_file(&new);
    let written = create(&new).and_then(|mut to| {
        access.iter().try_for_each(|access| to.set_permissions(access.clone()))?;
        to.write_all(text.as_bytes())?;
        to.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&new, file));
    if done.is_err() {
        let _ = fs::remove_file(&new);
    }
    done
}

/// A new file that only the user reads.
fn create(file: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(file)
}

fn beside(file: &Path) -> PathBuf {
    file.with_extension(format!("{}.tmp", std::process::id()))
}
