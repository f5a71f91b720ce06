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
