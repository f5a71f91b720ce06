//! What the limits of every store promise: of one value, of all, and of each owner. `js-tests/stores/limits.mjs` and
//! `test_store_limits.py` test the same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use toolshape::{Error, ErrorCode};
use toolshape_stores::{FileStore, Limits, MemoryStore, Store};

type Make<'a> = &'a dyn Fn(Limits) -> Result<Box<dyn Store>, Error>;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Tests each kind of store.
fn each(test: impl Fn(Make<'_>)) {
    test(&|limits| Ok(Box::new(MemoryStore::with_limits(limits)?)));
    let folder = std::env::temp_dir().join(format!("toolshape-limits-{}", std::process::id()));
    let folder = folder.join(COUNT.fetch_add(1, Ordering::Relaxed).to_string());
    test(&|limits| Ok(Box::new(FileStore::open_with_limits(&folder, limits)?)));
    let _ = std::fs::remove_dir_all(&folder);
    #[cfg(feature = "redis")]
    if let Ok(address) = std::env::var("TOOLSHAPE_REDIS_URL") {
        test(&|limits| Ok(Box::new(toolshape_stores::ServiceStore::new_with_limits(&address, limits)?)));
    }
    #[cfg(feature = "redis")]
    for address in std::env::var("TOOLSHAPE_SERVICES").unwrap_or_default().split_whitespace() {
        test(&|limits| Ok(Box::new(toolshape_stores::ServiceStore::new_with_limits(address, limits)?)));
    }
}

/// Writes values of a size, each new, and says which of them are there.
struct Writer(Box<dyn Store>);

impl Writer {
    fn put(&self, owner: Option<&str>, bytes: usize) -> Result<String, Error> {
        self.put_for(owner, bytes, Duration::from_secs(60))
    }

    fn put_for(&self, owner: Option<&str>, bytes: usize, kept_for: Duration) -> Result<String, Error> {
        let key = format!("{:064x}.txt", COUNT.fetch_add(1, Ordering::Relaxed));
        self.0.write(&key, "x".repeat(bytes), kept_for, owner)?;
        Ok(key)
    }

    fn there(&self, keys: &[String]) -> Vec<bool> {
        keys.iter().map(|key| self.0.read(key).unwrap().is_some()).collect()
    }
}

#[test]
fn a_value_over_a_limit_is_refused_and_what_is_there_stays() {
    each(|make| {
        let limits = Limits::default().max_bytes(1000).max_value_bytes(200).max_share(0.15);
        let writer = Writer(make(limits).unwrap());
        let first = writer.put(Some("a"), 100).unwrap();
        for (bytes, whose) in [(1001, "1000 of the whole store"), (201, "200 of one value"), (151, "150 of one owner")]
        {
            let refused = writer.put(Some("a"), bytes).unwrap_err();
            assert_eq!(refused.code(), ErrorCode::StoreFailed);
            assert_eq!(refused.message(), format!("the value has {bytes} bytes, more than the {whose}"));
        }
        assert_eq!(writer.there(&[first]), [true]);
    });
}

#[test]
fn an_owner_over_its_share_loses_its_own_oldest_and_nothing_of_others() {
    each(|make| {
        let writer = Writer(make(Limits::default().max_bytes(1000).max_share(0.3)).unwrap());
        let others = [writer.put(Some("b"), 100).unwrap(), writer.put(None, 100).unwrap()];
        let kept_for = |at: u64| Duration::from_secs(60 + at);
        let own: Vec<String> = (0..20).map(|at| writer.put_for(Some("a"), 100, kept_for(at)).unwrap()).collect();
        let left = writer.there(&own);
        assert!(left[19] && left.iter().filter(|&&is_there| is_there).count() <= 3, "{left:?}");
        assert!(left.is_sorted(), "the oldest go first: {left:?}");
        assert_eq!(writer.there(&others), [true, true]);
    });
}

#[test]
fn a_flood_of_one_owner_evicts_no_other_whatever_its_share() {
    each(|make| {
        let writer = Writer(make(Limits::default().max_bytes(1000)).unwrap());
        let others = ["b", "c"].map(|owner| writer.put(Some(owner), 200).unwrap());
        for _ in 0..50 {
            let key = writer.put(Some("a"), 90).unwrap();
            assert_eq!(writer.there(&[key]), [true]);
        }
        assert_eq!(writer.there(&others), [true, true]);
        // A value that has room only if others lose their equal part is refused.
        let refused = writer.put(Some("a"), 700).unwrap_err();
        assert_eq!(refused.message(), "the store has no room left for a value of 700 bytes");
        assert_eq!(writer.there(&others), [true, true]);
    });
}

#[test]
fn the_largest_owner_is_evicted_for_a_new_one() {
    each(|make| {
        let writer = Writer(make(Limits::default().max_bytes(1000)).unwrap());
        let most: Vec<String> = (0..10).map(|_| writer.put(Some("a"), 100).unwrap()).collect();
        let others = [(Some("b"), 100), (Some("b"), 100), (None, 300)];
        let others = others.map(|(owner, bytes)| writer.put(owner, bytes).unwrap());
        assert_eq!(writer.there(&others), [true, true, true]);
        assert!(writer.there(&most).into_iter().filter(|&is_there| is_there).count() <= 5);
    });
}

#[test]
fn all_together_stay_below_the_limit_when_many_write_at_once() {
    each(|make| {
        let writer = Writer(make(Limits::default().max_bytes(1000)).unwrap());
        let keys: Vec<String> = std::thread::scope(|scope| {
            let put = |at: usize| writer.put(Some(&format!("owner {}", at % 3)), 100);
            let writers: Vec<_> = (0..30).map(|at| scope.spawn(move || put(at))).collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap().ok()).collect()
        });
        let kept = writer.there(&keys).into_iter().filter(|&is_there| is_there).count();
        assert!(kept > 0 && kept <= 10, "{kept}");
    });
}

#[test]
fn what_expired_goes_first_and_its_room_is_used() {
    let writer = Writer(Box::new(MemoryStore::with_limits(Limits::default().max_bytes(200)).unwrap()));
    let long = writer.put(None, 100).unwrap();
    let short = writer.put_for(None, 100, Duration::ZERO).unwrap();
    let new = writer.put(None, 100).unwrap();
    assert_eq!(writer.there(&[long, short, new]), [true, false, true]);
}

#[test]
fn limits_out_of_range_are_refused() {
    each(|make| {
        let none = Limits::default();
        let wrong = [none.max_bytes(0), none.max_value_bytes(0), none.max_share(0.0), none.max_share(1.1)];
        let wrong = wrong.map(|limits| make(limits).err().unwrap().message().to_owned());
        assert_eq!(wrong[0], "max_bytes is 0; it takes a number over 0");
        assert_eq!(wrong[1], "max_value_bytes is 0; it takes a number over 0");
        assert_eq!(wrong[2], "max_share is 0; it takes a number over 0, at most 1");
        assert_eq!(wrong[3], "max_share is 1.1; it takes a number over 0, at most 1");
        assert!(make(none.max_share(f64::NAN)).is_err());
    });
}

#[test]
fn what_begins_with_a_text_is_deleted_and_nothing_else() {
    each(|make| {
        let writer = Writer(make(Limits::default()).unwrap());
        let key = |tenant: char, rest: usize| format!("{}{rest:032x}.json", tenant.to_string().repeat(32));
        let put = |key: &String| writer.0.write(key, "a value".to_owned(), Duration::from_secs(60), Some("a")).unwrap();
        // More than a service lists at once.
        let (own, others): (Vec<String>, _) = ((0..2100).map(|at| key('a', at)).collect(), [key('b', 1), key('c', 2)]);
        own.iter().chain(&others).for_each(put);
        assert_eq!(writer.0.delete_all(&"a".repeat(32)).unwrap(), 2100);
        assert!(writer.there(&own).into_iter().all(|is_there| !is_there));
        assert_eq!(writer.there(&others), [true, true]);
        assert_eq!(writer.0.delete_all(&"a".repeat(32)).unwrap(), 0);
        put(&own[0]);
        assert_eq!(writer.there(&own[..1]), [true]);
        assert_eq!(others.iter().map(|key| writer.0.delete_all(&key[..32]).unwrap()).sum::<u64>(), 2);
    });
}
