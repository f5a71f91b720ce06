//! A folder that only this user can open, and that is a store's. Its files are read and written whole, and never through a
//! link.
//!
//! Every name is opened relative to the open folder, so that a change of the folder's path has no effect. Windows has neither
//! that nor owners and modes: there, names are paths, and the folder's access list decides.

#[cfg_attr(unix, path = "folder/unix.rs")]
#[cfg_attr(not(unix), path = "folder/paths.rs")]
mod names;

use std::fs::{DirBuilder, File, FileTimes};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

use names::Names;

/// The file that says that a folder is a store's: nothing is deleted in a folder of somebody else.
const MARKER: &str = ".toolshape-store";
const MARKER_TEXT: &str = "toolshape: a store of results, layout 1

Files here are deleted when they expire, or when they are too large together. Keep nothing else in this folder.
";

/// The open folder of a store. Another existing folder is never changed.
pub(crate) struct Folder(Names);

/// What is known of a name without reading it.
#[derive(Clone)]
pub(crate) struct Status {
    /// Whether it is a file, and not a link or a folder.
    pub is_file: bool,
    /// Whether a store of this user wrote it: no file of another user, and no second name of a file elsewhere.
    pub is_own: bool,
    pub bytes: u64,
    /// When it expires.
    pub modified: SystemTime,
    /// When it was written.
    pub changed: SystemTime,
    inode: u64,
}

impl Status {
    fn is_same(&self, other: &Self) -> bool {
        (self.inode, self.modified) == (other.inode, other.modified)
    }
}

/// How a file is opened, never through a link.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Read,
    /// Its content or its times change.
    Write,
    /// It must not exist.
    Create,
}

impl Folder {
    /// Opens a folder; nothing if it does not exist, or is empty.
    ///
    /// # Errors
    /// For a folder that is a link, another user's, of another use or open to others.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let Some(folder) = unless_missing(Names::open(path))?.map(Self) else { return Ok(None) };
        Ok(folder.is_marked(false)?.then_some(folder))
    }

    /// Opens a folder. If it does not exist, it is made, for its owner only; an empty one becomes a store's.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if it cannot be made.
    pub fn make(path: &Path) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.recursive(true).create(path) {
            // What is there is checked below.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = Self(Names::open(path)?);
        folder.is_marked(true)?;
        Ok(folder)
    }

    /// The bytes of a file; nothing if there is none, it has expired, or it was not written here.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some((mut file, _)) = self.own(name, Access::Read)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Whether a file is there, with this content if one is named; it then expires at `expires`, but not earlier than before.
    pub fn prolong(
        &self,
        name: &str,
        content: Option<&[u8]>,
        expires: impl FnOnce(&Status) -> SystemTime,
    ) -> io::Result<bool> {
        let Some((mut file, before)) = self.own(name, Access::Write)? else { return Ok(false) };
        if let Some(content) = content {
            let mut bytes = Vec::new();
            if before.bytes == content.len() as u64 {
                file.read_to_end(&mut bytes)?;
            }
            if bytes != content {
                return Ok(false);
            }
        }
        file.set_times(times(expires(&before).max(before.modified)))?;
        // A concurrent sweep may have deleted it; a later sweep sees the new time.
        Ok(self.status(name)?.is_some_and(|after| after.inode == before.inode))
    }

    /// Writes a file in place of any other: to a temporary name, which is flushed and renamed, so that nobody reads half of it.
    pub fn write(&self, name: &str, content: &[u8], expires: SystemTime) -> io::Result<()> {
        let aside = aside();
        let written = || {
            let mut file = self.0.file(&aside, Access::Create)?;
            file.write_all(content)?;
            file.set_times(times(expires))?;
            file.sync_all()?;
            self.0.rename(&aside, name)
        };
        written().inspect_err(|_| drop(self.0.remove(&aside)))
    }

    /// Removes a file, if it exists.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        unless_missing(self.0.remove(name)).map(drop)
    }

    /// Removes a file unless it was written since it was looked at.
    pub fn remove_same(&self, name: &str, judged: &Status) -> io::Result<()> {
        let is_same = |name| Ok::<_, io::Error>(self.status(name)?.is_some_and(|found| found.is_same(judged)));
        if !is_same(name)? {
            return Ok(());
        }
        // A writer may replace it at this moment. The rename takes one of the two files, and the check afterwards shows which.
        let aside = aside();
        if unless_missing(self.0.rename(name, &aside))?.is_none() {
            Ok(())
        } else if is_same(&aside)? {
            self.remove(&aside)
        } else {
            self.0.rename(&aside, name)
        }
    }

    /// Every file in the folder. What disappears meanwhile is left out.
    pub fn files(&self) -> io::Result<Vec<(String, Status)>> {
        let mut files = Vec::new();
        for name in self.0.list()? {
            files.extend(self.status(&name)?.filter(|found| found.is_file).map(|found| (name, found)));
        }
        Ok(files)
    }

    /// What is known of a name; nothing if it does not exist.
    pub fn status(&self, name: &str) -> io::Result<Option<Status>> {
        unless_missing(self.0.status(name))
    }

    /// Opens a file that was written here and has not expired.
    fn own(&self, name: &str, access: Access) -> io::Result<Option<(File, Status)>> {
        let file = match self.0.file(name, access) {
            Ok(file) => file,
            // A link is refused with another error on each system.
            Err(error) => match self.status(name)? {
                Some(found) if found.is_file => return Err(error),
                _ => return Ok(None),
            },
        };
        let found = self.0.status_of(&file)?;
        Ok((found.is_own && found.modified > SystemTime::now()).then_some((file, found)))
    }

    /// Whether the folder is a store's; an empty one becomes a store's if it `may_become` one, and is none otherwise.
    fn is_marked(&self, may_become: bool) -> io::Result<bool> {
        let mut text = self.marker()?;
        let is_new = text.is_none();
        if is_new && self.0.list()?.is_empty() {
            if !may_become {
                return Ok(false);
            }
            text = Some(Vec::new());
        } else if is_new {
            // Another process may have made it a store's since.
            text = self.marker()?;
        }
        match text {
            None => Err(not_ours("it is not empty and has no .toolshape-store")),
            Some(text) if text == MARKER_TEXT.as_bytes() => Ok(true),
            // Another process is writing it, or was killed while it did: the rest of it is the same.
            Some(text) if MARKER_TEXT.as_bytes().starts_with(&text) => {
                if may_become {
                    self.mark(is_new)?;
                }
                Ok(true)
            }
            Some(_) => Err(not_ours("its .toolshape-store says something else")),
        }
    }

    fn mark(&self, is_new: bool) -> io::Result<()> {
        match self.0.file(MARKER, if is_new { Access::Create } else { Access::Write }) {
            Ok(mut file) => file.write_all(MARKER_TEXT.as_bytes()),
            // Another process was faster, and writes the same.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The start of the marker, of which a longer one has one byte more.
    fn marker(&self) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = unless_missing(self.0.file(MARKER, Access::Read)).or_else(|error| {
            let is_file = self.status(MARKER)?.is_none_or(|found| found.is_file);
            Err(if is_file { error } else { not_ours("its .toolshape-store is a link") })
        })?
        else {
            return Ok(None);
        };
        if !self.0.status_of(&file)?.is_own {
            return Err(not_ours("its .toolshape-store is not a file of this user"));
        }
        let mut text = Vec::new();
        file.take(MARKER_TEXT.len() as u64 + 1).read_to_end(&mut text)?;
        Ok(Some(text))
    }
}

/// The name of a file that is being written or deleted.
fn aside() -> String {
    // A forked process continues with the same keys.
    let random = || RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    format!(".{:016x}{:016x}.part", random(), random())
}

fn times(expires: SystemTime) -> FileTimes {
    FileTimes::new().set_accessed(SystemTime::now()).set_modified(expires)
}

fn unless_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn not_ours(why: &str) -> io::Error {
    let what = format!("the folder is not a store's: {why}; name a new or empty folder, or empty this one");
    io::Error::other(what)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;

    fn folder(name: &str) -> (PathBuf, Folder) {
        let path = std::env::temp_dir().join(format!("toolshape-folder-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let folder = Folder::make(&path).unwrap();
        (path, folder)
    }

    fn later(seconds: u64) -> SystemTime {
        SystemTime::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn a_sweep_leaves_what_was_written_since_it_looked() {
        let (path, folder) = folder("judged");
        folder.write("a", b"[1]", later(10)).unwrap();
        let judged = folder.status("a").unwrap().unwrap();
        folder.write("a", b"[2]", later(10)).unwrap();
        folder.remove_same("a", &judged).unwrap();
        assert_eq!(folder.read("a").unwrap().unwrap(), b"[2]");
        let judged = folder.status("a").unwrap().unwrap();
        assert!(folder.prolong("a", None, |_| later(20)).unwrap());
        folder.remove_same("a", &judged).unwrap();
        let judged = folder.status("a").unwrap().unwrap();
        folder.remove_same("a", &judged).unwrap();
        assert!(folder.status("a").unwrap().is_none());
        folder.remove_same("a", &judged).unwrap();
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_a_sweep_takes_while_its_life_is_prolonged_is_not_there() {
        let (path, folder) = folder("prolonged");
        folder.write("a", b"[1]", later(10)).unwrap();
        let sweep = |_: &Status| {
            fs::remove_file(path.join("a")).unwrap();
            later(20)
        };
        assert!(!folder.prolong("a", Some(b"[1]"), sweep).unwrap());
        fs::remove_dir_all(path).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_change_of_the_path_has_no_effect_on_an_open_folder() {
        let (path, folder) = folder("moved");
        let (moved, elsewhere) = (path.with_extension("moved"), path.with_extension("elsewhere"));
        let _ = (fs::remove_dir_all(&moved), fs::remove_dir_all(&elsewhere));
        fs::create_dir(&elsewhere).unwrap();
        fs::rename(&path, &moved).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        folder.write("a", b"[1]", later(10)).unwrap();
        fs::write(elsewhere.join("a"), "planted").unwrap();
        assert!(folder.prolong("a", Some(b"[1]"), |_| later(20)).unwrap());
        assert_eq!(folder.read("a").unwrap().unwrap(), b"[1]");
        assert_eq!(fs::read(moved.join("a")).unwrap(), b"[1]");
        folder.remove("a").unwrap();
        assert_eq!(fs::read(elsewhere.join("a")).unwrap(), b"planted");
        fs::remove_file(path).unwrap();
        fs::remove_dir_all(moved).unwrap();
        fs::remove_dir_all(elsewhere).unwrap();
    }
}
