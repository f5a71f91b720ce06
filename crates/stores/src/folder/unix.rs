//! Names relative to an open folder.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::{Access, Status};

pub struct Names(OwnedFd);

impl Names {
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match fs::open(path, flags, Mode::empty()) {
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(io::Error::other("the folder is a link, or none")),
            folder => folder?,
        };
        let found = fs::fstat(&folder)?;
        if found.st_uid != geteuid().as_raw() {
            return Err(io::Error::other("the folder belongs to another user"));
        }
        let mode = Mode::from_raw_mode(found.st_mode);
        if mode.intersects(Mode::RWXG | Mode::RWXO) {
            let mode = mode.as_raw_mode();
            let what = "name one that only its owner may open (0700)";
            return Err(io::Error::other(format!("the folder is open to others (mode 0{mode:o}): {what}")));
        }
        Ok(Self(folder))
    }

    pub fn file(&self, name: &str, access: Access) -> io::Result<File> {
        let how = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
            Access::Create => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        };
        // A planted pipe would wait for its other end.
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(fs::openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    pub fn status(&self, name: &str) -> io::Result<Status> {
        Ok(status(&fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub fn status_of(&self, file: &File) -> io::Result<Status> {
        Ok(status(&fs::fstat(file.as_fd())?))
    }

    pub fn rename(&self, old: &str, new: &str) -> io::Result<()> {
        Ok(fs::renameat(&self.0, old, &self.0, new)?)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// The names in the folder that are UTF-8, as all of ours are, and a name of any other.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let names = Dir::read_from(&self.0)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: io::Result<Vec<String>> = names.collect();
        Ok(names?.into_iter().filter(|name| name != "." && name != "..").collect())
    }
}

// The types of its members differ between systems.
#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
fn status(found: &Stat) -> Status {
    let time = |seconds: i64, nanoseconds: u32| {
        UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or_default(), nanoseconds)
    };
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    Status {
        is_file,
        is_own: is_file && found.st_nlink == 1 && found.st_uid == geteuid().as_raw(),
        bytes: u64::try_from(found.st_size).unwrap_or_default(),
        modified: time(found.st_mtime.into(), u32::try_from(found.st_mtime_nsec).unwrap_or_default()),
        changed: time(found.st_ctime.into(), 0),
        inode: found.st_ino.into(),
    }
}
