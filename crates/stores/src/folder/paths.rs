//! Names as paths, where no folder can be held open.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Access, Status};

pub struct Names(PathBuf);

impl Names {
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(Self(path.to_owned())),
            false => Err(io::Error::other("the folder is a link, or none")),
        }
    }

    pub fn file(&self, name: &str, access: Access) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(access != Access::Create).write(access != Access::Read);
        options.create_new(access == Access::Create).open(self.0.join(name))
    }

    pub fn status(&self, name: &str) -> io::Result<Status> {
        status(&fs::symlink_metadata(self.0.join(name))?)
    }

    pub fn status_of(&self, file: &File) -> io::Result<Status> {
        status(&file.metadata()?)
    }

    pub fn rename(&self, old: &str, new: &str) -> io::Result<()> {
        fs::rename(self.0.join(old), self.0.join(new))
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub fn list(&self) -> io::Result<Vec<String>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }
}

fn status(found: &Metadata) -> io::Result<Status> {
    let (modified, changed) = (found.modified()?, found.created()?);
    Ok(Status { is_file: found.is_file(), is_own: found.is_file(), bytes: found.len(), modified, changed, inode: 0 })
}
