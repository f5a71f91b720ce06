//! The dense form of data as tools return it, of texts that look like it, and of generated values.

use proptest::prelude::*;

use super::*;
use crate::base::tokens::Encoding;

const MEASURE: Measure = Measure { encoding: Encoding::Estimate };

/// The text in the form by these rules, and what it represents.
fn read_back(json: &str, rules: Rules) -> Option<String> {
    let written = write::write(&Tree::of_objects(json), rules);
    (written.rules != Rules::NONE).then(|| {
        let text = format!("{{\"_form\":{},{}}}", quoted(&written.rules.sentence()), written.members);
        expand(&text).unwrap_or_else(|error| panic!("{error}: {json}\n{text}"))
    })
}

/// Scalars of which several rows may have the same, and some are made of others.
fn scalar() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "null",
        "true",
        "1",
        "1.0",
        "-0",
        "1E+22",
        "9007199254740993",
        "\"\"",
        "\"null\"",
        "\"open\"",
        "\"a,b\"",
        "\"caf\\u00e9\"",
        "\"ann\"",
        "\"owner/repository\"",
        "\"https://host.example/users/ann\"",
        "\"https://host.example/users/ann/repos{/name}\"",
        "\"https://host.example/owner/repository/issues/12345\"",
        "12345",
        "{}",
        "[]",
        "[[]]",
        "[{}]",
        "[{},{},{}]",
        "{\"\":{}}",
        "{\"a\":{},\"b\":[]}",
        "1E400",
        "-1e-400",
        "-0.0",
        "0.10",
        "100000000000000000000000000000000000000001",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"{=}\"",
    ]);
    // Deeper than any path, and the deepest that a text may be with what is around.
    let deep = (prop::sample::select(vec![("[", "]"), ("{\"a\":", "}"), ("[{\"id\":1},", "]")]), 1..90_usize);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        1 => deep.prop_map(|((open, close), depth)| format!("{}{{}}{}", open.repeat(depth), close.repeat(depth))),
        2 => (0..40_u32).prop_map(|number| number.to_string()),
        2 => (0..20_u32).prop_map(|number| format!("\"https://host.example/users/{number}{number}\"")),
    ]
}

/// Keys that mean something in the form or in a path, or that another key is like.
fn key() -> impl Strategy<Value = String> {
    let keys = [
        "a", "b", "a.b", "a.", ".", "", "==", "{=}", "$a", "$", "{", "}", "_forms", "list", "column", "rows", "id",
        "user", "\\u0061", "\\ud83d", "é", "__proto__", "0", "a b", "]", "\\\"",
    ];
    prop::sample::select(keys.to_vec()).prop_map(str::to_owned)
}

/// Rows that have the same generated keys, in which some values differ, are missing or stand elsewhere.
fn alike(value: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let fields = prop::collection::vec((key(), value.clone()), 1..6);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8, value), 2..12);
    (fields, changes, any::<bool>()).prop_map(|(fields, changes, is_map)| {
        let row = |(nth, (at, change, value)): (usize, (prop::sample::Index, u8, String))| {
            let (mut members, at) = (fields.clone(), at.index(fields.len()));
            match change {
                0 => members[at].1 = value,
                1 => _ = members.remove(at),
                2 => members.rotate_left(at),
                3 => members.push((members[at].0.clone(), value)),
                4 => members[at].1 = format!("{{\"{}\":{value}}}", members[at].0),
                _ => {}
            }
            let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            let row = format!("{{{}}}", members.join(","));
            if is_map { format!("\"k{nth}\":{row}") } else { row }
        };
        let rows: Vec<String> = changes.into_iter().enumerate().map(row).collect();
        if is_map { format!("{{{}}}", rows.join(",")) } else { format!("[{}]", rows.join(",")) }
    })
}

fn object(
    key: impl Strategy<Value = String> + 'static,
    value: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = String> {
    prop::collection::vec((key, value), 0..6).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Rows with the same keys, some without one of them, some with one in another place.
fn rows(value: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let row = (prop::collection::vec(value, 6), 0..24_usize, any::<bool>());
    (prop::collection::vec(row, 2..7), 0..4_u8).prop_map(|(rows, shape)| {
        let keys = ["id", "url", "user", "state", "link", "x"];
        let entry = |(nth, (values, odd, is_member)): (usize, (Vec<String>, usize, bool))| {
            let mut members: Vec<String> =
                keys.iter().zip(values).map(|(key, value)| format!("\"{key}\":{value}")).collect();
            match odd {
                0..6 => _ = members.remove(odd),
                6..10 => members.swap(0, odd - 6),
                10 => members[5] = members[4].clone(),
                11 => members.insert(2, "\"extra\":\"only here\"".to_owned()),
                _ if is_member && shape == 2 => {
                    members[2] =
                        "\"user\":{\"login\":\"ann\",\"type\":\"User\",\"url\":\"https://host.example/users/ann\"}"
                            .to_owned()
                }
                _ => {}
            }
            let row = format!("{{{}}}", members.join(","));
            if shape == 3 { format!("\"key{nth}\":{row}") } else { row }
        };
        let entries: Vec<String> = rows.into_iter().enumerate().map(entry).collect();
        match shape {
            3 => format!("{{{}}}", entries.join(",")),
            _ => format!("[{}]", entries.join(",")),
        }
    })
}

fn json() -> impl Strategy<Value = String> {
    let inner = scalar().prop_recursive(2, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            object("[abc]", inner.clone()),
            object(key(), inner.clone()),
            alike(inner.clone()),
            rows(inner),
        ]
    });
    prop_oneof![
        3 => rows(inner.clone().boxed()),
        3 => alike(inner.clone().boxed()),
        1 => object("[a-d]", inner.clone().boxed()),
        1 => object(key(), inner),
    ]
}

/// The same with what looks like the form.
fn look_alike() -> impl Strategy<Value = String> {
    (json(), 0..11_u8).prop_map(|(json, kind)| match kind {
        0 => json.replace("\"user\"", "\"=\""),
        1 => json.replace("\"open\"", "\"https://host.example/${id}/${user.login}\""),
        2 => json.replace("\"id\"", "\"columns\"").replace("\"url\"", "\"rows\""),
        3 => json.replace("\"state\"", "\"a.b\""),
        4 => json.replace("\"null\"", "{\"columns\":[\"a\"],\"rows\":[[1]]}"),
        5 => json.replace("\"null\"", "{\"=\":\"user\"}"),
        6 => json.replacen("\"a\"", "\"_form\"", 1),
        7 => json.replace("\"==\"", "\"=\"").replace("\"_forms\"", "\"_form\""),
        8 => json.replace("\"column\"", "\"columns\"").replace("\"list\"", "\"_list\""),
        9 => json.replace("[{}]", "{\"columns\":[],\"rows\":{}}").replace("\"$a\"", "\"${a}\""),
        _ => json.replace("\"state\"", "\"\""),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn what_is_written_reads_back(json in json(), rules in 0..128_u8) {
        let text = JsonText::parse(&json).unwrap().minified().into_owned();
        prop_assert_eq!(&text, &json);
        for rules in [Rules::ALL, Rules::of_bits(rules)] {
            if let Some(original) = read_back(&json, rules) {
                prop_assert_eq!(&original, &json);
            }
        }
    }

    #[test]
    fn what_looks_like_the_form_reads_back_or_stays(json in look_alike()) {
        if let Some(fit) = smallest(&json, MEASURE) {
            prop_assert_eq!(&expand(&fit.text).unwrap(), &json);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(json in look_alike(), cut in any::<prop::sample::Index>()) {
        let text = format!("{{\"_form\":{},{}", quoted(&Rules::ALL.sentence()), json.trim_start_matches(['[', '{']));
        let _ = expand(&text);
        let dense = write::write(&Tree::of_objects(&json), Rules::ALL);
        let text = format!("{{\"_form\":{},{}}}", quoted(&Rules::ALL.sentence()), dense.members);
        let edges: Vec<usize> = text.match_indices([',', '"']).map(|(at, _)| at).collect();
        let at = edges[cut.index(edges.len())];
        let _ = expand(&format!("{}{}", &text[..at], &text[at + 1..]));
    }
}

#[test]
fn what_saves_too_little_stays() {
    let rows: Vec<String> = (0..60).map(|id| format!(r#"{{"id":{id},"name":"n{id}"}}"#)).collect();
    let tokens = |json: &str| (dense(json, MEASURE), MEASURE.count(json));
    for count in [0, 1, 2, 5, 60] {
        let (fit, plain) = tokens(&format!("[{}]", rows[..count].join(",")));
        match fit {
            Some((_, tokens)) => assert!(count > 5 && tokens + LEAST_SAVED <= plain),
            None => assert!(count <= 5),
        }
    }
    assert!(tokens(&format!("[{}]", ["\"only words here\""; 100].join(","))).0.is_none());
}

#[test]
fn empty_objects_are_no_part_of_an_address() {
    let row = |name: &str| match name {
        "width" => format!(
            r#""{name}":{{"compat":{{"url":"https://host.example/client-hints/#sec-ch-width","support":{{}}}}}}"#
        ),
        _ => format!(r#""{name}":{{"compat":{{"support":{{}}}}}}"#),
    };
    let names = ["platform", "platform-version", "viewport-height", "viewport-width", "width", "memory", "device"];
    let rows: Vec<_> = names.into_iter().map(row).collect();
    let json = format!("{{{},\"compat\":{{\"support\":{{}}}}}}", rows.join(","));
    assert_eq!(read_back(&json, Rules::ALL).unwrap_or_else(|| json.clone()), json);
}
