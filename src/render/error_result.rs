//! Results that explain why there is no data, and what to call instead.

use serde_json::{Map, Value};

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::text_cuts;
use crate::outcome::receipt_line::NAME_CHARS;
use crate::render::notes;
use crate::request::call::{CONTROLS, Call};
use crate::request::context::{Context, Fit};
use crate::request::read_tool::READ_RESULT;

/// The result for a wrong call argument; `fields` are the names that exist, the most similar first.
pub(crate) fn of_call(
    error: &Error,
    fields: &[String],
    call: &Call,
    read_tool: &str,
    limits: impl Fn(&str) -> Option<usize>,
) -> (String, usize) {
    // A model knows the tool by the name that is listed.
    let tool = call.tool_name().map(|tool| if tool == READ_RESULT { read_tool } else { tool });
    let hint = notes::error::hint(error, !fields.is_empty(), call);
    let mut shown = fields.len();
    loop {
        let mut out = head(error.code().as_str(), tool);
        out.text("message", error.message());
        out.text("hint", &hint);
        if !fields.is_empty() {
            if shown < fields.len() {
                out.flag("moreFields", true);
            }
            out.texts("fields", &fields[..shown]);
        }
        let text = out.into_object();
        match limits(&text) {
            Some(tokens) => return (text, tokens),
            None if shown > 0 => shown = shown * 3 / 4,
            // Only the code is left; it always fits.
            None => {
                let text = head(error.code().as_str(), None).into_object();
                let tokens = limits(&text).unwrap_or(0);
                return (text, tokens);
            }
        }
    }
}

/// The result for data over the budget where the policy wants an error.
///
/// `tokens` is exact; `suggest` has arguments that are known to fit. `None` if there is no room for these.
pub(crate) fn over_budget(tokens: usize, suggest: &Map<String, Value>, ctx: &Context<'_>) -> Option<Fit> {
    let hint = notes::error::over_budget(!suggest.is_empty());
    let named = |(name, value): (&String, &Value)| {
        let control = CONTROLS.into_iter().find(|control| control == name);
        (control.map_or(name.clone(), |control| ctx.call.argument(control).to_owned()), value.clone())
    };
    let suggest = Value::Object(suggest.iter().map(named).collect());
    let write = |tool: Option<&str>| {
        let mut out = head("OUTPUT_BUDGET_EXCEEDED", tool);
        out.number("tokens", tokens);
        out.number("budget", ctx.budget);
        out.text("hint", hint);
        out.json("suggest", &suggest.to_string());
        out.into_object()
    };
    // If it does not fit, the tool's name is dropped.
    [ctx.tool, None].into_iter().find_map(|tool| {
        let text = write(tool);
        ctx.measure.fits(&text, ctx.budget).map(|tokens| Fit { text, tokens })
    })
}

/// The members that begin an error: its code, and the tool's name if it has one.
fn head(code: &str, tool: Option<&str>) -> Members {
    let mut out = Members::new();
    out.text("error", code);
    if let Some(tool) = tool {
        out.text("tool", text_cuts::start(tool, NAME_CHARS));
    }
    out
}
