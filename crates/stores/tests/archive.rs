//! An archive: what results leave out is stored before they are returned, and read back.

use std::time::Duration;

use serde_json::json;
use toolshape::{Call, Error, ErrorCode, Policy, Shaped, Shaper};
use toolshape_stores::{Archive, MemoryStore, Store};

fn rows() -> Vec<serde_json::Value> {
    (0..3_000).map(|id| json!({ "id": id, "title": format!("Article {id}") })).collect()
}

fn handle(shaped: &Shaped) -> String {
    shaped.keep.as_ref().expect("something is left out").ticket.replace(".handle", "")
}

fn read(archive: &Archive, arguments: &[(&str, &str)]) -> Shaped {
    archive.read_result(&Call::tool("read_result").arguments(arguments.iter().copied())).unwrap()
}

#[test]
fn values_and_texts_are_read_back() {
    let archive = Archive::new(Shaper::default(), MemoryStore::new());
    let json = serde_json::to_string_pretty(&rows()).unwrap();
    let text: String = (0..3_000).map(|line| format!("line {line} of a long text\n")).collect();
    let call = Call::tool("list");
    for shaped in [archive.shape(&rows(), &call).unwrap(), archive.shape_json(&json, &call).unwrap()] {
        let row = read(&archive, &[("handle", &handle(&shaped)), ("pointer", "/2999")]);
        assert_eq!(row.text, r#"{"id":2999,"title":"Article 2999"}"#);
    }
    let shaped = archive.shape_text(&text, &call).unwrap();
    assert!(read(&archive, &[("handle", &handle(&shaped)), ("lines", "3000")]).text.contains("line 2999 of"));
}

#[test]
#[cfg(feature = "sql")]
fn questions_in_sql_are_answered_over_several_results() {
    let archive = Archive::new(Shaper::default(), MemoryStore::new());
    let articles = handle(&archive.shape(&rows(), &Call::tool("list")).unwrap());
    let authors: Vec<_> = (0..3_000).map(|id| json!({ "article": id, "author": format!("Author {id}") })).collect();
    let authors = handle(&archive.shape(&authors, &Call::tool("authors")).unwrap());
    let sql = format!("SELECT title, author FROM {articles} JOIN {authors} ON id = article WHERE id = 17");
    let answer = read(&archive, &[("sql", &sql)]);
    assert!(answer.text.contains("Article 17") && answer.text.contains("Author 17"), "{}", answer.text);
    let answer = read(&archive, &[("sql", "SELECT count(*) FROM aaaaaaaaaaaaaaaa")]);
    assert!(answer.is_error && answer.text.contains("aaaaaaaaaaaaaaaa"), "{}", answer.text);
}

#[test]
fn a_result_belongs_to_its_scope() {
    let policy = Policy::builder().cursor_key("a secret of sixteen bytes").build().unwrap();
    let archive = Archive::new(Shaper::new(policy), MemoryStore::new());
    let shaped = archive.shape(&rows(), &Call::tool("list").scope("one")).unwrap();
    let asked = Call::tool("read_result").arguments([("handle", handle(&shaped)), ("pointer", "/7".to_owned())]);
    assert!(archive.read_result(&asked.clone().scope("one")).unwrap().text.contains("Article 7"));
    for other in [asked.clone().scope("two"), asked] {
        assert!(archive.read_result(&other).unwrap().is_error);
    }
}

struct Broken;

impl Store for Broken {
    fn read(&self, _: &str) -> Result<Option<String>, Error> {
        Err(Error::new(ErrorCode::StoreFailed, "the disk is full", ""))
    }

    fn write(&self, _: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
        Err(Error::new(ErrorCode::StoreFailed, "the disk is full", ""))
    }
}

#[test]
fn a_store_that_fails_is_reported_and_nothing_names_a_handle() {
    let archive = Archive::new(Shaper::default(), Broken);
    let shaped = archive.shape(&rows(), &Call::tool("list")).unwrap();
    assert!(shaped.keep.is_none() && shaped.text.contains("the disk is full"), "{}", shaped.text);
    assert!(!shaped.text.contains("toolshape://") && shaped.text.contains("Article 0"));
    let answer = read(&archive, &[("handle", "aaaaaaaaaaaaaaaa")]);
    assert!(answer.is_error && answer.text.contains("the disk is full"), "{}", answer.text);
}
