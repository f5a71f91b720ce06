//! The store in a real Redis, which `cargo xtask test stores` starts.

use std::time::Duration;

use toolshape_stores::{RedisStore, Store};

const HOUR: Duration = Duration::from_secs(3600);

fn address() -> String {
    std::env::var("TOOLSHAPE_REDIS_URL").expect("TOOLSHAPE_REDIS_URL is the address of a Redis")
}

fn key(digit: char) -> String {
    format!("{}.txt", digit.to_string().repeat(64))
}

#[test]
#[ignore = "needs a Redis: cargo xtask test stores"]
fn what_was_written_is_read_by_others_until_it_expires() {
    let (one, other) = (RedisStore::new(&address()).unwrap(), RedisStore::new(&address()).unwrap());
    for (digit, value) in [('a', "größe"), ('b', "base64:IQ=="), ('c', "")] {
        one.write(&key(digit), value.to_owned(), HOUR, Some("who")).unwrap();
        assert_eq!(other.read(&key(digit)).unwrap().as_deref(), Some(value));
    }
    one.write(&key('d'), "soon over".to_owned(), Duration::from_millis(1), None).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(other.read(&key('d')).unwrap(), None);
    assert_eq!(other.read(&key('e')).unwrap(), None);
}

#[test]
#[ignore = "needs a Redis: cargo xtask test stores"]
fn calls_at_the_same_time_get_their_own_answers() {
    let store = RedisStore::new(&address()).unwrap();
    std::thread::scope(|scope| {
        for digit in '0'..='9' {
            let store = &store;
            scope.spawn(move || {
                for round in 0..50 {
                    let value = format!("{digit}{round}").repeat(1000);
                    store.write(&key(digit), value.clone(), HOUR, None).unwrap();
                    assert_eq!(store.read(&key(digit)).unwrap(), Some(value));
                }
            });
        }
    });
}

#[test]
#[cfg(feature = "redis-tls")]
fn an_address_with_tls_is_taken() {
    // Nothing listens there: the connection fails, and not the address.
    let store = RedisStore::new("rediss://127.0.0.1:1").unwrap();
    let error = store.read(&key('a')).unwrap_err();
    assert!(error.message().contains("cannot be reached"), "{}", error.message());
}
