//! Lists that change between pages, cursors that are tampered with, and callers that follow the suggestions.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{JsonText, Keyset, Naming, count_tokens, expand};
use toolshape::{Call, Encoding, Error, ErrorCode, Policy, Shaped, Shaper};

use crate::promises;

fn shaper(policy: Value) -> Shaper {
    Shaper::new(Policy::new(&policy, Naming::Camel).unwrap())
}

fn call(call: Value) -> Call {
    Call::new(&call, Naming::Camel).unwrap()
}

fn parsed(shaped: &Shaped) -> Value {
    promises::fits(shaped);
    promises::whole(shaped);
    serde_json::from_str(&expand(&shaped.text).unwrap()).unwrap()
}

/// The ids of a page's rows.
fn ids(page: &Value) -> Vec<u64> {
    let rows = page["items"].as_array().or(page.as_array()).unwrap();
    rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

fn row(id: u64, chars: usize) -> Value {
    json!({ "id": id, "body": "many words about it ".repeat(chars / 20 + 1)[..chars].to_owned() })
}

/// The changes of a list between two pages: rows are inserted and deleted, by where in the list.
#[derive(Clone, Debug)]
enum Change {
    Insert(prop::sample::Index),
    Delete(prop::sample::Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        any::<prop::sample::Index>().prop_map(Change::Insert),
        any::<prop::sample::Index>().prop_map(Change::Delete),
    ];
    prop::collection::vec(change, 0..6)
}

fn paging() -> impl Strategy<Value = Value> {
    let format = prop_oneof![Just("json"), Just("columns"), Just("auto")];
    (200..900usize, 1..30usize, format, any::<bool>()).prop_map(|(max_tokens, size, format, is_signed)| {
        let key = is_signed.then_some("a secret of sixteen bytes and more");
        json!({ "maxTokens": max_tokens, "pageSize": size, "paginateAfter": 1, "format": format, "cursorKey": key })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_next_cursors_give_every_row_once_and_in_order(
        sizes in prop::collection::vec(0..900usize, 2..60),
        policy in paging(),
    ) {
        let rows: Vec<Value> = sizes.iter().enumerate().map(|(id, &chars)| row(id as u64, chars)).collect();
        let (shaper, source) = (shaper(policy), json!(rows).to_string());
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = parsed(&shaper.shape_json(&source, &call(json!({ "tool": "t", "cursor": cursor }))).unwrap());
            prop_assert_eq!(page.get("shifted"), None);
            seen.extend(ids(&page));
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        prop_assert_eq!(seen, (0..rows.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn pages_by_position_say_when_rows_may_repeat_or_be_missing(
        total in 2..80u64,
        between in prop::collection::vec(changes(), 1..12),
        policy in paging(),
    ) {
        let shaper = shaper(policy);
        let (mut list, mut next_id) = ((0..total).collect::<Vec<u64>>(), total);
        let throughout = &mut (0..total).collect::<BTreeSet<u64>>();
        let (mut seen, mut cursor, mut is_shifted) = (Vec::new(), Value::Null, false);
        for at in 0.. {
            let rows: Vec<Value> = list.iter().map(|&id| row(id, 40)).collect();
            let asked = call(json!({ "tool": "t", "cursor": cursor, "pageSize": 5 }));
            let page = parsed(&shaper.shape_json(&json!(rows).to_string(), &asked).unwrap());
            is_shifted |= page["shifted"] == json!(true);
            seen.extend(ids(&page));
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
            for change in between.get(at).into_iter().flatten() {
                match change {
                    Change::Insert(place) => {
                        list.insert(place.index(list.len() + 1), next_id);
                        next_id += 1;
                    }
                    Change::Delete(_) if list.is_empty() => {}
                    Change::Delete(place) => {
                        throughout.remove(&list.remove(place.index(list.len())));
                    }
                }
            }
        }
        if !is_shifted {
            let unique: BTreeSet<u64> = seen.iter().copied().collect();
            prop_assert_eq!(unique.len(), seen.len(), "a row came twice: {:?}", seen);
            let missing: Vec<_> = throughout.difference(&unique).collect();
            prop_assert!(missing.is_empty(), "{missing:?} never came: {seen:?}");
        }
    }

    #[test]
    fn pages_by_keys_give_every_row_that_was_there_throughout_once(
        ranks in prop::collection::vec(prop::option::of(0..6u32), 2..60),
        between in prop::collection::vec(changes(), 1..12),
        policy in paging(),
    ) {
        let shaper = shaper(policy);
        let keyset = json!({ "keys": [{ "name": "rank", "order": "desc" }, "id"], "limit": 7 });
        let keyset = Keyset::new(&keyset, Naming::Camel).unwrap();
        // Nulls are the least, so they are last in descending order.
        let place = |&(rank, id): &(Option<u32>, u64)| (rank.map_or(u32::MAX, |rank| 1000 - rank), id);
        let mut table: Vec<(Option<u32>, u64)> = ranks.iter().copied().zip(0..).collect();
        let mut throughout: BTreeSet<u64> = (0..table.len() as u64).collect();
        let (mut next_id, mut cursor, mut seen) = (table.len() as u64, Value::Null, Vec::new());
        for at in 0.. {
            let asked = call(json!({ "tool": "t", "arguments": { "cursor": cursor } }));
            let after = shaper.decode_keyset(cursor.as_str(), &asked).unwrap();
            let after = after.map(|keys| {
                let [rank, id] = &keys[..] else { panic!("{keys:?}") };
                place(&(rank.parse().ok(), id.parse().unwrap()))
            });
            table.sort_by_key(place);
            let fetched = table.iter().filter(|row| after.is_none_or(|after| place(row) > after)).take(8);
            let fetched: Vec<Value> = fetched
                .map(|&(rank, id)| json!({ "id": id, "rank": rank, "body": "many words about it ".repeat(id as usize % 60) }))
                .collect();
            let source = json!(fetched).to_string();
            let page = parsed(&shaper.keyset_page(&JsonText::parse(&source).unwrap(), &keyset, &asked).unwrap());
            seen.extend(ids(&page));
            cursor = page.get("nextCursor").cloned().unwrap_or_default();
            if cursor.is_null() {
                break;
            }
            for change in between.get(at).into_iter().flatten() {
                match change {
                    Change::Insert(place) => {
                        let rank = place.index(8) as u32;
                        table.push(((rank < 7).then_some(rank), next_id));
                        next_id += 1;
                    }
                    Change::Delete(_) if table.is_empty() => {}
                    Change::Delete(place) => {
                        throughout.remove(&table.remove(place.index(table.len())).1);
                    }
                }
            }
        }
        let unique: BTreeSet<u64> = seen.iter().copied().collect();
        prop_assert_eq!(unique.len(), seen.len(), "a row came twice: {:?}", seen);
        prop_assert!(throughout.is_subset(&unique), "{:?} never came", throughout.difference(&unique));
    }

    #[test]
    fn a_row_that_fits_a_page_by_itself_is_never_cut(
        sizes in prop::collection::vec(prop_oneof![4 => 100..4000usize, 1 => 4000..40_000usize], 1..40),
        max_tokens in 400..4000usize,
    ) {
        let rows: Vec<Value> = sizes.iter().enumerate().map(|(id, &chars)| row(id as u64, chars)).collect();
        let (shaper, source) = (shaper(json!({ "maxTokens": max_tokens, "paginateAfter": 1, "fields": "all" })), json!(rows).to_string());
        let (mut cursor, mut at) = (Value::Null, 0);
        loop {
            let page = parsed(&shaper.shape_json(&source, &call(json!({ "tool": "t", "cursor": cursor }))).unwrap());
            for shown in page.as_array().or(page["items"].as_array()).unwrap() {
                // The frame of a page takes less than 200 tokens.
                let alone = count_tokens(&rows[at].to_string(), Encoding::O200kBase);
                prop_assert!(shown == &rows[at] || alone + 200 > max_tokens, "row {at} of {alone} tokens: {page}");
                prop_assert_eq!(&shown["id"], &rows[at]["id"]);
                at += 1;
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = json!(next),
                None => break,
            }
        }
        prop_assert_eq!(at, rows.len());
    }
}

/// A caller of a list of 10,000 rows that follows only `suggest` and `nextCursor`; returns the number of its calls.
fn calls_to_the_last_row(policy: Value) -> usize {
    let rows: Vec<Value> = (0..10_000).map(|id| json!({ "id": id, "name": format!("row number {id}") })).collect();
    let (shaper, source) = (shaper(policy), json!(rows).to_string());
    let (mut arguments, mut seen, mut calls) = (json!({}), 0, 0);
    loop {
        calls += 1;
        let asked = call(json!({ "tool": "t", "arguments": arguments }));
        let page = parsed(&shaper.shape_json(&source, &asked).unwrap());
        if let Some(suggest) = page["suggest"].as_object() {
            assert!(calls == 1, "a suggestion that was followed did not fit: {page}");
            arguments.as_object_mut().unwrap().extend(suggest.clone());
            continue;
        }
        for id in ids(&page) {
            assert_eq!(id, seen);
            seen += 1;
        }
        match page["nextCursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => {
                assert_eq!(seen, 10_000);
                return calls;
            }
        }
    }
}

#[test]
fn a_caller_that_does_as_told_reaches_the_last_of_ten_thousand_rows() {
    // One call for each page of 20 or more, or of as many rows as fit, and one more where the first is an error.
    for (max_tokens, most, suggested) in [(200, 1250, 1300), (1000, 500, 500), (2000, 300, 300)] {
        let calls = calls_to_the_last_row(json!({ "maxTokens": max_tokens }));
        let with_suggest = calls_to_the_last_row(json!({ "maxTokens": max_tokens, "overflow": "error" }));
        println!("10,000 rows in {max_tokens} tokens: {calls} calls, {with_suggest} where errors suggest");
        assert!(calls <= most && with_suggest <= suggested, "{max_tokens}: {calls}, {with_suggest}");
    }
}

#[test]
fn rows_are_whole_where_their_fields_would_not_show_many_more() {
    let row = |id: usize| {
        let number = 993 + id * 7;
        json!({ "id": id, "title": format!("Title {id}"), "f0": number, "f1": number, "body": "word ".repeat(478 + id) })
    };
    let source = json!((0..5).map(row).collect::<Vec<_>>()).to_string();
    let shaper = shaper(json!({ "maxTokens": 500, "paginateAfter": 20 }));
    let page = parsed(&shaper.shape_json(&source, &call(json!({ "tool": "t" }))).unwrap());
    assert!(ids(&page).len() == 5 && page["hasMore"] == false, "{page}");
    assert!(page["items"][0]["body"].as_str().unwrap().ends_with('…'), "{page}");
    assert!(page.get("omittedFields").is_none(), "{page}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn fields_are_chosen_where_twice_as_many_rows_fit(
        rows in 5_usize..150,
        budget in prop::sample::select(vec![500_usize, 1000, 2000]),
        words in 60_usize..800,
        numbers in prop::collection::vec(0_u32..10_000, 1..6),
        row_limit in prop::sample::select(vec![20_usize, 50]),
        asked in prop::option::of(1_usize..8),
    ) {
        let row = |id: usize| {
            let mut row = json!({ "id": id, "title": format!("Title {id}"), "kind": "constant" });
            for (at, number) in numbers.iter().enumerate() {
                row[format!("f{at}")] = json!((*number as usize + id * 7) % 10_000);
            }
            row["body"] = json!("word ".repeat(words + id % 60));
            row
        };
        let source = json!((0..rows).map(row).collect::<Vec<_>>()).to_string();
        let page_of = |fields: &str, cursor: Option<&str>| {
            let shaper = shaper(json!({ "maxTokens": budget, "paginateAfter": row_limit, "fields": fields }));
            let call = call(json!({ "tool": "t", "pageSize": asked, "cursor": cursor }));
            parsed(&shaper.shape_json(&source, &call).unwrap())
        };
        let (whole, page) = (page_of("all", None), page_of("auto", None));
        prop_assert!(whole.get("omittedFields").is_none());
        if page.get("omittedFields").is_none() {
            prop_assert_eq!(&page, &whole);
            return Ok(());
        }
        let (few, many) = (ids(&whole).len(), ids(&page).len());
        prop_assert!(few < 10 && many >= 2 * few, "{} of {}: {}", many, few, page);
        let keys = |page: &Value| page["items"][0].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        prop_assert!(keys(&page).starts_with(&["id".to_owned(), "title".to_owned()]), "{}", page);
        prop_assert!(!keys(&page).contains(&"kind".to_owned()), "{}", page);
        if let Some(next) = page["nextCursor"].as_str() {
            prop_assert_eq!(keys(&page_of("auto", Some(next))), keys(&page));
        }
    }
}

/// A way to damage a cursor, and the outcome.
type Harm = (&'static str, fn(&str) -> String, Value, Result<(), &'static str>);

#[test]
fn every_field_that_a_page_leaves_out_is_named() {
    let names = [
        "operating revenue", "profit before tax", "employees at year end", "offices abroad", "chief executive",
        "seat of the company", "auditor of the accounts", "largest shareholder", "stock exchange",
        "year of foundation",
    ];
    let row = |at: usize| -> Value {
        let cells =
            names.iter().map(|name| ((*name).to_owned(), json!(format!("{name} {at} of a company that has it"))));
        [("id".to_owned(), json!(at))].into_iter().chain(cells).collect::<serde_json::Map<_, _>>().into()
    };
    let list = json!((0..40).map(row).collect::<Vec<_>>()).to_string();
    let mut chosen = 0;
    for budget in (260..460).step_by(20) {
        let policy = json!({ "maxTokens": budget });
        let page = parsed(&shaper(policy).shape_json(&list, &call(json!({ "store": true }))).unwrap());
        let Some(omitted) = page["omittedFields"].as_array() else { continue };
        chosen += 1;
        let shown = page["items"][0].as_object().unwrap();
        let is_named = |name: &&str| shown.contains_key(*name) || omitted.contains(&json!(name));
        assert!(!omitted.is_empty() && names.iter().all(is_named), "{page}");
    }
    assert!(chosen > 0);
}

#[test]
fn every_hostile_cursor_gets_its_reason() {
    let changed = Err("its signature does not match");
    let own = json!({ "tool": "t", "arguments": { "tenant": 1 }, "now": 1_000_059 });
    let harms: [Harm; 13] = [
        ("as it was given out", str::to_owned, own.clone(), Ok(())),
        ("one bit flipped", |c| flipped(c, 100), own.clone(), changed),
        ("its version changed", |c| flipped(c, 4), own.clone(), Err("it is of another version")),
        ("cut by a character", |c| c[..c.len() - 1].to_owned(), own.clone(), Err("")),
        ("cut to a few bytes", |c| c[..8].to_owned(), own.clone(), Err("it is cut short")),
        ("something added", |c| format!("{c}AAAA"), own.clone(), changed),
        ("a megabyte of it", |c| c.repeat(1_000_000 / c.len()), own.clone(), Err("it is longer than any cursor")),
        ("no base64 at all", |_| "%%%".to_owned(), own.clone(), Err("it is malformed")),
        ("padded", |c| format!("{c}="), own.clone(), Err("it is malformed")),
        (
            "of another tool",
            str::to_owned,
            json!({ "tool": "u", "arguments": { "tenant": 1 }, "now": 1_000_059 }),
            Err("it belongs to another tool or to other arguments"),
        ),
        (
            "of another tenant",
            str::to_owned,
            json!({ "tool": "t", "arguments": { "tenant": 2 }, "now": 1_000_059 }),
            Err("it belongs to another tool or to other arguments"),
        ),
        (
            "of another filter",
            str::to_owned,
            json!({ "tool": "t", "arguments": { "tenant": 1, "q": "x" }, "now": 1_000_059 }),
            Err("it belongs to another tool or to other arguments"),
        ),
        (
            "expired",
            str::to_owned,
            json!({ "tool": "t", "arguments": { "tenant": 1 }, "now": 1_000_060 }),
            Err("it has expired"),
        ),
    ];
    let key = "a secret of sixteen bytes and more";
    let shaper = shaper(json!({ "paginateAfter": 50, "pageSize": 20, "cursorKey": key, "cursorTtl": 60 }));
    let source = json!((0..100).collect::<Vec<_>>()).to_string();
    let first = json!({ "tool": "t", "arguments": { "tenant": 1 }, "now": 1_000_000 });
    let page = parsed(&shaper.shape_json(&source, &call(first)).unwrap());
    let cursor = page["nextCursor"].as_str().unwrap();
    for (what, harm, mut asked, wanted) in harms {
        asked["cursor"] = json!(harm(cursor));
        let shaped = shaper.shape_json(&source, &call(asked)).unwrap();
        let result = parsed(&shaped);
        match wanted {
            Ok(()) => assert_eq!(result["items"][0], 20, "{what}"),
            Err(reason) => {
                assert!(shaped.is_error && result["error"] == "INVALID_CURSOR", "{what}: {}", shaped.text);
                assert!(result["message"].as_str().unwrap().contains(reason), "{what}: {}", shaped.text);
            }
        }
    }
    let empty = shaper.shape_json(&source, &call(json!({ "tool": "t", "cursor": "", "now": 1 }))).unwrap();
    assert!(empty.is_error && empty.text.contains("cursor is \\\"\\\"; it takes a string that is not empty"));
}

fn flipped(cursor: &str, bit: usize) -> String {
    let mut bytes = URL_SAFE_NO_PAD.decode(cursor).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// For any flipped bit and any cut: with a key the cursor is refused; without one it is refused or leads to a page of
/// the same list, never to anything else.
#[test]
fn no_change_of_a_cursor_does_harm() {
    let source = json!((0..100).map(|id| json!({ "id": id })).collect::<Vec<_>>()).to_string();
    let rows = JsonText::parse(&source).unwrap();
    let keyset = Keyset::new(&json!({ "keys": ["id"], "limit": 20 }), Naming::Camel).unwrap();
    for key in [Some("a secret of sixteen bytes and more"), None] {
        let shaper = shaper(json!({ "paginateAfter": 50, "pageSize": 20, "cursorKey": key }));
        let by_position = |cursor: Value| shaper.shape_json(&source, &call(json!({ "tool": "t", "cursor": cursor })));
        let by_keys =
            |cursor: Value| shaper.keyset_page(&rows, &keyset, &call(json!({ "tool": "t", "cursor": cursor })));
        for page in [&by_position as &dyn Fn(Value) -> Result<Shaped, toolshape::Error>, &by_keys] {
            let first = parsed(&page(Value::Null).unwrap());
            let good = first["nextCursor"].as_str().unwrap();
            let bits = URL_SAFE_NO_PAD.decode(good).unwrap().len() * 8;
            let flips = (0..bits).map(|bit| flipped(good, bit));
            let cuts = (1..good.len()).map(|len| good[..len].to_owned());
            for bad in flips.chain(cuts) {
                let shaped = page(json!(bad)).unwrap();
                let result = parsed(&shaped);
                let is_refused = shaped.is_error && result["error"] == "INVALID_CURSOR";
                assert!(is_refused || (key.is_none() && result["paginated"] == json!(true)), "{bad}: {}", shaped.text);
            }
        }
    }
}

#[test]
fn what_the_author_got_wrong_is_an_error_and_no_result() {
    let rows = JsonText::parse(r#"[{"id":1},{"id":1}]"#).unwrap();
    let keyset = Keyset::new(&json!({ "keys": ["id"] }), Naming::Camel).unwrap();
    let shaper = shaper(json!({ "cursorTtl": 60 }));
    let timeless = shaper.keyset_page(&rows, &keyset, &call(json!({}))).unwrap_err();
    assert_eq!((timeless.code(), timeless.path()), (ErrorCode::InvalidCall, "/now"));
    let tied = shaper.keyset_page(&rows, &keyset, &call(json!({ "now": 1 }))).unwrap_err();
    assert!(tied.message().contains("row 1 has the same sort keys as the row before it"), "{tied}");
    assert_eq!(shaper.refusal(&tied, &call(json!({ "now": 1 }))), None);
}

#[test]
fn a_refused_cursor_becomes_a_result() {
    let shaper = Shaper::default();
    let asked = call(json!({ "tool": "t" }));
    let error = shaper.decode_keyset(Some("nonsense"), &asked).unwrap_err();
    let refusal = shaper.refusal(&error, &asked).unwrap();
    assert!(refusal.is_error);
    assert_eq!(parsed(&refusal)["error"], "INVALID_CURSOR");
    let wrong_size = call(json!({ "tool": "t", "pageSize": 1001 }));
    let error = shaper.page_size(&wrong_size).unwrap_err();
    assert_eq!(parsed(&shaper.refusal(&error, &wrong_size).unwrap())["error"], "INVALID_CALL");
    assert_eq!(shaper.page_size(&asked), Ok(20));
}

#[test]
fn a_store_that_cannot_be_read_is_told_in_a_result() {
    let away = Error::new(ErrorCode::StoreFailed, "the store cannot be read: ConnectionError", "");
    let refusal = Shaper::default().refusal(&away, &call(json!({ "tool": "read_result" }))).unwrap();
    assert!(refusal.is_error);
    let answer = parsed(&refusal);
    assert_eq!((&answer["error"], &answer["message"]), (&json!("STORE_FAILED"), &json!(away.message())));
    assert!(answer["hint"].as_str().unwrap().starts_with("Try again"));
}

#[test]
fn no_list_that_is_paged_passes_whatever_its_call_is() {
    let shaper = shaper(json!({ "paginateAfter": 50 }));
    let passing = shaper.passing(Some("t"), None).unwrap();
    let row = |id: u64| json!({ "id": id, "tags": ["a", "b,]"], "note": format!("words \\ and \"[ {}", id * 7777) });
    for (rows, passes) in [(1, true), (50, true), (51, false), (60, false)] {
        let list: Vec<Value> = (0..rows).map(row).collect();
        let text = format!(" {}", json!(list));
        let alone = shaper.shape_text_result(&text, &call(json!({ "tool": "t" }))).unwrap();
        assert_eq!((alone.unchanged, passing.receipt(&text).is_some()), (passes, passes), "{text}");
    }
    // What only begins like a list is none.
    assert!(passing.receipt(&"[see above], ".repeat(60)).is_some());
}

#[test]
fn a_page_by_number_says_when_the_page_before_it_had_no_room_for_all_rows() {
    let said = |chars: usize, page: u64| {
        let rows: Value = (0..100).map(|id| row(id, chars)).collect();
        let given = call(json!({ "tool": "list", "page": page, "pageSize": 20 }));
        let page = parsed(&shaper(json!({ "maxTokens": 800, "format": "json" })).shape(&rows, &given).unwrap());
        page["note"].as_str().unwrap().contains("The previous page has no room")
    };
    assert!(said(200, 2) && said(200, 5));
    assert!(!said(200, 1) && !said(20, 2));
}
