//! Replaces the sentences in results by their names for the expectations.

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::sentences::Sentences;

/// A sentence and what finds it in a result.
struct Sentence {
    name: String,
    length: usize,
    /// The longest part between holes, a quick filter for texts.
    part: String,
    pattern: Regex,
}

/// Finds sentences in results, the longest first: a short one may be a part of it.
pub struct Wording<'a> {
    sentences: &'a Sentences,
    found: Vec<Sentence>,
}

impl<'a> Wording<'a> {
    pub fn new(sentences: &'a Sentences) -> Self {
        let all = sentences.by_name.iter();
        let mut found: Vec<Sentence> =
            all.map(|(name, text)| Sentence::new(name, text.as_str().unwrap(), &sentences.hole)).collect();
        found.sort_by_key(|sentence| std::cmp::Reverse(sentence.length));
        Self { sentences, found }
    }

    /// A value with the sentences in its texts replaced by names.
    pub fn take_out(&self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let short = take_out(&text, &self.found);
                assert_eq!(self.sentences.put_in(&short), text);
                Value::String(short)
            }
            Value::Array(items) => items.into_iter().map(|item| self.take_out(item)).collect(),
            Value::Object(members) => members.into_iter().map(|(key, member)| (key, self.take_out(member))).collect(),
            other => other,
        }
    }
}

/// The texts for models in an expectation that are not named sentences, without digits, because those vary.
pub fn unnamed(expect: &Value) -> Vec<String> {
    match expect {
        Value::String(text) => {
            let envelope: Option<Map<String, Value>> = serde_json::from_str(text).ok();
            envelope.map_or(Vec::new(), |envelope| unnamed_in(&envelope))
        }
        Value::Array(items) => items.iter().flat_map(unnamed).collect(),
        Value::Object(members) => members.values().flat_map(unnamed).chain(unnamed_in(members)).collect(),
        _ => Vec::new(),
    }
}

fn unnamed_in(envelope: &Map<String, Value>) -> Vec<String> {
    let names: &[&str] = match envelope.keys().next().map(String::as_str) {
        Some("truncated" | "paginated" | "offloaded" | "output" | "text") => &["note"],
        Some("_summarized") => &["_note"],
        Some("error") => &["hint"],
        _ => &[],
    };
    let notes = names.iter().filter_map(|name| envelope.get(*name)?.as_str());
    let rest = notes.map(|note| {
        let between = note.split('⟦').map(|part| part.split_once('⟧').map_or(part, |(_, rest)| rest));
        // What joins the calls of a sentence.
        let between = between.map(|part| part.strip_prefix(" or ").unwrap_or(part));
        between
            .collect::<String>()
            .replace(|character: char| character.is_ascii_digit() || ",. ".contains(character), "")
    });
    rest.filter(|rest| !rest.is_empty()).collect()
}

impl Sentence {
    fn new(name: &str, text: &str, hole: &Regex) -> Self {
        assert!(!text.contains(['"', '\\', '⟦', '⟧']), "{name}: quotes and backslashes change where JSON is in JSON");
        let parts: Vec<&str> = hole.split(text).collect();
        let mut pattern = regex_lite::escape(parts[0]);
        for (kind, part) in hole.find_iter(text).zip(&parts[1..]) {
            pattern += match kind.as_str() {
                "{n}" => r"(\d+)",
                "{w}" => r#"([^\s"\\⟦⟧|]+)"#,
                "{q}" => r#"(\\?"[^"\\⟦⟧|]*\\?")"#,
                _ => "([^⟦⟧|]{1,80}?)",
            };
            pattern += &regex_lite::escape(part);
        }
        let part = parts.iter().max_by_key(|part| part.len()).unwrap();
        let pattern = Regex::new(&pattern).unwrap();
        Self { name: name.to_owned(), length: text.len(), part: (*part).to_owned(), pattern }
    }
}

/// A text with some sentences replaced by names. A later sentence does not match inside an earlier name.
fn take_out(text: &str, sentences: &[Sentence]) -> String {
    let Some((sentence, rest)) = sentences.split_first() else { return text.to_owned() };
    if !text.contains(&sentence.part) {
        return take_out(text, rest);
    }
    let (mut short, mut at) = (String::new(), 0);
    for found in sentence.pattern.captures_iter(text) {
        let whole = found.get(0).unwrap();
        short += &take_out(&text[at..whole.start()], rest);
        let fillings: String = found.iter().skip(1).map(|filling| format!("|{}", filling.unwrap().as_str())).collect();
        short += &format!("⟦{}{fillings}⟧", sentence.name);
        at = whole.end();
    }
    short + &take_out(&text[at..], rest)
}
