//! Server-sent events (WHATWG HTML, section 9.2) whose data are JSON: a list of the data, with names and ids of events that have any.

use toolshape_text::rows::head::Head;

use crate::base::json_string;
use crate::base::members::Members;
use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonText;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// Fewer events are not evidence.
const EVENTS: usize = 2;
/// The fields of an event.
const FIELDS: [&str; 4] = ["data", "event", "id", "retry"];
/// The data of the last event of many streams; they are not JSON.
const DONE: &str = "[DONE]";

/// Whether a text may begin so.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    let mut lines = head.lines().map(|(_, line)| line).filter(|line| !line.is_empty()).take(4).peekable();
    lines.peek().is_some() && lines.all(|line| field(line).is_some())
}

/// The name of a field and its value; a comment has no name.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    (name.is_empty() || FIELDS.contains(&name)).then(|| (name, value.strip_prefix(' ').unwrap_or(value)))
}

/// The data of the events of a text in which every line is a field.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !may_begin(head) {
        return None;
    }
    let (mut events, mut skipped) = (Vec::new(), 0);
    let (mut data, mut facts) = (String::new(), Members::new());
    // A stream may end without the blank line that ends an event.
    for line in text.strip_prefix('\u{feff}').unwrap_or(text).lines().chain([""]) {
        if line.is_empty() {
            if data == DONE {
                skipped += 1;
            } else if !data.is_empty() {
                let json = JsonText::parse(&data).is_ok().then(|| std::mem::take(&mut data))?;
                events.push(match facts.is_empty() {
                    true => json,
                    false => {
                        facts.json("data", &json);
                        facts.clone().into_object()
                    }
                });
            }
            (data, facts) = (String::new(), Members::new());
            continue;
        }
        match field(line)? {
            ("data", value) => {
                data += if data.is_empty() { "" } else { "\n" };
                data += value;
            }
            (name @ ("event" | "id"), value) => facts.json(name, &json_string::quoted(value)),
            _ => skipped += 1,
        }
    }
    if events.len() < EVENTS {
        return None;
    }
    let body = Body::Literal(SharedJson::of(format!("[{}]", events.join(",")))?);
    let skipped = if skipped > 0 { Skipped::Lines(skipped) } else { Skipped::Nothing };
    Some(Structure::of_all(TextFormat::Events, skipped, body))
}
