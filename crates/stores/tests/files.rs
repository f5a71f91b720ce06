//! The store in a folder among others: other processes, links, and whatever else is in its folder.

use std::fs::{self, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use toolshape::{Error, ErrorCode};
use toolshape_stores::{FileStore, Limits, Store};

const HOUR: Duration = Duration::from_secs(3600);
const MARKER: &str = ".toolshape-store";

/// A path at which nothing is, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toolshape-file-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn store(&self) -> FileStore {
        FileStore::open(&self.0).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in the folder, except what marks it.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != MARKER).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(digit: char) -> String {
    format!("{}.txt", digit.to_string().repeat(64))
}

fn put(store: &FileStore, digit: char, value: &str) -> Result<(), Error> {
    store.write(&key(digit), value.to_owned(), HOUR, None)
}

fn get(store: &FileStore, digit: char) -> Option<String> {
    store.read(&key(digit)).unwrap()
}

fn expire(file: &Path) {
    let past = SystemTime::now() - Duration::from_secs(1);
    fs::File::options().write(true).open(file).unwrap().set_times(FileTimes::new().set_modified(past)).unwrap();
}

fn expiry(file: &Path) -> SystemTime {
    fs::metadata(file).unwrap().modified().unwrap()
}

/// Each method of a store, by what it fails with.
fn failures(store: &FileStore) -> Vec<Error> {
    let failed = [
        store.read(&key('a')).err(),
        put(store, 'a', "[]").err(),
        store.renew(&key('a'), HOUR).err(),
        store.delete(&key('a')).err(),
        store.sweep().err(),
    ];
    failed.into_iter().map(|failed| failed.expect("every method fails")).collect()
}

#[test]
fn what_was_written_is_read_by_every_store_until_it_expires() {
    let scratch = Scratch::new("shared");
    let (one, other) = (scratch.store(), scratch.store());
    one.write(&key('a'), "größe".to_owned(), HOUR, Some("who")).unwrap();
    one.write(&key('b'), "two".to_owned(), Duration::ZERO, None).unwrap();
    one.write(&key('d'), String::new(), HOUR, None).unwrap();
    one.write(&key('d'), String::new(), HOUR, None).unwrap();
    // Times are kept in hundredths of a second.
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(get(&other, 'a').as_deref(), Some("größe"));
    assert_eq!((get(&other, 'b'), get(&other, 'd').as_deref()), (None, Some("")));
    one.write(&key('e'), "short".to_owned(), Duration::from_millis(200), Some("who")).unwrap();
    assert!(other.renew(&key('e'), HOUR).unwrap() && !other.renew(&key('b'), HOUR).unwrap());
    std::thread::sleep(Duration::from_millis(250));
    assert_eq!(get(&one, 'e').as_deref(), Some("short"));
    one.write(&key('c'), "for ever".to_owned(), Duration::MAX, None).unwrap();
    assert_eq!(get(&other, 'c').as_deref(), Some("for ever"));
    one.delete(&key('c')).unwrap();
    one.delete(&key('c')).unwrap();
    assert_eq!(get(&other, 'c'), None);
}

#[test]
fn a_key_leads_to_no_other_path() {
    let scratch = Scratch::new("paths");
    let store = scratch.store();
    fs::write(scratch.file("secret"), "secret").unwrap();
    for wrong in ["../secret", "secret", "", "a/b.txt", MARKER] {
        assert_eq!(store.read(wrong).unwrap_err().code(), ErrorCode::InvalidHandle, "{wrong}");
        assert!(store.write(wrong, String::new(), HOUR, None).is_err(), "{wrong}");
        assert!(store.delete(wrong).is_err() && store.renew(wrong, HOUR).is_err(), "{wrong}");
    }
    assert_eq!(fs::read(scratch.file("secret")).unwrap(), b"secret");
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let scratch = Scratch::new("writers");
    let store = scratch.store();
    std::thread::scope(|scope| {
        for digit in '0'..='9' {
            let store = &store;
            scope.spawn(move || put(store, digit, &digit.to_string().repeat(5000)).unwrap());
        }
    });
    for digit in '0'..='9' {
        assert_eq!(get(&store, digit), Some(digit.to_string().repeat(5000)));
    }
}

#[test]
fn the_same_again_lives_longer_and_never_shorter() {
    let scratch = Scratch::new("again");
    let (store, file) = (scratch.store(), scratch.file(&key('a')));
    let write = |value: &str, seconds| {
        store.write(&key('a'), value.to_owned(), Duration::from_secs(seconds), None).unwrap();
        expiry(&file)
    };
    let first = write("[1]", 100);
    assert_eq!(write("[1]", 10), first);
    assert!(store.renew(&key('a'), Duration::from_secs(10)).unwrap());
    assert_eq!(expiry(&file), first);
    assert!(write("[1]", 1000) > first + Duration::from_secs(800));
    // Other content under the name is replaced, and its time with it.
    assert!(write("[2]", 10) < first);
    assert_eq!(get(&store, 'a').as_deref(), Some("[2]"));
}

#[test]
fn a_folder_that_vanishes_is_made_again() {
    let scratch = Scratch::new("vanishes");
    let store = scratch.store();
    fs::remove_dir_all(&scratch.0).unwrap();
    store.sweep().unwrap();
    store.delete(&key('a')).unwrap();
    assert_eq!((get(&store, 'a'), store.renew(&key('a'), HOUR)), (None, Ok(false)));
    put(&store, 'a', "[1]").unwrap();
    assert_eq!(get(&store, 'a').as_deref(), Some("[1]"));
}

#[test]
fn a_sweep_removes_by_age_then_by_size_and_nothing_of_others() {
    let scratch = Scratch::new("sweep");
    let store = FileStore::open_with_limits(&scratch.0, Limits::default().max_bytes(100)).unwrap();
    put(&store, 'a', &"x".repeat(40)).unwrap();
    put(&store, 'b', &"y".repeat(40)).unwrap();
    let short = format!("{}.json", "a".repeat(63));
    let fresh = format!(".{}.part", "1".repeat(32));
    let others = ["notes.txt", "a.json", &short, ".hidden", &fresh];
    for name in others {
        fs::write(scratch.file(name), "z".repeat(500)).unwrap();
    }
    store.sweep().unwrap();
    assert_eq!(scratch.names().len(), 7);
    expire(&scratch.file(&key('a')));
    store.sweep().unwrap();
    assert!(get(&store, 'a').is_none() && !scratch.file(&key('a')).exists() && get(&store, 'b').is_some());
    // Another process writes, of the same owner, whose number is in the last digits, and what expires sooner.
    fs::write(scratch.file(&key('c')), "w".repeat(80)).unwrap();
    let sooner = expiry(&scratch.file(&key('b'))) - Duration::from_secs(20);
    let file = fs::File::options().write(true).open(scratch.file(&key('c'))).unwrap();
    file.set_times(FileTimes::new().set_modified(sooner)).unwrap();
    store.sweep().unwrap();
    assert!(get(&store, 'c').is_none() && get(&store, 'b').is_some());
    assert!(others.iter().all(|name| scratch.file(name).exists()));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folder_and_files_are_the_owners_alone() {
        let scratch = Scratch::new("modes");
        put(&FileStore::open(scratch.file("deep/store")).unwrap(), 'a', "[1]").unwrap();
        let found = ["", "deep", "deep/store"].map(|name| mode(&scratch.file(name)));
        assert_eq!(found, [0o700; 3]);
        assert_eq!([MARKER, &key('a')].map(|name| mode(&scratch.file("deep/store").join(name))), [0o600; 2]);
    }

    /// Plants something under the name of a value.
    type Plant = fn(&Path, &Path);

    #[test]
    fn what_is_planted_under_a_name_is_not_read_and_not_written_through() {
        let plants: [(&str, Plant); 5] = [
            ("link", |planted, victim| symlink(victim, planted).unwrap()),
            ("dangling", |planted, victim| symlink(victim.with_extension("nowhere"), planted).unwrap()),
            ("hard link", |planted, victim| fs::hard_link(victim, planted).unwrap()),
            ("folder", |planted, _| fs::create_dir(planted).unwrap()),
            ("pipe", |planted, _| {
                assert!(std::process::Command::new("mkfifo").arg(planted).status().unwrap().success());
            }),
        ];
        for (what, plant) in plants {
            let scratch = Scratch::new(&format!("plant {what}"));
            let (store, planted, victim) = (scratch.store(), scratch.file(&key('a')), scratch.file("victim"));
            fs::write(&victim, "of another").unwrap();
            let later = FileTimes::new().set_modified(SystemTime::now() + HOUR);
            fs::File::options().write(true).open(&victim).unwrap().set_times(later).unwrap();
            plant(&planted, &victim);
            assert_eq!((get(&store, 'a'), store.renew(&key('a'), HOUR)), (None, Ok(false)), "{what}");
            store.sweep().unwrap();
            let written = put(&store, 'a', "of another");
            if what == "folder" {
                let message = "the file cannot be written: Is a directory";
                assert_eq!(written.unwrap_err().message(), message);
                assert_eq!(get(&store, 'a'), None);
            } else {
                written.unwrap();
                assert_eq!(get(&store, 'a').as_deref(), Some("of another"), "{what}");
                assert!(fs::symlink_metadata(&planted).unwrap().is_file(), "{what}");
                fs::write(&planted, "changed").unwrap();
            }
            assert_eq!(fs::read(&victim).unwrap(), b"of another", "{what}");
            assert!(!victim.with_extension("nowhere").exists());
            assert_eq!(scratch.names(), [&key('a'), "victim"]);
        }
    }

    #[test]
    fn a_sweep_deletes_regular_files_alone() {
        let scratch = Scratch::new("regular");
        let store = scratch.store();
        let past = SystemTime::now() - HOUR;
        symlink("/nowhere", scratch.file(&key('a'))).unwrap();
        fs::create_dir(scratch.file(&key('b'))).unwrap();
        fs::File::open(scratch.file(&key('b'))).unwrap().set_times(FileTimes::new().set_modified(past)).unwrap();
        store.sweep().unwrap();
        assert_eq!(scratch.names(), [key('a'), key('b')]);
    }

    /// Fills a folder that is not a store's.
    type Fill<'a> = &'a dyn Fn(&Path);

    #[test]
    fn a_folder_of_another_use_is_refused_and_left_as_it_is() {
        let text = {
            let scratch = Scratch::new("marker");
            scratch.store();
            fs::read_to_string(scratch.file(MARKER)).unwrap()
        };
        let longer = format!("{text}more");
        let fills: [(&str, Fill<'_>); 7] = [
            ("files", &|folder| fs::write(folder.join("thesis.tex"), "x").unwrap()),
            ("a folder", &|folder| fs::create_dir(folder.join("photos")).unwrap()),
            ("results without a marker", &|folder| {
                fs::write(folder.join(key('a')), "[1]").unwrap();
                expire(&folder.join(key('a')));
            }),
            ("a linked marker", &|folder| symlink("/nowhere", folder.join(MARKER)).unwrap()),
            ("a marker that is a folder", &|folder| fs::create_dir(folder.join(MARKER)).unwrap()),
            ("another marker", &|folder| fs::write(folder.join(MARKER), "a store of wine\n").unwrap()),
            ("a longer marker", &|folder| fs::write(folder.join(MARKER), &longer).unwrap()),
        ];
        for (what, fill) in fills {
            let scratch = Scratch::new(&format!("use {what}"));
            let store = scratch.store();
            fs::remove_file(scratch.file(MARKER)).unwrap();
            fill(&scratch.0);
            let picture = || {
                let entries = fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap());
                let mut all: Vec<_> = entries
                    .map(|entry| {
                        let found = entry.metadata().unwrap();
                        (entry.file_name(), found.permissions().mode(), found.modified().unwrap())
                    })
                    .collect();
                all.sort();
                all
            };
            let before = picture();
            let mut failed = failures(&store);
            failed.push(FileStore::open(&scratch.0).unwrap_err());
            for failed in failed {
                assert_eq!(failed.code(), ErrorCode::StoreFailed, "{what}");
                let message = failed.message();
                assert!(message.contains("the folder is not a store's: "), "{what}: {message}");
                assert!(message.ends_with("; name a new or empty folder, or empty this one"), "{what}: {message}");
            }
            assert_eq!(picture(), before, "{what}");
        }
    }

    #[test]
    fn a_folder_that_becomes_a_link_or_open_to_others_is_refused() {
        let (scratch, elsewhere) = (Scratch::new("became"), Scratch::new("elsewhere"));
        let store = scratch.store();
        set_mode(&scratch.0, 0o750);
        let message = "the folder is open to others (mode 0750): name one that only its owner may open (0700)";
        assert!(failures(&store).iter().all(|failed| failed.message() == message));
        assert_eq!(mode(&scratch.0), 0o750);
        fs::remove_dir_all(&scratch.0).unwrap();
        fs::create_dir(&elsewhere.0).unwrap();
        set_mode(&elsewhere.0, 0o700);
        symlink(&elsewhere.0, &scratch.0).unwrap();
        assert!(failures(&store).iter().all(|failed| failed.message() == "the folder is a link, or none"));
        let with_slash = format!("{}/", scratch.0.display());
        assert_eq!(FileStore::open(with_slash).unwrap_err().message(), "the folder is a link, or none");
        assert!(elsewhere.names().is_empty());
        fs::remove_file(&scratch.0).unwrap();
        fs::write(&scratch.0, "a file").unwrap();
        assert!(failures(&store).iter().all(|failed| failed.code() == ErrorCode::StoreFailed));
        fs::remove_file(&scratch.0).unwrap();
    }

    #[test]
    fn a_marker_whose_writer_was_killed_is_written_again() {
        let scratch = Scratch::new("killed");
        scratch.store();
        let text = fs::read(scratch.file(MARKER)).unwrap();
        for part in [&text[..0], &text[..50]] {
            fs::write(scratch.file(MARKER), part).unwrap();
            scratch.store();
            assert_eq!(fs::read(scratch.file(MARKER)).unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_replaced() {
        let scratch = Scratch::new("unreadable");
        let store = scratch.store();
        put(&store, 'a', "[1]").unwrap();
        set_mode(&scratch.file(&key('a')), 0o000);
        put(&store, 'a', "[2]").unwrap();
        assert_eq!(get(&store, 'a').as_deref(), Some("[2]"));
    }
}
