//! Stores of all kinds: shared ones, those that fail, those that take their time.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolshape_rmcp::{Error, ErrorCode, FileStore, MemoryStore, Shaping, Store, json, shape};

use crate::caller::{Lists, ask, client};

fn policy() -> toolshape_rmcp::Value {
    json!({ "maxTokens": 400 })
}

/// A store that fails.
struct Fails;

impl Store for Fails {
    fn read(&self, _: &str) -> Result<Option<String>, Error> {
        Err(Error::new(ErrorCode::StoreFailed, "the disk is away", ""))
    }

    fn write(&self, key: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
        self.read(key).map(drop)
    }
}

/// A store that reads nothing before it is let.
struct Waits(MemoryStore, Mutex<Receiver<()>>);

impl Store for Waits {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        let _ = self.1.lock().unwrap().recv();
        self.0.read(key)
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        self.0.write(key, value, kept_for, owner)
    }
}

#[tokio::test]
async fn all_servers_of_a_process_share_its_memory() {
    let first = client(shape(Lists, policy()).unwrap(), "tests").await;
    let page = ask(&first, "list", json!({ "count": 500 })).await;
    let second = client(shape(Lists, policy()).unwrap(), "tests").await;
    assert_eq!(ask(&second, "read_result", json!({ "handle": page["uri"], "pointer": "/7/id" })).await, 7);
}

#[tokio::test]
async fn files_are_read_by_whoever_comes_later() {
    let folder = std::env::temp_dir().join(format!("toolshape-rmcp-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let line = || Shaping::builder(policy()).store(FileStore::open(&folder).unwrap()).build().unwrap();
    let page = ask(&client(line().around(Lists), "tests").await, "list", json!({ "count": 500 })).await;
    let later = client(line().around(Lists), "tests").await;
    assert_eq!(ask(&later, "read_result", json!({ "handle": page["uri"], "pointer": "/7/id" })).await, 7);
    fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_store_that_fails_fails_no_tool() {
    let heard = Arc::new(Mutex::new(0));
    let count = Arc::clone(&heard);
    let line = Shaping::builder(policy()).store(Fails).on_store_error(move |_| *count.lock().unwrap() += 1);
    let client = client(line.build().unwrap().around(Lists), "tests").await;
    let page = ask(&client, "list", json!({ "count": 500 })).await;
    assert!(page["totalItems"] == 500 && page.get("uri").is_none(), "{page}");
    assert!(page.to_string().contains("the disk is away"), "{page}");
    let part = ask(&client, "read_result", json!({ "handle": "abcdefghijklmnop" })).await;
    assert_eq!(part["error"], "STORE_FAILED");
    // The content that could not be written, and the tickets and the list that could not be read.
    assert_eq!(*heard.lock().unwrap(), 4);
}

#[tokio::test(flavor = "current_thread")]
async fn nothing_else_waits_for_a_store() {
    let (lets, waits) = channel();
    let line = Shaping::builder(policy()).store(Waits(MemoryStore::new(), Mutex::new(waits)));
    let client = Arc::new(client(line.build().unwrap().around(Lists), "tests").await);
    let asking = Arc::clone(&client);
    let asked = tokio::spawn(async move { ask(&asking, "read_result", json!({ "handle": "abcdefghijklmnop" })).await });
    // The only thread of this runtime serves another call, while the store holds back its answer.
    assert_eq!(ask(&client, "list", json!({ "count": 1 })).await[0]["id"], 0);
    assert!(!asked.is_finished());
    lets.send(()).unwrap();
    assert_eq!(asked.await.unwrap()["error"], "NOT_FOUND");
}
