//! How much of a value is read to show a part of it, counted in bytes: a multiple of what can be shown, and no part again for
//! each purpose.

use serde_json::{Value, json};
use toolshape::{Call, Naming, Policy, Shaper};

use crate::counted::Counted;

const BUDGET: usize = 2000;

/// What is read to shape a value, in bytes for each token of the budget.
fn read(value: &Value) -> u64 {
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": BUDGET, "pageSize": 20 }), Naming::Camel).unwrap());
    let text = value.to_string();
    let value = Counted::new(&text);
    let shaped = shaper.shape(&value, &Call::default()).unwrap();
    assert!(!shaped.is_error && shaped.text.len() < text.len() / 8, "{}", shaped.text);
    value.read() / BUDGET as u64
}

/// A row like that of an API: some names and numbers, a long text, and objects in it.
fn wide_row(at: usize) -> Value {
    let words = "some words that nobody reads ".repeat(8 + at % 7);
    let counts: Value =
        (0..20).map(|n| (format!("count_{n}"), json!(at * 31 + n))).collect::<serde_json::Map<_, _>>().into();
    json!({
        "id": at, "name": format!("name of {at}"), "state": if at.is_multiple_of(3) { "open" } else { "closed" },
        "text": words, "url": format!("https://example.com/items/{at}"), "counts": counts,
        "user": { "id": at * 7, "login": format!("user{at}"), "bio": words, "counts": counts },
        "tags": [{ "id": at, "label": "first" }, { "id": at + 1, "label": "second" }],
    })
}

fn wide_rows() -> Value {
    (0..200).map(wide_row).collect()
}

#[test]
fn wide_rows_are_read_once() {
    let read = read(&wide_rows());
    assert!(read <= 40, "{read} bytes for each token");
}

#[test]
fn wide_rows_in_an_envelope_are_read_once() {
    let read = read(&json!({ "total": 200, "data": { "items": wide_rows() }, "links": { "next": "/items?page=2" } }));
    assert!(read <= 40, "{read} bytes for each token");
}

#[test]
fn rows_that_are_too_large_alone_are_read_once() {
    let rows: Value = (0..30).map(|y| (0..30).map(|x| wide_row(30 * y + x)).collect::<Value>()).collect();
    let read = read(&json!({ "columns": 30, "rows": 30, "cells": rows }));
    assert!(read <= 40, "{read} bytes for each token");
}

#[test]
fn a_nested_document_is_read_once() {
    let part = |at: usize| (0..40).map(|n| (format!("part {n}"), wide_row(at + n))).collect::<serde_json::Map<_, _>>();
    let document: serde_json::Map<_, _> = (0..6).map(|at| (format!("chapter {at}"), part(40 * at).into())).collect();
    let read = read(&document.into());
    assert!(read <= 40, "{read} bytes for each token");
}
