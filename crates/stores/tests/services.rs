//! The store in real services, which `cargo xtask test stores` and `cargo xtask test services` start: `TOOLSHAPE_SERVICES` has
//! their addresses, divided by spaces.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolshape_stores::{Limits, ServiceStore, Store};

const HOUR: Duration = Duration::from_secs(3600);

/// Tests the store in each service.
fn each(test: impl Fn(&str)) {
    let addresses = std::env::var("TOOLSHAPE_SERVICES").expect("TOOLSHAPE_SERVICES has addresses of services");
    let mut count = 0;
    for address in addresses.split_whitespace() {
        println!("{address}");
        test(address);
        count += 1;
    }
    assert!(count > 0, "TOOLSHAPE_SERVICES is empty");
}

/// A key of this process.
fn key(name: char) -> String {
    format!("{:0>63}{name}.txt", format_args!("{:x}", std::process::id()).to_string())
}

/// JSON as tools return it, over the size from which values are compressed.
fn rows() -> String {
    (0..2000).map(|id| format!(r#"{{"id":{id},"name":"größe {id}","state":"open"}},"#)).collect()
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn what_was_written_is_read_by_others_until_it_expires() {
    each(|address| {
        let one = ServiceStore::new(address).unwrap();
        let other = ServiceStore::new(address).unwrap();
        one.check().unwrap();
        for (digit, value) in [('a', "größe".to_owned()), ('b', "base64:IQ==".to_owned()), ('c', rows())] {
            for (writer, reader) in [(&one, &other), (&other, &one)] {
                writer.write(&key(digit), value.clone(), HOUR, Some("who")).unwrap();
                assert_eq!(reader.read(&key(digit)).unwrap().as_ref(), Some(&value));
            }
        }
        one.write(&key('d'), "soon over".to_owned(), Duration::from_millis(1), None).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(other.read(&key('d')).unwrap(), None);
        assert_eq!(other.read(&key('e')).unwrap(), None);
    });
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn a_value_that_is_there_is_kept_longer_without_sending_it_again() {
    each(|address| {
        let store = ServiceStore::new(address).unwrap();
        let twelve_hours = 12 * HOUR;
        assert!(!store.renew(&key('z'), HOUR).unwrap(), "nothing is there");
        store.write(&key('f'), "short".to_owned(), Duration::from_millis(1500), None).unwrap();
        let is_renewed = store.renew(&key('f'), twelve_hours).unwrap();
        // An object cannot be kept longer, and is written again.
        if !is_renewed {
            store.write(&key('f'), "short".to_owned(), twelve_hours, None).unwrap();
        }
        std::thread::sleep(Duration::from_millis(2000));
        assert_eq!(store.read(&key('f')).unwrap().as_deref(), Some("short"));
        assert!(store.renew(&key('f'), twelve_hours).unwrap());
        store.write(&key('f'), "over".to_owned(), Duration::from_millis(1), None).unwrap();
    });
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn what_is_evicted_is_deleted() {
    each(|address| {
        let store = ServiceStore::new_with_limits(address, Limits::default().max_bytes(1000)).unwrap();
        for digit in ['1', '2', '3'] {
            store.write(&key(digit), "x".repeat(400), HOUR, None).unwrap();
        }
        let there = ['1', '2', '3'].map(|digit| store.read(&key(digit)).unwrap().is_some());
        assert_eq!(there, [false, true, true]);
    });
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn calls_at_the_same_time_get_their_own_answers() {
    each(|address| {
        let store = ServiceStore::new(address).unwrap();
        let confirmed = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for digit in '0'..='9' {
                let (store, confirmed) = (&store, &confirmed);
                scope.spawn(move || {
                    for round in 0..50 {
                        let value = format!("{digit}{round}").repeat(1000);
                        store.write(&key(digit), value.clone(), HOUR, None).unwrap();
                        assert_eq!(store.read(&key(digit)).unwrap(), Some(value));
                        confirmed.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(confirmed.into_inner(), 500);
    });
}

#[test]
#[cfg(feature = "redis-tls")]
fn an_address_with_tls_is_taken() {
    // Nothing listens there: the connection fails, and not the address.
    let store = ServiceStore::new("rediss://127.0.0.1:1").unwrap();
    assert!(store.check().unwrap_err().message().contains("refused"));
}

#[test]
fn an_address_of_another_form_is_refused_without_its_password() {
    for address in [
        "mysql://root:secret@db/results",
        "redis+sentinell://:secret@a:1",
        "redis://:secret@host:port",
        "redis+cluster://:secret@",
        "postgres://user:secret@host:port/db",
        "s3://key:secret@bucket",
        "ftp:secret",
    ] {
        let refusal = ServiceStore::new(address).unwrap_err();
        assert!(!refusal.message().contains("secret"), "{address}: {}", refusal.message());
    }
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn large_values_go_to_the_second_service_and_to_the_first_where_it_fails() {
    each(|address| {
        let (small, large) = ("small".to_owned(), rows());
        let tiers = ServiceStore::new(address).unwrap().and_for_large(address, 1000).unwrap().encrypted(&[3; 32]);
        let lame = ServiceStore::new(address).unwrap().and_for_large("redis://127.0.0.1:1", 1000).unwrap();
        let lame = lame.encrypted(&[3; 32]);
        for store in [&tiers, &lame] {
            store.write(&key('6'), small.clone(), HOUR, None).unwrap();
            store.write(&key('7'), large.clone(), HOUR, None).unwrap();
            assert_eq!(store.read(&key('6')).unwrap().as_ref(), Some(&small));
            assert_eq!(store.read(&key('7')).unwrap().as_ref(), Some(&large));
        }
        // Nobody reads it without the secret.
        assert!(ServiceStore::new(address).unwrap().read(&key('7')).is_err());
    });
}

/// A store of a replica where each tenant has at most 1000 bytes; none of a service that cannot count.
fn replica(address: &str) -> Option<ServiceStore> {
    let store = ServiceStore::new(address).unwrap().within(1000);
    assert_eq!(store.is_err(), address.starts_with("s3://"), "{address}");
    store.ok()
}

/// The key of a content of a tenant, whose name is 32 characters.
fn content(tenant: char, number: usize) -> String {
    let process = std::process::id();
    format!("{process:x>31}{tenant}{number:032x}.json")
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn replicas_hold_one_limit_of_each_tenant() {
    each(|address| {
        let (Some(one), Some(other)) = (replica(address), replica(address)) else { return };
        let put = |store: &ServiceStore, tenant: char, number: usize, bytes: usize| {
            let (key, value) = (content(tenant, number), number.to_string().repeat(bytes));
            store.write_content(&key, value, HOUR, Some("who")).map_err(|error| error.message().to_owned())
        };
        let refused = Err("the tenant has no room left for a value of 300 bytes".to_owned());
        for (number, store) in [&one, &other, &one].into_iter().enumerate() {
            put(store, 'a', number, 300).unwrap();
        }
        assert_eq!((put(&one, 'a', 3, 300), put(&other, 'a', 4, 300)), (refused.clone(), refused.clone()));
        assert_eq!(other.read(&content('a', 3)).unwrap(), None, "what is refused is not kept");
        // A smaller one has room, one that is there does not count again, and other tenants have their own.
        put(&other, 'a', 5, 100).unwrap();
        put(&other, 'a', 0, 300).unwrap();
        put(&one, 'b', 0, 900).unwrap();
        // What is not a content passes: sessions go on.
        other.write(&content('a', 6), "x".repeat(500), HOUR, None).unwrap();
        assert!(other.delete_all(&content('a', 0)[..32]).unwrap() >= 5);
        put(&one, 'a', 7, 900).unwrap();
    });
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn what_has_expired_leaves_room_for_its_tenant_and_what_is_renewed_does_not() {
    each(|address| {
        let (Some(one), Some(other)) = (replica(address), replica(address)) else { return };
        let short = Duration::from_secs(4);
        [&one, &other].iter().for_each(|store| store.check().unwrap());
        let put = |store: &ServiceStore, number: usize| {
            store.write_content(&content('c', number), "x".repeat(400), short, Some("who")).is_ok()
        };
        assert_eq!([put(&one, 0), put(&other, 1), put(&one, 2)], [true, true, false]);
        assert!(other.renew(&content('c', 0), HOUR).unwrap());
        std::thread::sleep(short + Duration::from_secs(1));
        assert_eq!([put(&other, 3), put(&one, 4)], [true, false]);
        assert_eq!(one.read(&content('c', 0)).unwrap().map(|value| value.len()), Some(400));
    });
}

#[test]
#[ignore = "needs services: cargo xtask test stores"]
fn writers_at_once_do_not_exceed_the_limit_of_their_tenant() {
    each(|address| {
        let (Some(one), Some(other)) = (replica(address), replica(address)) else { return };
        let kept = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..32 {
                let (store, kept) = (if number % 2 == 0 { &one } else { &other }, &kept);
                scope.spawn(move || {
                    let written = store.write_content(&content('d', number), "x".repeat(150), HOUR, None);
                    kept.fetch_add(usize::from(written.is_ok()), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(kept.into_inner(), 6);
    });
}
