//! Generated logs, stack traces, Markdown and pages: what is shown of them is theirs, what matters is shown, and the text
//! itself is reachable byte for byte.

use html5gum::Tokenizer;
use html5gum::emitters::default::{DefaultEmitter, Token};
use proptest::prelude::*;
use serde_json::{Value, json};
use toolshape::host::Naming;
use toolshape::{Call, Policy, Shaped, Shaper};

use crate::promises;
use crate::reader::Reader;
use crate::vectors;

fn shape(text: &str, policy: &Value, call: &Value) -> Shaped {
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    shaper.shape_text(text, &Call::new(call, Naming::Camel).unwrap()).unwrap()
}

/// The parts of a text from a result on, by its cursors.
fn followed(text: &str, policy: &Value, mut shaped: Shaped) -> String {
    let mut whole = String::new();
    for _ in 0..2_000 {
        promises::fits(&shaped);
        promises::whole(&shaped);
        let answer: Value = serde_json::from_str(&shaped.text).unwrap();
        whole += answer["preview"].as_str().unwrap_or_default();
        let Some(cursor) = answer["nextCursor"].as_str() else { return whole };
        shaped = shape(text, policy, &json!({ "cursor": cursor }));
        assert!(!shaped.is_error, "{}", shaped.text);
    }
    panic!("the parts do not end");
}

/// P4: the text itself, by `format` and from a store.
fn is_reachable(text: &str, policy: &Value) {
    let first = shape(text, policy, &json!({ "format": "text" }));
    if !first.unchanged {
        assert_eq!(followed(text, policy, first), text);
    }
    let shaper = Shaper::new(Policy::new(policy, Naming::Camel).unwrap());
    assert_eq!(Reader::of_stored(&shaper, text, false, None).rebuild_text(), text);
}

/// The same, and by the cursors of a log or a trace, which begin at the first character. Only where there is hardly room is a
/// text over the budget shown as plain text.
fn is_read_to_its_end(text: &str, policy: &Value, shaped: &Shaped, max_tokens: usize) {
    if is_read_as(shaped, "log") || is_read_as(shaped, "trace") {
        assert_eq!(followed(text, policy, shape(text, policy, &json!({}))), text);
    } else {
        assert!(shaped.unchanged || max_tokens < 300, "{}", shaped.text);
    }
    is_reachable(text, policy);
}

fn answer(shaped: &Shaped) -> Value {
    serde_json::from_str(&shaped.text).unwrap()
}

fn is_read_as(shaped: &Shaped, format: &str) -> bool {
    shaped.receipt.step_names().contains(&format)
}

/// Each entry of `lines`, and `tail`, has the lines of the text that it names, or their starts.
fn quotes(text: &str, answer: &Value) {
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(answer["totalLines"], lines.len());
    for entry in answer["lines"].as_array().unwrap().iter().chain(answer.get("tail")) {
        let first = entry["line"].as_u64().unwrap() as usize;
        let shown: Vec<&str> = entry["text"].as_str().unwrap().split('\n').collect();
        for (at, line) in shown.iter().enumerate() {
            assert!(
                lines[first - 1 + at].starts_with(line.trim_end_matches('\r')),
                "line {} is not {line:?}",
                first + at
            );
        }
        let more = entry["moreLines"].as_u64().unwrap_or(0) as usize;
        assert!(first - 1 + shown.len() + more <= lines.len());
    }
}

/// A line of a log: whether it is an error, and the lines of its record.
fn record() -> impl Strategy<Value = (bool, String)> {
    let word = "[a-z]{2,8}|[0-9]{1,6}|/[a-z]{1,5}/[a-z]{1,5}|é|👩‍👩‍👧|\"[a-z]\"|\\\\n";
    let words = prop::collection::vec(word, 1..12).prop_map(|words| words.join(" "));
    let level = prop_oneof![20 => Just("INFO"), 3 => Just("DEBUG"), 2 => Just("WARN"), 1 => Just("ERROR")];
    let trace = prop::option::weighted(0.3, 1..60usize);
    (level, words, trace).prop_map(|(level, words, trace)| {
        let mut text = format!("{level} {words}");
        if let (Some(frames), "ERROR") = (trace, level) {
            text += "\nTraceback (most recent call last):";
            for frame in 0..frames {
                text += &format!("\n  File \"/app/a.py\", line {frame}, in f\n    call({frame})");
            }
            text += "\nValueError: found";
        }
        (level == "ERROR", text)
    })
}

fn log() -> impl Strategy<Value = (usize, String)> {
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(record(), 60..200), end).prop_map(|(records, end)| {
        let stamped = records.iter().enumerate().map(|(at, (_, record))| {
            format!("2026-11-20 10:{:02}:{:02} {}", at / 60, at % 60, record.replace('\n', end)) + end
        });
        (records.iter().filter(|(is_error, _)| *is_error).count(), stamped.collect())
    })
}

fn traces() -> impl Strategy<Value = (Vec<String>, String)> {
    prop::collection::vec((0..4usize, 8..80usize, "[A-Z][a-z]{2,8}Error: [a-z ]{1,30}[a-z]"), 1..5).prop_map(|parts| {
        let (mut exceptions, mut text) = (Vec::new(), String::new());
        for (at, (kind, frames, exception)) in parts.into_iter().enumerate() {
            let frame = |n: usize| match kind {
                0 => format!("  File \"/app/a.py\", line {n}, in f\n    call({n})\n"),
                1 => format!("\tat com.acme.A.b(A.java:{n})\n"),
                2 => format!("    at f{n} (/app/a.js:{n}:5)\n"),
                _ => format!("   at A.B{n}() in /app/A.cs:line {n}\n"),
            };
            let frames: String = (0..frames).map(frame).collect();
            text += &match kind {
                0 => format!("Traceback (most recent call last):\n{frames}{exception}\n"),
                1 if at > 0 => format!("Caused by: {exception}\n{frames}"),
                _ => format!("{exception}\n{frames}"),
            };
            exceptions.push(exception);
        }
        (exceptions, text)
    })
}

fn markdown() -> impl Strategy<Value = String> {
    let words = prop::collection::vec("[a-z]{2,8}", 5..30).prop_map(|words| words.join(" ") + ".");
    let block = prop_oneof![
        3 => (1..5usize, "[A-Z][a-z é]{0,30}").prop_map(|(level, title)| format!("{} {title}", "#".repeat(level))),
        1 => "[A-Z][a-z]{2,20}".prop_map(|title| format!("{title}\n-----")),
        4 => words.clone(),
        1 => words.prop_map(|words| format!("- one {words}\n- two")),
        1 => Just("```sh\n# none\n\n## none\n```".to_owned()),
    ];
    prop::collection::vec(block, 40..200).prop_map(|blocks| blocks.join("\n\n") + "\n")
}

/// Pieces of pages that add no marks of ours, in spellings that are easily misread.
fn inline() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        4 => "[a-zA-Z0-9 .,é👩\n]{1,30}",
        1 => "&(lt|gt|amp|quot|nbsp|eacute|mdash|#65|#x41|#128|none|copy)[;]?[ a-z]{0,3}",
        1 => "( < | <= |<1| > |&|&&|&;|&#;)",
    ];
    let tag = prop_oneof![
        2 => "</?(b|i|span|em|strong|code|u|small|B|SPAN)( [a-z]{1,5}(=([a-z0-9]{1,5}|\"[a-z<>&' ]{0,8}\"|'[a-z<>\" ]{0,8}'))?){0,3} ?/?>",
        1 => "<!--[a-z <>-]{0,10}[a-z]-->",
        1 => "<script>[a-z <>&\"']{0,20}</script>|<style>[a-z <>&\"']{0,20}</STYLE x>",
        1 => "<![a-z ]{0,8}>|<\\?[a-z ]{0,8}>",
    ];
    prop_oneof![3 => text, 2 => tag]
}

/// The text of a page without white space, as another tokenizer reads it.
fn visible(html: &str) -> String {
    let mut out = String::new();
    let mut raw = None;
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                raw = ["script", "style"].contains(&&*name).then_some(name);
            }
            Token::EndTag(_) => raw = None,
            Token::String(text) if raw.is_none() => out += &String::from_utf8_lossy(&text),
            _ => {}
        }
    }
    without_space(&out)
}

/// Lines of a recognized text of which some have a character of several bytes, a break, or a mark in an odd place.
fn odd_lines() -> impl Strategy<Value = Vec<String>> {
    let odd = prop::sample::select(vec![
        "\u{a0}", "\u{85}", "\u{2028}", "\u{3000}", "\u{200b}", "\u{feff}", "\u{301}", "é", "İ", "ſ", "٣", "│", "👩‍👩‍👧",
        "\u{1b}[1m", "\r", "\r\n", "\t", "\0", "",
    ]);
    let change = (odd, 0..1000usize, prop::sample::select(vec![1, 1, 2, 3, 10, 100]), any::<bool>());
    (prop::sample::select(vectors::texts()), prop::collection::vec(change, 1..4)).prop_map(|(text, changes)| {
        let mut lines: Vec<String> = text.lines().take(120).map(str::to_owned).collect();
        for (odd, place, every, replaces) in changes {
            for line in lines.iter_mut().step_by(every) {
                // The start of a line is what decides most.
                let chars = line.chars().count().min(if place % 2 == 0 { 12 } else { 400 });
                let at = |nth| line.char_indices().nth(nth).map_or(line.len(), |(at, _)| at);
                let nth = place * (chars + 1) / 1000;
                let place = at(nth)..at(nth + usize::from(replaces));
                line.replace_range(place, odd);
            }
        }
        lines
    })
}

fn without_space(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

/// The text of a page, put together from its parts.
fn page(html: &str, policy: &Value) -> Option<String> {
    let first = shape(html, policy, &json!({}));
    is_read_as(&first, "html").then(|| followed(html, policy, first))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn characters_of_several_bytes_may_be_anywhere(
        lines in odd_lines(),
        max_tokens in 200..900usize,
        is_stored in any::<bool>(),
        form in 0..6,
    ) {
        let text = lines.join("\n");
        let (policy, call) = (json!({ "maxTokens": max_tokens }), json!({ "store": is_stored }));
        let word = text.split_whitespace().nth(3).unwrap_or("a");
        let asked = match form {
            0 => {
                drop(promises::hold_text(&text, &policy, &call));
                return Ok(());
            }
            1 => {
                drop(promises::hold(&json!({ "output": text }).to_string(), &policy, &call));
                return Ok(());
            }
            2 => {
                drop(promises::hold(&json!(lines).to_string(), &policy, &call));
                return Ok(());
            }
            3 => json!({ "outline": true }),
            4 => json!({ "search": word }),
            _ => json!({ "lines": "3-" }),
        };
        promises::answered(&text, false, &policy, &asked);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_shows_its_errors_first((errors, text) in log(), max_tokens in 200..1500usize, has_store in any::<bool>()) {
        let policy = json!({ "maxTokens": max_tokens });
        let shaped = promises::hold_text(&text, &policy, &json!({ "store": has_store }));
        if is_read_as(&shaped, "log") {
            let answer = answer(&shaped);
            quotes(&text, &answer);
            prop_assert_eq!(answer["levels"]["error"].as_u64().unwrap_or(0), errors as u64);
            if errors > 0 && max_tokens > 400 {
                prop_assert!(answer["lines"][0]["text"].as_str().unwrap().contains("ERROR"), "{}", shaped.text);
            }
        }
        is_read_to_its_end(&text, &policy, &shaped, max_tokens);
    }

    #[test]
    fn a_trace_shows_every_exception((exceptions, text) in traces(), max_tokens in 200..1200usize) {
        let policy = json!({ "maxTokens": max_tokens });
        let shaped = promises::hold_text(&text, &policy, &json!({}));
        if is_read_as(&shaped, "trace") {
            let answer = answer(&shaped);
            quotes(&text, &answer);
            if max_tokens > 450 {
                for exception in exceptions {
                    prop_assert!(shaped.text.contains(&exception), "{exception} in {}", shaped.text);
                }
            }
        }
        is_read_to_its_end(&text, &policy, &shaped, max_tokens);
    }

    #[test]
    fn an_outline_names_headings_by_their_lines(text in markdown(), max_tokens in 200..1500usize) {
        let policy = json!({ "maxTokens": max_tokens, "text": "markdown" });
        let shaped = promises::hold_text(&text, &policy, &json!({}));
        if is_read_as(&shaped, "markdown") {
            let answer = answer(&shaped);
            let lines: Vec<&str> = text.lines().collect();
            let shown = answer["preview"].as_str().unwrap().matches('\n').count();
            for heading in answer["outline"].as_array().into_iter().flatten() {
                let (line, title) = heading.as_str().unwrap().split_once(' ').unwrap();
                let line: usize = line.parse().unwrap();
                let title = title.trim_start_matches('#').trim();
                prop_assert!(lines[line - 1].contains(title) && line > shown, "{heading} is not {:?}", lines[line - 1]);
            }
            let is_next = |line: &&str| line.starts_with('#') && !line.contains("none");
            let has_next = lines[shown..].iter().skip(3).any(is_next);
            let has_outline = answer["outline"].as_array().is_some_and(|outline| !outline.is_empty());
            prop_assert!(has_outline || !has_next || max_tokens < 400, "no outline: {}", shaped.text);
            let first = shape(&text, &policy, &json!({}));
            prop_assert_eq!(followed(&text, &policy, first), text.clone());
        }
        is_reachable(&text, &policy);
    }

    #[test]
    fn a_page_has_the_text_that_another_reader_sees(
        pieces in prop::collection::vec(inline(), 100..300),
        max_tokens in 200..900usize,
    ) {
        let html = format!("<!doctype html><p>{}", pieces.concat());
        let policy = json!({ "maxTokens": max_tokens });
        promises::hold_text(&html, &policy, &json!({ "store": true }));
        if let Some(text) = page(&html, &policy) {
            prop_assert_eq!(without_space(&text), visible(&html));
            // The same whatever the budget.
            prop_assert_eq!(page(&html, &json!({ "maxTokens": 200 })), Some(text));
        }
        is_reachable(&html, &policy);
    }

    #[test]
    fn broken_pages_keep_their_words(
        pieces in prop::collection::vec(
            "</?(p|div|ul|ol|li|table|tr|td|th|h[1-6]|a href=/[a-z]|a|pre|b|img alt=[a-z]{3}|br|section hidden|svg|template|title|textarea|select|option)>|w[0-9]{4} ",
            50..200,
        ),
        may_hide in any::<bool>(),
        max_tokens in 200..900usize,
    ) {
        let is_hiding = |piece: &&String| ["hidden", "svg", "template", "title"].iter().any(|tag| piece.contains(tag));
        let pieces: Vec<&String> = pieces.iter().filter(|piece| may_hide || !is_hiding(piece)).collect();
        let html = format!("<!doctype html>{}", pieces.iter().map(|piece| piece.as_str()).collect::<String>());
        let policy = json!({ "maxTokens": max_tokens });
        promises::hold_text(&html, &policy, &json!({}));
        let hides = pieces.iter().any(is_hiding);
        if let Some(text) = page(&html, &policy).filter(|_| !hides) {
            for word in pieces.iter().filter(|piece| piece.starts_with('w')) {
                prop_assert!(text.contains(word.trim()), "{word} is not in {text}");
            }
        }
        is_reachable(&html, &policy);
    }
}

#[test]
fn a_page_of_lines_has_room_for_a_row_beside_those_that_say_how_it_went() {
    let code = "error[E0308]: mismatched types\n  --> src/lib.rs:31:20\n   |\n31 | pub fn g() -> u8 { \"x\" }\n   |    ^^^ expected `u8`\n\n";
    let warning = |n| {
        format!(
            "warning: unused variable: `unused_{n}`\n --> src/lib.rs:{n}:23\n  |\n{n} | pub fn f() {{ let u = 1; }}\n  |     ^\n\n"
        )
    };
    let run: String = (1..40).map(warning).collect();
    let end = "error: could not compile `shop` (lib) due to 1 previous error; 39 warnings emitted";
    let list = json!(format!("   Compiling shop v0.1.0\n{code}{run}{end}").lines().collect::<Vec<_>>()).to_string();
    for budget in (400..800).step_by(10) {
        let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": budget }), Naming::Camel).unwrap());
        let shaped = shaper.shape_json(&list, &Call::new(&json!({}), Naming::Camel).unwrap()).unwrap();
        let answer: Value = serde_json::from_str(&shaped.text).unwrap();
        let shown = answer["excerpt"].to_string();
        assert!(shown.contains("could not compile") && !answer["items"].is_null(), "{budget}: {}", shaped.text);
    }
}

#[test]
fn a_run_with_headings_is_no_document() {
    let part = |n: usize| {
        let messages: String = (0..12).map(|at| format!("info: step {at} of part {n} is done\n")).collect();
        format!("## Part {n}\n\n{messages}src/part{n}.rs:4: error: cannot find value `x{n}`\n\n")
    };
    let parts: String = (0..12).map(part).collect();
    let policy = json!({ "maxTokens": 500 });
    let run = shape(&format!("# Build\n\n{parts}12 failed, 144 passed in 3.21s\n"), &policy, &json!({}));
    assert!(!is_read_as(&run, "markdown") && run.text.contains("cannot find value `x11`"), "{}", run.text);
    let prose =
        parts.replace("info:", "Then").replace(".rs:4: error:", ", See").replace("is done", "was written down by us.");
    let document = shape(&format!("# Build\n\n{prose}"), &policy, &json!({}));
    assert!(is_read_as(&document, "markdown"), "{}", document.text);
}

#[test]
fn what_follows_a_message_is_shown_with_it() {
    let word = |n: u8| String::from_utf8((0..6).map(|at| b'a' + (n.wrapping_mul(at + 3) >> 2) % 26).collect()).unwrap();
    let line = |n: u8| format!("{} {} {}\n", word(n), word(n ^ 90), word(n ^ 165));
    let with =
        |message: &str| -> String { (0..200).map(|n| if n == 120 { message.to_owned() } else { line(n) }).collect() };
    let shown = |text: &str| shape(text, &json!({ "maxTokens": 400 }), &json!({})).text.contains(line(121).trim());
    assert!(shown(&with("error: no more room\n")) && !shown(&with(&line(120))));
}
