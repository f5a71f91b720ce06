//! A store in a folder, in the layout of the `FileStore` of the npm package (docs/stores.md, "Files").
//!
//! Each result is a file that contains its text and nothing else. The file's modification time is its expiry: so a sweep reads
//! no file, a time to live outlasts the process that set it, and every language uses the same time.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use toolshape::host::STORE_BYTES;
use toolshape::{Error, ErrorCode};

use crate::folder::{Folder, Status};
use crate::ledger::{Incoming, Ledger};
use crate::store::{LONGEST, Limits, Store, failed, locked};

/// The interval of sweeps, which find what other processes have written.
const SWEEP: Duration = Duration::from_secs(60);
/// A temporary file that is older was left by a process that died: no write takes as long.
const ASIDE: Duration = Duration::from_secs(3600);
/// The part of the size that a sweep leaves, so that not every later write sweeps again.
const LEFT: f64 = 0.9;
/// The number of owners that a file's time can express.
const OWNERS: u64 = 10_000;

/// A store in a folder that belongs to this user alone. Several processes may use it, also those of the other packages.
///
/// Links are not followed, neither to the folder nor in it. Each call fails for a folder that is a link, that others may open,
/// or that has files but not the one that marks a store's, `.toolshape-store`.
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
    swept: Option<Instant>,
    written: u64,
    /// What is being written, by its number: a sweep may not see it yet.
    writing: BTreeMap<u64, Incoming>,
}

impl FileStore {
    /// Opens a folder with the default limits: 1 GiB, and 64 MiB for one value. If the folder does not exist, it is made. A `~` at
    /// the start is the user's home.
    ///
    /// # Errors
    /// `STORE_FAILED` for a folder that others may open, or that is for something else.
    ///
    /// ```
    /// use toolshape_stores::FileStore;
    /// assert!(FileStore::open(std::env::temp_dir()).unwrap_err().message().starts_with("the folder "));
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
        // With a slash at its end, a link would be followed.
        let path: PathBuf = std::path::absolute(in_home(path.as_ref())).map_err(failed)?.components().collect();
        Folder::make(&path).map_err(refused("the folder cannot be made"))?;
        let room = Mutex::new(Room { ledger, swept: None, written: 0, writing: BTreeMap::new() });
        Ok(Self { path, room })
    }

    /// Deletes the value under a key, if there is one.
    ///
    /// # Errors
    /// `INVALID_HANDLE` for a name of another form, `STORE_FAILED` if the file cannot be deleted.
    pub fn delete(&self, key: &str) -> Result<(), Error> {
        check_key(key)?;
        let deleted = self.folder().and_then(|folder| folder.map_or(Ok(()), |folder| folder.remove(key)));
        deleted.map_err(refused("the file cannot be deleted"))?;
        locked(&self.room).ledger.forget(key);
        Ok(())
    }

    /// Removes what has expired and what a killed process left, then files until the folder is within its limits. Writes do
    /// this too, from time to time.
    ///
    /// # Errors
    /// `STORE_FAILED` if a file cannot be removed.
    pub fn sweep(&self) -> Result<(), Error> {
        let sweep = |folder: &Folder| locked(&self.room).sweep(folder, &Incoming::default(), SystemTime::now());
        let swept = self.folder().and_then(|folder| folder.as_ref().map_or(Ok(()), sweep));
        swept.map_err(refused("the folder cannot be swept"))
    }

    /// The folder; nothing if there is none by now.
    fn folder(&self) -> io::Result<Option<Folder>> {
        Folder::open(&self.path)
    }
}

impl Store for FileStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        check_key(key)?;
        let found = self.folder().and_then(|folder| folder.map_or(Ok(None), |folder| folder.read(key)));
        let found = found.map_err(refused("the file cannot be read"))?;
        Ok(found.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        check_key(key)?;
        let bytes = value.len() as u64;
        locked(&self.room).ledger.check(bytes)?;
        let owner = number_of(owner);
        let expires = expiry(kept_for, owner);
        let folder = Folder::make(&self.path).map_err(refused(UNWRITTEN))?;
        // A file that cannot be read is replaced.
        if folder.prolong(key, Some(value.as_bytes()), |_| expires).unwrap_or_default() {
            return Ok(());
        }
        let incoming = Incoming { key: key.to_owned(), bytes, owner: owner.to_string(), kept_for: Duration::MAX };
        let number = locked(&self.room).enter(&folder, incoming)?;
        let written = folder.write(key, value.as_bytes(), expires);
        locked(&self.room).writing.remove(&number);
        written.map_err(refused(UNWRITTEN))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        check_key(key)?;
        let expires = |found: &Status| expiry(kept_for, owner_of(found.modified));
        let renewed =
            self.folder().and_then(|folder| folder.map_or(Ok(false), |folder| folder.prolong(key, None, expires)));
        renewed.map_err(refused(UNWRITTEN))
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        let refused = refused("the files cannot be deleted");
        let Some(folder) = self.folder().map_err(&refused)? else { return Ok(0) };
        let mut count = 0;
        for (name, found) in folder.files().map_err(&refused)? {
            if is_key(&name) && name.starts_with(beginning) {
                self.delete(&name)?;
                count += u64::from(found.modified > SystemTime::now());
            }
        }
        Ok(count)
    }
}

const UNWRITTEN: &str = "the file cannot be written";

impl Room {
    /// Makes room for a value and counts it. Returns its number.
    fn enter(&mut self, folder: &Folder, incoming: Incoming) -> Result<u64, Error> {
        let is_due = self.swept.is_none_or(|at| at.elapsed() >= SWEEP);
        if is_due || !self.ledger.has_room(&incoming) {
            match self.sweep(folder, &incoming, SystemTime::now()) {
                Err(error) if error.raw_os_error().is_none() => return Err(failed(words(&error))),
                // A value may be kept even if a sweep fails; the next write sweeps again.
                _ => {}
            }
        }
        self.ledger.enter(&incoming, false);
        self.written += 1;
        self.writing.insert(self.written, incoming);
        Ok(self.written)
    }

    /// Deletes what has expired and what a killed process left, then files until there is room for a value.
    fn sweep(&mut self, folder: &Folder, incoming: &Incoming, now: SystemTime) -> io::Result<()> {
        let mut kept = Vec::new();
        for (name, found) in folder.files()? {
            if is_key(&name) && found.modified > now {
                kept.push((name, found));
            } else if is_key(&name) {
                folder.remove_same(&name, &found)?;
            } else if is_aside(&name) && now.duration_since(found.changed).is_ok_and(|age| age > ASIDE) {
                folder.remove(&name)?;
            }
        }
        kept.sort_by_key(|(_, found)| found.modified);
        let mut ledger = self.ledger.emptied();
        for (key, found) in &kept {
            // The files say themselves when they expire.
            let (bytes, owner, kept_for) = (found.bytes, owner_of(found.modified).to_string(), Duration::MAX);
            ledger.enter(&Incoming { key: key.clone(), bytes, owner, kept_for }, false);
        }
        for writing in self.writing.values() {
            ledger.enter(writing, true);
        }
        let gone = ledger.evict_for(incoming, LEFT).map_err(|full| io::Error::other(full.message().to_owned()))?;
        let kept: HashMap<String, Status> = kept.into_iter().collect();
        for key in gone.iter().map(|entry| &entry.key) {
            folder.remove_same(key, &kept[key])?;
        }
        self.ledger = ledger;
        self.swept = Some(Instant::now());
        Ok(())
    }
}

/// The error that names what the system refused, or what is wrong with the folder.
fn refused(what: &str) -> impl Fn(io::Error) -> Error {
    move |error| match error.raw_os_error() {
        Some(_) => failed(format_args!("{what}: {}", words(&error))),
        None => failed(words(&error)),
    }
}

/// What an error says, without the system's number.
fn words(error: &io::Error) -> String {
    let said = error.to_string();
    let number = error.raw_os_error().map(|code| format!(" (os error {code})")).unwrap_or_default();
    said.strip_suffix(&number).unwrap_or(&said).to_owned()
}

/// `INVALID_HANDLE` for a name of another form: nothing else is opened, in particular no other path.
fn check_key(key: &str) -> Result<(), Error> {
    let form = "a key is 64 hex digits and .json or .txt, or 16 letters and .handle";
    if is_key(key) { Ok(()) } else { Err(Error::new(ErrorCode::InvalidHandle, form, "/key")) }
}

/// A path in which `~` at the start is the user's home.
pub fn in_home(path: &Path) -> Cow<'_, Path> {
    match (path.strip_prefix("~"), std::env::home_dir().filter(|home| home.is_absolute())) {
        (Ok(rest), Some(home)) => Cow::Owned(home.join(rest)),
        _ => Cow::Borrowed(path),
    }
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

    #[test]
    fn what_lost_its_writer_an_hour_ago_is_swept() {
        let path = std::env::temp_dir().join(format!("toolshape-aside-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let store = FileStore::open(&path).unwrap();
        let (key, left) = (format!("{}.txt", "a".repeat(64)), path.join(format!(".{}.part", "1".repeat(32))));
        store.write(&key, "[1]".to_owned(), Duration::from_secs(7200), None).unwrap();
        std::fs::write(&left, "half").unwrap();
        let sweep = |after| {
            let folder = Folder::open(&path).unwrap().unwrap();
            let now = SystemTime::now() + Duration::from_secs(after);
            locked(&store.room).sweep(&folder, &Incoming::default(), now).unwrap();
        };
        sweep(3590);
        assert!(left.exists());
        sweep(3610);
        assert!(!left.exists() && path.join(key).exists());
        std::fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_tilde_is_the_users_home() {
        let home = std::env::home_dir().unwrap();
        for (path, wanted) in [("~/x/y", home.join("x/y")), ("~", home), ("a/~/b", "a/~/b".into()), ("~x", "~x".into())]
        {
            assert_eq!(in_home(Path::new(path)), wanted);
        }
    }
}
