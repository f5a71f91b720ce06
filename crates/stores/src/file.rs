//! A store in a folder, in the layout of the `FileStore` of the npm and Python packages (docs/stores.md, "Files").

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, FileTimes, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use toolshape::host::STORE_BYTES;
use toolshape::{Error, ErrorCode};

use crate::ledger::{Incoming, Ledger};
use crate::store::{LONGEST, Limits, Store, failed, locked};

const MARKER: &str = ".toolshape-store";
const MARKER_TEXT: &str = "toolshape: a store of results, layout 1

Files here are deleted when they expire, or when they are too large together. Keep nothing else in this folder.
";
/// The interval of sweeps, which find what other processes have written.
const SWEEP: Duration = Duration::from_secs(60);
/// A temporary file that is older was left by a process that died.
const ASIDE: Duration = Duration::from_secs(3600);
/// The part of the size that a sweep leaves, so that not every later write sweeps again.
const LEFT: f64 = 0.9;
/// The number of owners that a file's time can express.
const OWNERS: u64 = 10_000;

/// A store in a folder that belongs to this user alone. Several processes may use it, also those of the other packages.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    room: Mutex<Room>,
}

/// How full the folder is.
#[derive(Debug)]
struct Room {
    /// The files at the last sweep, and what was written since.
    ledger: Ledger,
    swept: SystemTime,
    written: u64,
    /// What is being written, by its number: a sweep may not see it yet.
    writing: BTreeMap<u64, Incoming>,
}

impl FileStore {
    /// Opens a folder with the default limits: 1 GiB, and 64 MiB for one value. If the folder does not exist, it is made.
    ///
    /// # Errors
    /// `STORE_FAILED` for a folder that others may open, or that is for something else.
    ///
    /// ```
    /// use toolshape_stores::FileStore;
    /// assert!(FileStore::open(std::env::temp_dir()).unwrap_err().message().starts_with("the store "));
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with_limits(path, Limits::default())
    }

    /// Opens a folder as [`open`](Self::open), with other limits.
    ///
    /// # Errors
    /// As [`open`](Self::open); `INVALID_CALL` for a limit out of range.
    pub fn open_with_limits(path: impl AsRef<Path>, limits: Limits) -> Result<Self, Error> {
        let ledger = Ledger::new(&limits, STORE_BYTES)?;
        let path = std::path::absolute(path).map_err(failed)?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.recursive(true).create(&path);
        made.map_err(|error| failed(format_args!("cannot make {}: {error}", path.display())))?;
        let room = Mutex::new(Room { ledger, swept: UNIX_EPOCH, written: 0, writing: BTreeMap::new() });
        let store = Self { path, room };
        store.check().map_err(|error| failed(format_args!("the store {}: {error}", store.path.display())))?;
        Ok(store)
    }

    fn check(&self) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.path)?;
        ensure(found.is_dir(), "the folder is a link or no folder")?;
        ensure(is_own(&found), "the folder belongs to another user")?;
        let marker = self.path.join(MARKER);
        let has_marker = match read_own(&marker)? {
            Some((text, _)) if text == MARKER_TEXT.as_bytes() => true,
            // Another process is writing it, or was killed while it did: the rest of it is the same.
            Some((text, _)) if MARKER_TEXT.as_bytes().starts_with(&text) => false,
            Some(_) => {
                return Err(io::Error::other("the folder is not a store's: its .toolshape-store has other content"));
            }
            None => {
                let is_empty = fs::read_dir(&self.path)?.next().is_none();
                let what = "the folder is not a store's: it is not empty and has no .toolshape-store";
                ensure(is_empty || marker.exists(), what)?;
                false
            }
        };
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&found);
            ensure(mode & 0o077 == 0, "the folder is open to others: name one that only its owner may open (0700)")?;
        }
        if has_marker {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        private(&mut options).open(&marker)?.write_all(MARKER_TEXT.as_bytes())
    }

    /// The file of a key. Nothing else is opened, in particular no other path.
    fn file(&self, key: &str) -> Result<PathBuf, Error> {
        match is_key(key) {
            true => Ok(self.path.join(key)),
            false => {
                let form = "a key is 64 hex digits and .json or .txt, or 16 letters and .handle";
                Err(Error::new(ErrorCode::InvalidHandle, form, "/key"))
            }
        }
    }

    /// Writes to a new name, flushes and renames, so that nobody reads half of a value.
    fn put(&self, path: &Path, value: &str, expires: FileTimes, number: u64) -> io::Result<()> {
        let name = format!("{}:{number}:{:?}", std::process::id(), SystemTime::now());
        let name: String = Sha256::digest(name).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let aside = self.path.join(format!(".{name}.part"));
        let written = || {
            let mut options = OpenOptions::new();
            let mut file = private(options.write(true).create_new(true)).open(&aside)?;
            file.write_all(value.as_bytes())?;
            file.set_times(expires)?;
            file.sync_all()?;
            fs::rename(&aside, path)
        };
        written().inspect_err(|_| drop(fs::remove_file(&aside)))
    }
}

impl Store for FileStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        let Some((bytes, found)) = read_own(&self.file(key)?).map_err(failed)? else { return Ok(None) };
        let is_over = found.modified().map_err(failed)? <= SystemTime::now();
        Ok(if is_over { None } else { String::from_utf8(bytes).ok() })
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        let path = self.file(key)?;
        let bytes = value.len() as u64;
        locked(&self.room).ledger.check(bytes)?;
        let owner = number_of(owner);
        let expires = FileTimes::new().set_modified(expiry(kept_for, owner));
        if read_own(&path).map_err(failed)?.is_some_and(|(content, _)| content == value.as_bytes()) {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return file.set_times(expires).map_err(failed);
        }
        let incoming = Incoming { key: key.to_owned(), bytes, owner: owner.to_string(), kept_for: Duration::MAX };
        let number = locked(&self.room).enter(&self.path, incoming)?;
        let written = self.put(&path, &value, expires, number).map_err(failed);
        locked(&self.room).writing.remove(&number);
        written
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        let path = self.file(key)?;
        let Some(found) = read_own(&path).map_err(failed)?.map(|(_, found)| found) else { return Ok(false) };
        let expires = found.modified().map_err(failed)?;
        if expires <= SystemTime::now() {
            return Ok(false);
        }
        let later = FileTimes::new().set_modified(expiry(kept_for, owner_of(expires)));
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_times(later).map_err(failed).map(|()| true)
    }
}

impl Room {
    /// Makes room for a value and counts it. Returns its number.
    fn enter(&mut self, path: &Path, incoming: Incoming) -> Result<u64, Error> {
        let is_due = self.swept.elapsed().is_ok_and(|since| since > SWEEP);
        if is_due || !self.ledger.has_room(&incoming) {
            self.sweep(path, &incoming)?;
        }
        self.ledger.enter(&incoming, false);
        self.written += 1;
        self.writing.insert(self.written, incoming);
        Ok(self.written)
    }

    /// Deletes what has expired and what a killed process left, then files until there is room for a value.
    fn sweep(&mut self, path: &Path, incoming: &Incoming) -> Result<(), Error> {
        let now = SystemTime::now();
        let mut kept = found(path, now).map_err(failed)?;
        kept.sort();
        self.ledger = self.ledger.emptied();
        for (expires, bytes, key) in kept {
            // The files say themselves when they expire.
            self.ledger
                .enter(&Incoming { key, bytes, owner: owner_of(expires).to_string(), kept_for: Duration::MAX }, false);
        }
        for writing in self.writing.values() {
            self.ledger.enter(writing, true);
        }
        for entry in self.ledger.evict_for(incoming, LEFT)? {
            remove(&path.join(entry.key)).map_err(failed)?;
        }
        self.swept = now;
        Ok(())
    }
}

/// The files of values, each with its expiry and size. What has expired, and what a killed process left, is deleted.
fn found(path: &Path, now: SystemTime) -> io::Result<Vec<(SystemTime, u64, String)>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let (name, found) = (entry.file_name(), entry.metadata()?);
        let name = name.to_string_lossy();
        if !found.is_file() || !is_own(&found) {
            continue;
        }
        let is_over = match is_aside(&name) {
            true => changed(&found).is_some_and(|changed| now.duration_since(changed).is_ok_and(|age| age > ASIDE)),
            false if is_key(&name) => found.modified()? <= now,
            false => continue,
        };
        if is_over {
            remove(&entry.path())?;
        } else if is_key(&name) {
            kept.push((found.modified()?, found.len(), name.into_owned()));
        }
    }
    Ok(kept)
}

fn ensure(is_so: bool, or_else: &str) -> io::Result<()> {
    if is_so { Ok(()) } else { Err(io::Error::other(or_else)) }
}

/// The bytes of a file that a store of this user wrote; links are none.
fn read_own(path: &Path) -> io::Result<Option<(Vec<u8>, Metadata)>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let mut file: File = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => return Ok(None),
        Err(error) => return Err(error),
    };
    let found = file.metadata()?;
    #[cfg(unix)]
    let has_one_name = std::os::unix::fs::MetadataExt::nlink(&found) == 1;
    #[cfg(not(unix))]
    let has_one_name = true;
    if !found.is_file() || !has_one_name || !is_own(&found) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some((bytes, found)))
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
}

#[cfg(unix)]
fn is_own(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// When a file was written: not its modification time, which is in the future.
fn changed(found: &Metadata) -> Option<SystemTime> {
    #[cfg(unix)]
    let changed = {
        let seconds = std::os::unix::fs::MetadataExt::ctime(found);
        u64::try_from(seconds).ok().map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds))
    };
    #[cfg(not(unix))]
    let changed = found.created().ok();
    changed
}

fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn is_aside(name: &str) -> bool {
    name.strip_prefix('.').and_then(|name| name.strip_suffix(".part")).is_some_and(|name| is_hex(name, 32))
}

fn is_key(name: &str) -> bool {
    match name.split_once('.') {
        Some((name, "json" | "txt")) => is_hex(name, 64),
        Some((name, "handle")) => name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_lowercase()),
        _ => false,
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A number for an owner, the same in every language and process.
fn number_of(owner: Option<&str>) -> u64 {
    let digest = Sha256::digest(owner.unwrap_or_default());
    u64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])) % OWNERS
}

/// When a value expires, in hundredths of a second, with the number of its owner in the four digits below them, and half a
/// microsecond, because times are cut there.
fn expiry(ttl: Duration, owner: u64) -> SystemTime {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + ttl.min(LONGEST);
    let hundredths = u64::try_from(at.as_millis() / 10).unwrap_or_default();
    UNIX_EPOCH + Duration::from_nanos((hundredths * OWNERS + owner) * 1000 + 500)
}

/// The number of the owner of a file that expires then.
fn owner_of(expires: SystemTime) -> u64 {
    let microseconds = expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    (microseconds % u128::from(OWNERS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("toolshape-file-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn key(digit: char) -> String {
        format!("{}.txt", digit.to_string().repeat(64))
    }

    #[test]
    fn what_was_written_is_read_by_every_store_until_it_expires() {
        let folder = folder("shared");
        let (one, other) = (FileStore::open(&folder).unwrap(), FileStore::open(&folder).unwrap());
        one.write(&key('a'), "größe".to_owned(), HOUR, Some("who")).unwrap();
        one.write(&key('b'), "two".to_owned(), Duration::ZERO, None).unwrap();
        // Times are kept in hundredths of a second.
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(other.read(&key('a')).unwrap().as_deref(), Some("größe"));
        assert_eq!(other.read(&key('b')).unwrap(), None);
        one.write(&key('e'), "short".to_owned(), Duration::from_millis(200), Some("who")).unwrap();
        assert!(other.renew(&key('e'), HOUR).unwrap() && !other.renew(&key('b'), HOUR).unwrap());
        std::thread::sleep(Duration::from_millis(250));
        assert_eq!(one.read(&key('e')).unwrap().as_deref(), Some("short"));
        one.write(&key('c'), "for ever".to_owned(), Duration::MAX, None).unwrap();
        assert_eq!(other.read(&key('c')).unwrap().as_deref(), Some("for ever"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_key_leads_to_no_other_path() {
        let folder = folder("paths");
        let store = FileStore::open(&folder).unwrap();
        fs::write(folder.join("secret"), "secret").unwrap();
        for wrong in ["../secret", "secret", "", "a/b.txt", MARKER] {
            assert_eq!(store.read(wrong).unwrap_err().code(), ErrorCode::InvalidHandle, "{wrong}");
            assert!(store.write(wrong, String::new(), HOUR, None).is_err(), "{wrong}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_of_others_is_refused() {
        let folder = folder("others");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        #[cfg(unix)]
        fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(FileStore::open(&folder).unwrap_err().code(), ErrorCode::StoreFailed);
        assert!(folder.join("notes.txt").exists() && !folder.join(MARKER).exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let folder = folder("writers");
        let store = FileStore::open(&folder).unwrap();
        std::thread::scope(|scope| {
            for digit in '0'..='9' {
                let store = &store;
                scope.spawn(move || store.write(&key(digit), digit.to_string().repeat(5000), HOUR, None).unwrap());
            }
        });
        for digit in '0'..='9' {
            assert_eq!(store.read(&key(digit)).unwrap(), Some(digit.to_string().repeat(5000)));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
