//! The answers of SQLite as a result within the budget.

use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::sorting::sort_by_key;
use crate::ladder::refusal;
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::notes::sql as notes;
use crate::render::sql_rows::{self, SqlCell, SqlRows};
use crate::request::call::Call;
use crate::request::context::{Context, Fit};
use crate::request::policy::Settings;
use crate::value::json_text::JsonText;
use crate::value::source::Source;

/// What the frame around several answers takes of the budget, for each.
const SEAM: usize = 4;

/// The answer to one statement.
enum Answer<'j> {
    Rows(SqlRows<'j>),
    /// Why there is none, and the names that are near.
    Failed(Error, Vec<String>),
}

/// The result of answers.
///
/// # Errors
/// `INVALID_JSON` for a text that is not answers; `INVALID_CALL` for controls that the question has been read with.
pub(super) fn show(json: &str, settings: &Settings, budget: usize, call: &Call) -> Result<Shaped, Error> {
    let value = JsonText::parse(json)?;
    let [list, work] = value.named(&["answers", "work"]);
    let list = list.map(|list| list.items(0, usize::MAX)).transpose()?.unwrap_or_default();
    let answers: Vec<Answer<'_>> = list.iter().map(Answer::read).collect::<Result<_, _>>()?;
    let ctx = Context::new(settings, budget, call.controls(settings)?, call);
    let text = match &answers[..] {
        [Answer::Failed(error, names)] => {
            return Ok(refusal::refuse(settings, budget, call, Weight::Exact(0), error, names));
        }
        [Answer::Rows(rows)] => sql_rows::write(rows, ctx.budget, true, &ctx),
        several => write_all(several, &ctx),
    };
    let Some(tokens) = ctx.measure.fits(&text, ctx.budget) else {
        let error = Error::new(ErrorCode::InvalidCall, notes::NOTHING_FITS, "/sql");
        return Ok(refusal::refuse(settings, budget, call, Weight::Exact(0), &error, &[]));
    };
    let steps = vec![Step::Read, Step::Columns];
    let fit = Fit { text, tokens };
    let shaped = Shaped::new(settings, call, Weight::Exact(tokens), fit, steps, Outcome::Envelope);
    let mut shaped = shaped.within(budget);
    shaped.receipt.work = work.and_then(|work| work.span().parse().ok()).unwrap_or(0);
    Ok(shaped)
}

/// Several answers: those that are short are whole, and the others share what these leave.
fn write_all(answers: &[Answer<'_>], ctx: &Context<'_>) -> String {
    let room = ctx.budget.saturating_sub(SEAM * (answers.len() + 1));
    let mut written: Vec<String> = answers.iter().map(|answer| answer.write(room, ctx)).collect();
    let needs: Vec<usize> = written.iter().map(|text| ctx.measure.count(text)).collect();
    let share = share_of(needs.clone(), room);
    for ((answer, text), need) in answers.iter().zip(&mut written).zip(needs) {
        if need > share {
            *text = answer.write(share, ctx);
        }
    }
    let mut out = Members::new();
    out.list("answers", &written);
    out.into_object()
}

/// The most that each may take, if all that need less take what they need.
fn share_of(mut needs: Vec<usize>, room: usize) -> usize {
    sort_by_key(&mut needs, |need| *need);
    let mut left = room;
    for (at, need) in needs.iter().enumerate() {
        let share = left / (needs.len() - at);
        if *need > share {
            return share;
        }
        left -= need;
    }
    room
}

impl<'j> Answer<'j> {
    fn write(&self, room: usize, ctx: &Context<'_>) -> String {
        match self {
            Answer::Rows(rows) => sql_rows::write(rows, room, false, ctx),
            Answer::Failed(error, names) => {
                let mut out = Members::new();
                out.text("error", error.message());
                if !names.is_empty() {
                    out.texts("fields", names);
                }
                out.into_object()
            }
        }
    }

    fn read(answer: &JsonText<'j>) -> Result<Self, Error> {
        let [error, columns, rows, total, from, first, said] =
            answer.named(&["error", "columns", "rows", "total", "from", "firstRows", "notes"]);
        if let Some(error) = error {
            return failed(&error);
        }
        let number = |value: Option<JsonText<'j>>| value.and_then(|value| value.span().parse().ok()).unwrap_or(0);
        let mut all = Vec::new();
        for row in rows.map(|rows| rows.items(0, usize::MAX)).transpose()?.unwrap_or_default() {
            all.push(row.items(0, usize::MAX)?.iter().map(SqlCell::of).collect());
        }
        let columns = columns.map(|columns| columns.items(0, usize::MAX)).transpose()?.unwrap_or_default();
        let mut said: Vec<String> = said.map(|said| texts(&said)).transpose()?.unwrap_or_default();
        said.iter_mut().for_each(|note| note.push('.'));
        if let Some(first) = first {
            let [table, read, of] = first.named(&["table", "read", "of"]);
            let number = |value: Option<JsonText<'j>>| value.map_or("", |value| value.span());
            let table = table.map(|table| table.text().map(std::borrow::Cow::into_owned)).transpose()?;
            said.insert(0, notes::first_rows(number(read), number(of), &table.unwrap_or_default()));
        }
        Ok(Self::Rows(SqlRows {
            columns: columns.iter().map(JsonText::span).collect(),
            rows: all,
            total: number(total),
            from: number(from),
            notes: said,
        }))
    }
}

fn failed<'j>(error: &JsonText<'_>) -> Result<Answer<'j>, Error> {
    let [kind, code, message, near] = error.named(&["kind", "code", "message", "near"]);
    let text = |value: Option<JsonText<'_>>| {
        value.map(|value| value.text().map(std::borrow::Cow::into_owned)).transpose().map(Option::unwrap_or_default)
    };
    let near = near.map(|near| texts(&near)).transpose()?.unwrap_or_default();
    let mut message = text(message)?;
    if text(kind)? == "UNKNOWN_TABLE" && near.is_empty() {
        message.push_str(notes::WHAT_TABLES_ARE);
    }
    let code = ErrorCode::from_name(&text(code)?).unwrap_or(ErrorCode::InvalidCall);
    Ok(Answer::Failed(Error::new(code, message, "/sql"), near))
}

fn texts(list: &JsonText<'_>) -> Result<Vec<String>, Error> {
    list.items(0, usize::MAX)?.iter().map(|item| Ok(item.text()?.into_owned())).collect()
}
