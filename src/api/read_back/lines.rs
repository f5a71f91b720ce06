//! Lines of a text by their numbers, from 1.

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::ladder::run::Run;
use crate::outcome::shaped::Shaped;
use crate::render::truncate;
use crate::request::context::{Context, Fit};
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;

use super::arguments::Lines;
use super::stored_part::{Part, unfit};

/// The lines that are asked for, whole if they fit, else from their start with a cursor to the rest.
///
/// Each comes with its line break, so that stretches put together are the text.
pub(super) fn read(
    run: &Run<'_, '_>,
    part: &Part<'_>,
    Lines { from, to }: Lines,
    cx: &Context<'_>,
) -> Result<Shaped, Error> {
    let text = part.text().ok_or_else(|| unfit("lines", "the part is no text; use pointer to go to a text in it"))?;
    let starts: Vec<usize> = starts(&text).collect();
    let total = starts.len();
    if from > total {
        let message = format!("lines begins with {from}; there are {total}");
        return Err(Error::new(ErrorCode::InvalidCall, message, "/lines"));
    }
    let to = to.map_or(total, |to| to.min(total));
    let stretch = &text[starts[from - 1]..starts.get(to).copied().unwrap_or(text.len())];
    let lead = format!("\"lines\":\"{from}-{to}\",\"totalLines\":{total},");
    if !cx.goes_on() {
        let on = if to == total {
            "It is the end.".to_owned()
        } else {
            let count = to - from + 1;
            format!("For the next call again with lines set to {}-{}.", to + 1, (to + count).min(total))
        };
        let note = format!("Lines {from} to {to} of {total}. {on}");
        let text =
            format!("{{{lead}\"note\":{},\"text\":{}}}", json_string::quoted(&note), json_string::quoted(stretch));
        if let Some(tokens) = run.measure.fits(&text, cx.budget) {
            return Ok(run.changed(Fit { text, tokens }, Vec::new()));
        }
    }
    let stretch = AnySource::new(PlainText::new(stretch));
    let weight = run.measure.estimate(&stretch)?;
    match truncate::text(&stretch, &lead, weight, cx)? {
        Some(fit) => Ok(run.changed(fit, vec!["truncate"])),
        None => run.nothing(cx),
    }
}

/// Where each line begins; a line break at the very end begins none.
pub(super) fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let after_breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    std::iter::once(0).chain(after_breaks).filter(|&start| start == 0 || start < text.len())
}
