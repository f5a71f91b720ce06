//! Results that explain to the caller why there is no data, and what to call instead.

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::base::text_cuts;
use crate::request::call::{CONTROLS, Call};
use crate::request::context::{Context, Fit};

/// A tool name longer than this is shown cut.
const TOOL_CHARS: usize = 128;

/// The result for call arguments that cannot be followed; `fields` are those there are, closest first.
pub(crate) fn of_call(
    error: &Error,
    fields: &[String],
    call: &Call,
    limits: impl Fn(&str) -> Option<usize>,
) -> (String, usize) {
    let hint = match error.code() {
        ErrorCode::InvalidCursor => {
            format!("Call again without {} to start from the first page.", call.argument("cursor"))
        }
        ErrorCode::InvalidHandle => "Take uri from the result that told of it, and call again.".to_owned(),
        ErrorCode::NotFound => "It has expired or was removed: call the tool again that it came from.".to_owned(),
        ErrorCode::StoreFailed => {
            "Try again; if it fails again, call the tool again that the result came from.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" && !fields.is_empty() => {
            "Call again with pointer set to one of fields.".to_owned()
        }
        ErrorCode::UnknownField if error.path() == "/pointer" => "Correct the pointer and call again.".to_owned(),
        ErrorCode::UnknownField if fields.is_empty() => {
            format!("The result has no fields; call again without {}.", call.argument("fields"))
        }
        ErrorCode::UnknownField => "Call again with names from fields.".to_owned(),
        _ => "Correct the argument and call again.".to_owned(),
    };
    let mut shown = fields.len();
    loop {
        let mut text = format!("{{\"error\":\"{}\",{}", error.code().as_str(), tool_member(call.tool()));
        text += &format!("\"message\":{},", json_string::quoted(error.message()));
        text += &format!("\"hint\":{}", json_string::quoted(&hint));
        if !fields.is_empty() {
            let names: Vec<String> = fields[..shown].iter().map(|name| json_string::quoted(name)).collect();
            if shown < fields.len() {
                text += ",\"moreFields\":true";
            }
            text += &format!(",\"fields\":[{}]", names.join(","));
        }
        text.push('}');
        match limits(&text) {
            Some(tokens) => return (text, tokens),
            None if shown > 0 => shown = shown * 3 / 4,
            // Nothing is left to drop but the words; the code alone always fits.
            None => {
                let text = format!("{{\"error\":\"{}\"}}", error.code().as_str());
                let tokens = limits(&text).unwrap_or(0);
                return (text, tokens);
            }
        }
    }
}

/// The result for data that is over the budget where policy wants an error.
///
/// `tokens` is exact; `suggest` holds arguments that are known to fit.
pub(crate) fn over_budget(tokens: usize, suggest: &Map<String, Value>, cx: &Context<'_>) -> Fit {
    let hint = if suggest.is_empty() {
        "The result is too large to show; ask the tool for less."
    } else {
        "Call again with the same arguments and those in suggest."
    };
    let named = |(name, value): (&String, &Value)| {
        let control = CONTROLS.into_iter().find(|control| control == name);
        (control.map_or(name.clone(), |control| cx.call.argument(control).to_owned()), value.clone())
    };
    let suggest = Value::Object(suggest.iter().map(named).collect());
    let write = |tool: Option<&str>, suggest: &Value| {
        format!(
            "{{\"error\":\"OUTPUT_BUDGET_EXCEEDED\",{}\"tokens\":{tokens},\"budget\":{},\"hint\":\"{hint}\",\"suggest\":{suggest}}}",
            tool_member(tool),
            cx.budget,
        )
    };
    // Long names give way: first the tool's, then the suggestion.
    let nothing = Value::Object(Map::new());
    let candidates = [(cx.tool, &suggest), (None, &suggest), (None, &nothing)];
    let mut texts = candidates.into_iter().map(|(tool, suggest)| write(tool, suggest));
    let text = texts.find(|text| cx.measure.fits(text, cx.budget).is_some()).unwrap_or_default();
    let tokens = cx.measure.count(&text);
    Fit { text, tokens }
}

fn tool_member(tool: Option<&str>) -> String {
    tool.map_or(String::new(), |tool| {
        let cut = tool.char_indices().nth(TOOL_CHARS).map_or(tool.len(), |(at, _)| text_cuts::floor(tool, at));
        format!("\"tool\":{},", json_string::quoted(&tool[..cut]))
    })
}
