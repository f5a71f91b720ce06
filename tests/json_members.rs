//! Members of JSON text are found from wherever one looks: the same ones as by reading all before them.

use serde_json::{Value, json};
use toolshape::host::{FastSource, JsonText, Source, member_length, member_lengths};

use crate::counted::Counted;

/// Lists and maps of small, large and mixed members, inside each other.
fn documents() -> Vec<Value> {
    let row = |at: usize| json!({ "id": at, "name": format!("row {at}"), "tags": ["a", "b"] });
    let small: Vec<Value> = (0..3000).map(row).collect();
    let large: Vec<Value> = (0..300).map(|at| json!({ "id": at, "text": "x]}\",[{".repeat(at % 200) })).collect();
    let map: serde_json::Map<String, Value> = (0..2000).map(|at| (format!("key {at}"), row(at))).collect();
    let lists: Vec<Value> = (0..40).map(|at| (0..at * 9).map(Value::from).collect()).collect();
    let odd = |at: usize| json!({ "é\"\n🙂": "a\\\u{1}é".repeat(at % 9), "": [], "none": {}, "deep": [[[[at, [null, true]]]]] });
    vec![
        json!((0..90).map(odd).collect::<Vec<_>>()),
        json!(small),
        json!({ "total": 3000, "items": small }),
        json!(large),
        json!([large, small]),
        json!(map),
        json!({ "data": map }),
        json!(lists),
        json!((0..5000).collect::<Vec<_>>()),
    ]
}

/// All values of a document that have members.
fn containers<'a>(value: JsonText<'a>, own: &'a Value, to: &mut Vec<(JsonText<'a>, &'a Value)>) {
    let children: Vec<&Value> = match own {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return,
    };
    let inside: Vec<JsonText<'a>> = match own {
        Value::Array(_) => value.items(0, usize::MAX).unwrap(),
        _ => value.entries().unwrap().into_iter().map(|(_, value)| value).collect(),
    };
    assert_eq!(inside.len(), children.len());
    to.push((value, own));
    inside.into_iter().zip(children).for_each(|(value, own)| containers(value, own, to));
}

fn places(len: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..len).filter(|at| at % 97 < 2 || at % 613 == 5 || *at + 1 == len).collect();
    // Beyond the end there is nothing.
    places.push(len + 3);
    places
}

#[test]
fn any_member_is_the_one_that_was_written() {
    for document in documents() {
        let (minified, indented) = (document.to_string(), serde_json::to_string_pretty(&document).unwrap());
        for text in [&minified, &indented] {
            let mut found = Vec::new();
            containers(JsonText::parse(text).unwrap(), &document, &mut found);
            for (value, own) in found {
                let places = places(value.len());
                match own {
                    Value::Array(items) => {
                        assert_eq!(value.len(), items.len());
                        let mut wanted = places.iter().map(|at| items.get(*at));
                        value.each_item(&places, &mut |item| {
                            let item = item.map(|item| serde_json::from_str::<Value>(item.span()).unwrap());
                            assert_eq!(item.as_ref(), wanted.next().unwrap());
                        });
                        assert_eq!(wanted.next(), None);
                        for &at in &places {
                            let two =
                                value.items(at, 2).unwrap().into_iter().map(|item| item.json().unwrap().into_owned());
                            let own = items.iter().skip(at).take(2).map(Value::to_string);
                            assert!(two.eq(own));
                        }
                    }
                    Value::Object(members) => {
                        assert_eq!(value.len(), members.len());
                        let mut wanted = members.iter().enumerate().filter(|(at, _)| places.contains(at));
                        value
                            .each_entry(&places, &mut |key, value| {
                                let (_, (name, own)) = wanted.next().unwrap();
                                assert_eq!(key, Value::from(name.as_str()).to_string());
                                assert_eq!(serde_json::from_str::<Value>(value.span()).unwrap(), *own);
                            })
                            .unwrap();
                        assert!(wanted.next().is_none());
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A text measures the lengths of its members by a walk of its own; any other source is asked for one member after another.
#[test]
fn a_text_tells_the_lengths_that_a_walk_finds() {
    for document in documents() {
        for text in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
            let mut found = Vec::new();
            containers(JsonText::parse(&text).unwrap(), &document, &mut found);
            for (value, _) in found.into_iter().step_by(7) {
                let walked = Counted::new(value.span());
                for room in [0, 1, 7, 60, 1024] {
                    let places = places(value.len());
                    let answer = value.lengths(&places, room).unwrap().unwrap();
                    assert_eq!(answer, member_lengths(&walked, &places, room).unwrap(), "{}, {room}", value.span());
                    for levels in [0, 2, 16] {
                        let (mut left, mut left_by_walk) = (room, room);
                        let answer = value.member_length(9.0, &mut left, levels).unwrap();
                        assert_eq!(answer, member_length(&walked, 9.0, &mut left_by_walk, levels));
                        assert_eq!(left, left_by_walk);
                    }
                }
            }
        }
    }
}
