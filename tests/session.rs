//! Sessions with a host that answers anything: they end, and what they say of the store is so.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::{
    Effect, Heard, JsonText, KeepValue, Naming, Next, Read, ReadFor, ReadState, Redaction, Redacts, ReturnedJson, Slots,
};
use toolshape::{Call, Policy, Shaper};

const MOST_TURNS: usize = 64;
const SECRET: &str = "sk-1";

/// How a host answers its effects, each in turn, from the start again at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Works,
    Fails,
    /// Reads nothing; may not.
    Lacks,
    /// Its `redact` changes nothing.
    Idles,
    /// Its `redact` breaks what it gets.
    Breaks,
}

#[derive(Default)]
struct Host {
    moods: Vec<Mood>,
    asked: usize,
    store: HashMap<String, String>,
    /// What it was asked, in a word for each.
    log: Vec<String>,
}

impl Host {
    fn perform(&mut self, effect: &Effect, slots: &mut Slots<'_>) -> Heard {
        let mood = self.moods.get(self.asked % self.moods.len().max(1)).copied().unwrap_or(Mood::Works);
        self.asked += 1;
        if mood == Mood::Fails {
            return Heard::Failed("away".to_owned());
        }
        match effect {
            Effect::Get { key, to } => {
                self.log.push(format!("get {}", if key.ends_with(".handle") { "ticket" } else { "content" }));
                match self.store.get(key).filter(|_| mood != Mood::Lacks) {
                    Some(value) => slots.put(*to, value.clone()),
                    None => return Heard::Absent,
                }
            }
            Effect::Set { key, from, .. } => {
                self.log.push("set".to_owned());
                self.store.insert(key.clone(), slots.text(*from).to_owned());
            }
            Effect::Redact { from, to } => {
                for (at, text) in slots.texts(from.clone()).to_vec().into_iter().enumerate() {
                    slots.put(
                        to + at,
                        match mood {
                            Mood::Idles => text,
                            Mood::Breaks => format!("{text}<i>]"),
                            _ => text.replace(SECRET, "…"),
                        },
                    );
                }
            }
            Effect::Allow { .. } => {
                self.log.push("allow".to_owned());
                if mood == Mood::Lacks {
                    return Heard::Absent;
                }
            }
            Effect::Ask { .. } => return Heard::Absent,
        }
        Heard::There
    }

    fn drive<D>(
        &mut self,
        slots: &mut Slots<'_>,
        mut step: impl FnMut(Vec<Heard>, &mut Slots<'_>) -> Next<D>,
    ) -> (D, usize) {
        let mut heard = Vec::new();
        for turn in 0..MOST_TURNS {
            match step(heard, slots) {
                Next::Done(done) => return (done, turn),
                Next::Wait(effects) => {
                    assert!(!effects.is_empty());
                    heard = effects.iter().map(|effect| self.perform(effect, slots)).collect();
                }
            }
        }
        panic!("no end: {:?}", self.log);
    }
}

fn shaper() -> Shaper {
    Shaper::new(Policy::new(&json!({ "maxTokens": 400 }), Naming::Camel).unwrap())
}

/// A result with rows, a secret, and more images than fit.
fn returned(images: usize) -> String {
    let rows: Vec<Value> = (0..200).map(|id| json!({ "id": id, "name": format!("row {id} {SECRET}") })).collect();
    let text = json!({ "type": "text", "text": json!(rows).to_string() });
    let image = json!({ "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo".repeat(50) });
    let blocks: Vec<&Value> = [&text].into_iter().chain(vec![&image; images]).collect();
    json!({ "content": blocks }).to_string()
}

fn keep(host: &mut Host, redacts: Redacts, images: usize, declared: &Redaction) -> (String, usize) {
    let (shaper, value, mut slots) = (shaper(), ReturnedJson(returned(images)), Slots::default());
    let has_redact = !host.moods.is_empty();
    let mut state = KeepValue::new(Call::tool("list").at(1), true, redacts).without(declared.clone(), has_redact);
    let (made, turns) =
        host.drive(&mut slots, |heard, slots| state.step(heard, &value, slots, &shaper).expect("a result"));
    (made.to_json(&JsonText::parse(&value.0).unwrap()).unwrap(), turns)
}

fn handles(text: &str) -> Vec<String> {
    let parts = text.split("toolshape://result/").skip(1);
    parts.map(|rest| rest.chars().take_while(char::is_ascii_lowercase).collect()).collect()
}

fn moods() -> impl Strategy<Value = Vec<Mood>> {
    let mood = prop_oneof![
        4 => Just(Mood::Works), 1 => Just(Mood::Fails), 1 => Just(Mood::Lacks), 1 => Just(Mood::Idles), 1 => Just(Mood::Breaks)
    ];
    prop::collection::vec(mood, 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_result_names_only_what_is_stored_and_was_redacted(moods in moods(), all in any::<bool>(), images in 0..4usize) {
        let is_honest = !moods.contains(&Mood::Idles) && !moods.contains(&Mood::Breaks);
        let mut host = Host { moods, ..Host::default() };
        let (result, _) =
            keep(&mut host, if all { Redacts::All } else { Redacts::Stored }, images, &Redaction::default());
        for handle in handles(&result) {
            let ticket: Value = serde_json::from_str(&host.store[&format!("{handle}.handle")]).unwrap();
            prop_assert!(host.store.contains_key(ticket["key"].as_str().unwrap()), "{}", result);
        }
        if is_honest {
            let stored = host.store.iter().find(|(_, text)| text.contains(SECRET));
            prop_assert!(stored.is_none(), "{:?}", stored);
            prop_assert!(!result.contains(SECRET), "{}", result);
        }
    }

    #[test]
    fn what_is_declared_as_secret_is_gone_whatever_redact_does(
        moods in prop_oneof![Just(Vec::new()), moods()], images in 0..4usize
    ) {
        let mut host = Host { moods, ..Host::default() };
        let declared = Redaction::new(&[], &[SECRET]).unwrap();
        let (result, _) = keep(&mut host, Redacts::All, images, &declared);
        prop_assert!(host.store.values().chain([&result]).all(|text| !text.contains(SECRET)), "{}", result);
    }

    #[test]
    fn nothing_is_read_before_the_caller_is_allowed(moods in moods(), is_sql in any::<bool>()) {
        let mut host = Host::default();
        let (result, _) = keep(&mut host, Redacts::Nothing, 0, &Redaction::default());
        let handle = handles(&result).remove(0);
        let asked = match is_sql {
            true => json!({ "sql": format!("SELECT count(*) FROM {handle}") }),
            false => json!({ "handle": handle }),
        };
        let call = Call::new(&json!({ "tool": "read_result", "arguments": asked, "now": 1 }), Naming::Camel).unwrap();
        host = Host { moods, store: host.store, ..Host::default() };
        let (shaper, mut slots) = (shaper(), Slots::default());
        let mut state = ReadState::new(ReadFor::Part, true, call, &mut slots, &shaper).unwrap();
        let (read, _) = host.drive(&mut slots, |heard, slots| state.step(heard, slots, &shaper).unwrap());
        let Read::Part(shaped) = read else { panic!("{read:?}") };
        prop_assert!(host.log.iter().position(|what| what == "get content") > host.log.iter().position(|what| what == "allow")
            || !host.log.contains(&"get content".to_owned()));
        if !host.log.contains(&"get content".to_owned()) {
            prop_assert!(!shaped.text.contains("row 1") && !shaped.text.contains("200"), "{}", shaped.text);
        }
    }
}

#[test]
fn two_operations_in_a_row_store_a_result_with_its_images() {
    for images in [0, 3] {
        let mut host = Host::default();
        let (result, turns) = keep(&mut host, Redacts::Nothing, images, &Redaction::default());
        assert!(!handles(&result).is_empty());
        assert_eq!(turns, 2, "{:?}", host.log);
    }
}

#[test]
fn two_operations_in_a_row_read_all_tables_of_a_question() {
    let (shaper, mut host) = (shaper(), Host::default());
    let mut tables = Vec::new();
    for count in [300, 400] {
        let rows: Vec<Value> = (0..count).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
        let value =
            ReturnedJson(json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] }).to_string());
        let (mut slots, mut state) = (Slots::default(), KeepValue::new(Call::tool("list"), true, Redacts::Nothing));
        let (made, _) = host.drive(&mut slots, |heard, slots| state.step(heard, &value, slots, &shaper).unwrap());
        tables.push(made.keep.unwrap().ticket.replace(".handle", ""));
    }
    let sql = format!("SELECT count(*) FROM {} JOIN {} USING (id)", tables[0], tables[1]);
    let call = Call::new(&json!({ "tool": "read_result", "arguments": { "sql": sql } }), Naming::Camel).unwrap();
    let mut slots = Slots::default();
    let mut state = ReadState::new(ReadFor::Part, false, call, &mut slots, &shaper).unwrap();
    let (read, turns) = host.drive(&mut slots, |heard, slots| state.step(heard, slots, &shaper).unwrap());
    let Read::Part(shaped) = read else { panic!("{read:?}") };
    assert!(shaped.text.contains("[[300]]"), "{}", shaped.text);
    assert_eq!(turns, 2, "{:?}", host.log);
}

/// Stores rows as the result of a tool, with these members of its call.
fn stored(host: &mut Host, shaper: &Shaper, tool: &str, count: usize, more: &Value) -> String {
    let rows: Vec<Value> = (0..count).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
    let value = ReturnedJson(json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] }).to_string());
    let mut slots = Slots::default();
    let mut state = KeepValue::new(call(tool, more), true, Redacts::Nothing);
    let (made, turns) = host.drive(&mut slots, |heard, slots| state.step(heard, &value, slots, shaper).unwrap());
    assert_eq!(turns, 2, "{:?}", host.log);
    made.keep.unwrap().ticket.replace(".handle", "")
}

fn call(tool: &str, more: &Value) -> Call {
    let mut members = json!({ "tool": tool, "now": 1_795_956_443 });
    members.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Call::new(&members, Naming::Camel).unwrap()
}

/// What `read_result` without a handle answers.
fn listed(host: &mut Host, shaper: &Shaper, authorizes: bool, more: &Value) -> Value {
    let mut slots = Slots::default();
    let mut state = ReadState::new(ReadFor::Part, authorizes, call("read_result", more), &mut slots, shaper).unwrap();
    let (read, _) = host.drive(&mut slots, |heard, slots| state.step(heard, slots, shaper).unwrap());
    let Read::Part(shaped) = read else { panic!("{read:?}") };
    assert!(shaped.receipt.tokens_after <= 400);
    serde_json::from_str(&toolshape::host::expand(&shaped.text).unwrap()).unwrap()
}

fn handles_of(answer: &Value) -> Vec<String> {
    let rows = answer["items"].as_array().into_iter().flatten();
    rows.map(|row| row["handle"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_session_stored_is_listed_newest_first() {
    let (shaper, mut host) = (shaper(), Host::default());
    let mine = json!({ "session": "mine" });
    assert_eq!(listed(&mut host, &shaper, false, &mine)["totalItems"], 0);
    let [first, second] = [300, 400].map(|count| stored(&mut host, &shaper, "list", count, &mine));
    stored(&mut host, &shaper, "other", 500, &json!({ "session": "another" }));
    stored(&mut host, &shaper, "other", 600, &json!({}));
    let answer = listed(&mut host, &shaper, false, &mine);
    assert_eq!(handles_of(&answer), [&*second, &*first]);
    let row = &answer["items"][1];
    assert_eq!((&row["tool"], &row["stored"]), (&json!("list"), &json!("2026-11-29T12:47:23Z")));
    assert!(row["about"].as_str().unwrap().starts_with("[{id, name}] (300 items), "), "{row}");
    // What the store has dropped is not there, and what the caller may not read is not shown.
    host.store.remove(&format!("{first}.handle"));
    assert_eq!(handles_of(&listed(&mut host, &shaper, true, &mine)), [&*second]);
    let mut stranger =
        Host { moods: vec![Mood::Works, Mood::Works, Mood::Works, Mood::Lacks], store: host.store, ..Host::default() };
    assert_eq!(listed(&mut stranger, &shaper, true, &mine)["totalItems"], 0);
    assert!(!stranger.log.contains(&"get content".to_owned()));
}

#[test]
fn a_scope_lists_its_own_results_in_all_its_sessions() {
    let policy = json!({ "maxTokens": 400, "cursorKey": "a key of sixteen bytes and more" });
    let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
    let mut host = Host::default();
    let of = |scope: &str, session: &str| json!({ "scope": scope, "session": session });
    let [a, b] = ["a", "b"].map(|scope| stored(&mut host, &shaper, "list", 300, &of(scope, "1")));
    assert_eq!(handles_of(&listed(&mut host, &shaper, false, &of("a", "2"))), [&*a]);
    assert_eq!(handles_of(&listed(&mut host, &shaper, false, &of("b", "1"))), [&*b]);
    assert_eq!(listed(&mut host, &shaper, false, &of("c", "1"))["totalItems"], 0);
    assert_eq!(listed(&mut host, &shaper, false, &json!({ "session": "1" }))["totalItems"], 0);
}

/// A caller without a session gets no list, and neither do arguments that ask for a part of nothing.
#[test]
fn without_a_session_there_is_no_list() {
    let (shaper, mut host) = (shaper(), Host::default());
    stored(&mut host, &shaper, "list", 300, &json!({ "session": "mine" }));
    for more in [
        json!({}),
        json!({ "session": "mine", "arguments": { "search": "row" } }),
        json!({ "session": "mine", "arguments": { "handle": "x" } }),
    ] {
        assert_eq!(listed(&mut host, &shaper, false, &more)["error"], "INVALID_HANDLE", "{more}");
    }
    let page = json!({ "session": "mine", "arguments": { "handle": "", "pageSize": 5, "page": null } });
    assert_eq!(listed(&mut host, &shaper, false, &page)["totalItems"], 1);
}

/// Both read the list before either has written it.
#[test]
fn results_that_are_stored_at_once_are_all_listed() {
    let (shaper, mut host) = (shaper(), Host::default());
    let mine = json!({ "session": "mine" });
    let values = [300, 400].map(|count| {
        let rows: Vec<Value> = (0..count).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
        ReturnedJson(json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] }).to_string())
    });
    let mut open: Vec<_> = values
        .iter()
        .map(|value| (value, KeepValue::new(call("list", &mine), true, Redacts::Nothing), Slots::default(), Vec::new()))
        .collect();
    for _ in 0..3 {
        let mut asked = Vec::new();
        for (value, state, slots, heard) in &mut open {
            asked.push(match state.step(std::mem::take(heard), *value, slots, &shaper).unwrap() {
                Next::Wait(effects) => effects,
                Next::Done(_) => Vec::new(),
            });
        }
        for ((_, _, slots, heard), effects) in open.iter_mut().zip(asked) {
            *heard = effects.iter().map(|effect| host.perform(effect, slots)).collect();
        }
    }
    assert_eq!(handles_of(&listed(&mut host, &shaper, false, &mine)).len(), 2);
}
