//! Generated texts: their outline as its pages show it, and searches compared with a plain reading of each line.

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::Digest;
use toolshape::host::Naming;
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::promises;

fn ask(text: &str, policy: &Value, mut arguments: Value) -> Shaped {
    let id = sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    arguments["handle"] = json!(id);
    let call = json!({ "tool": "read_result", "arguments": arguments });
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    let shaped = shaper.read_result(Some((&format!("{id}.txt"), text)), &Call::new(&call, Naming::Camel).unwrap());
    let shaped = shaped.unwrap();
    promises::fits(&shaped);
    shaped
}

/// All rows of an answer, by its cursors.
fn rows(text: &str, policy: &Value, arguments: &Value) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut asked = arguments.clone();
    asked["format"] = json!("json");
    for _ in 0..1_000 {
        let shaped = ask(text, policy, asked.clone());
        assert!(!shaped.is_error, "{}", shaped.text);
        let reply: Value = serde_json::from_str(&shaped.text).unwrap();
        rows.extend(reply["items"].as_array().unwrap().iter().cloned());
        if reply["nextCursor"].is_null() {
            assert_eq!(reply["totalItems"], json!(rows.len()), "{arguments}");
            return rows;
        }
        asked["cursor"] = reply["nextCursor"].clone();
    }
    panic!("the pages do not end");
}

fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("Some words of a line of the text.\n".to_owned()),
        2 => Just("\n".to_owned()),
        1 => (1usize..5, 0u32..90).prop_map(|(level, n)| format!("\n{} Part {n}\n\n", "#".repeat(level))),
        1 => (0usize..3, 0u32..90).prop_map(|(mark, n)| format!("\nTitle {n}\n{}\n\n", ["======", "------", "~~~~~~"][mark].repeat(2))),
        1 => (1usize..4, 0u32..90).prop_map(|(level, n)| format!("\n{} Part {n}\n\n", "=".repeat(level))),
        1 => (0u32..9, 0u32..9).prop_map(|(one, two)| format!("\n{one}.{two}.  Part\n\n")),
        1 => (0u32..90).prop_map(|n| format!("2026-11-20T10:00:{n:02}Z ##[group]Run {n}\n")),
        1 => (0u32..90).prop_map(|n| format!("==> Step {n}\n")),
        1 => (0u32..90).prop_map(|n| format!("---\nkind: A{n}\n")),
        1 => (0u32..90).prop_map(|n| format!("--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n")),
        1 => (1u32..7, 0u32..90).prop_map(|(level, n)| format!("<h{level}>Part {n}</h{level}>\n")),
        1 => "[ #=<>\\[\\]a-cÄß\\r`~-]{0,12}\n".prop_map(|line| line),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    /// Each section is read by its lines: they exist, begin with the heading, and lie within those of the section above.
    #[test]
    fn sections_are_lines_of_the_text(
        start in prop_oneof![Just(""), Just("<!doctype html>\n"), Just("#+TITLE: a\n")],
        pieces in prop::collection::vec(piece(), 0..40),
    ) {
        let text = start.to_owned() + &pieces.concat();
        let policy = json!({ "maxTokens": 400 });
        let lines = lines_of(&text);
        let mut before = 0;
        let mut open: Vec<(u64, usize)> = Vec::new();
        for row in rows(&text, &policy, &json!({ "outline": true })) {
            let (from, to) = row["lines"].as_str().unwrap().split_once('-').unwrap();
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            let level = row["level"].as_u64().unwrap();
            prop_assert!(before <= from && from <= to && to <= lines.len().max(1), "{row} {text:?}");
            before = from;
            open.retain(|(above, end)| *above < level && *end >= from);
            prop_assert!(open.last().is_none_or(|(_, end)| to <= *end || from == *end), "{row} {text:?}");
            open.push((level, to));
            let word = row["heading"].as_str().unwrap().split(' ').next().unwrap().to_owned();
            let near = lines[from - 1..to.min(from + 3)].concat();
            prop_assert!(near.contains(&word), "{row} {near:?}");
        }
    }

    /// A search finds the lines that a plain reading finds, in pages of any size.
    #[test]
    fn searches_agree_with_a_plain_reading(
        lines in prop::collection::vec("[abAB_ éÉ.1-]{0,12}", 0..30),
        wanted in prop_oneof![Just("a"), Just("ab"), Just("É"), Just("a b"), Just("b_"), Just("1")],
    ) {
        let text = lines.join("\n");
        let asked = json!({ "search": wanted, "context": 0 });
        let found: Vec<u64> =
            rows(&text, &json!({ "maxTokens": 300 }), &asked).iter().map(|row| row["line"].as_u64().unwrap()).collect();
        let has = |line: &str| line.to_lowercase().contains(&wanted.to_lowercase());
        let plain: Vec<u64> =
            (1..).zip(text.lines()).filter(|(_, line)| has(line)).map(|(number, _)| number).collect();
        prop_assert_eq!(found, plain, "{} {:?}", asked, text);
    }
}

/// What reads all of a text is charged: the same log costs more folded than as plain text.
#[test]
fn folding_a_log_and_converting_a_page_are_charged() {
    let log: String = (0..400).map(|n| format!("2026-11-20 10:00:00 INFO [a] request {n} took {n} ms\n")).collect();
    let page = format!("<!doctype html>{}", "<h2>A</h2><p>Some words of a page.</p>\n".repeat(400));
    for text in [log, page] {
        let policy = json!({ "maxTokens": 400 });
        let read = ask(&text, &policy, json!({})).receipt.work;
        let plain = ask(&text, &policy, json!({ "format": "text" })).receipt.work;
        assert!(read >= plain + 3 * text.len() as u64, "{read} {plain}");
    }
}
