//! Answers of SQLite, as JSON: no host need read them, and no vocabulary is needed here.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolshape_sql::{Answer, AskError, AskErrorKind, FirstRows, Limits, SqlValue, Table, TableError, Tables, ask};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string;
use crate::base::members::Members;
use crate::base::work::Work;

use super::open::{Part, TablePart};
use super::opened::OpenedTables;
use super::question::SqlQuestion;
use super::{SqlContent, SqlSource, open};

/// Units of work that a step of SQLite takes, and that opening a table takes for each byte of its text.
const UNITS_PER_STEP: u64 = 8;
const UNITS_TO_OPEN: usize = 4;
/// The most bytes of values that an answer has.
const MOST_BYTES: usize = 4 << 20;
/// The most seconds of a question. Work ends nearly every question earlier, and the same on every machine.
const MOST_SECONDS: u64 = 10;
/// The name of the table whose handle the call has as an argument.
const RESULT: &str = "result";
/// What follows the name of a table whose rows are those inside its text.
const INSIDE: &str = "_rows";

/// A clock of the host, in milliseconds.
pub type Clock = fn() -> f64;

/// Answers a question in SQL from stored contents, which were checked: JSON for [`Shaper::show_answers`](crate::Shaper).
///
/// It has `answers`, one for each statement, and `work`. An answer has `columns`, `rows`, `total`, `from`, `firstRows` and `notes`, or
/// `error` with `kind`, `code`, `message` and `near`. A cell that is a list is the start of a text and its characters. `None` if a
/// content that is not given is no longer kept. In WebAssembly, time is limited by the host's clock, if it gives one.
///
/// ```
/// use toolshape::host::{OpenedTables, SqlContent, SqlQuestion, SqlSource, ask_sql};
/// let question =
///     SqlQuestion { sql: "SELECT sum(n) FROM satytrfebjvszehh".to_owned(), result: None, from: 0, rows: 10, cell_chars: 100 };
/// let key = format!("{}.json", "0".repeat(64));
/// let source = SqlSource { name: "satytrfebjvszehh", content: Ok((&key, SqlContent::Text(r#"[{"n":1},{"n":2}]"#.into()))) };
/// let answers = ask_sql(&question, vec![source], &OpenedTables::default(), None).unwrap();
/// assert!(answers.starts_with(r#"{"answers":[{"columns":["sum(n)"],"rows":[[3]],"total":1,"from":0}]"#), "{answers}");
/// ```
pub fn ask_sql(
    question: &SqlQuestion,
    sources: Vec<SqlSource<'_>>,
    opened: &OpenedTables,
    clock: Option<Clock>,
) -> Option<String> {
    let len = |content: &SqlContent<'_>| match content {
        SqlContent::Text(text) => text.len(),
        SqlContent::Kept(bytes) => *bytes,
    };
    let bytes: usize =
        sources.iter().filter_map(|source| source.content.as_ref().ok()).map(|(_, content)| len(content)).sum();
    let work = Work::over(bytes);
    // What is kept from another question is charged too, so that answers do not depend on it.
    let _ = work.spend(bytes.saturating_mul(UNITS_TO_OPEN));
    let before = work.spent();
    let steps = work.left() as u64 / UNITS_PER_STEP;
    let taken = Arc::new(AtomicU64::new(0));
    let limits = Limits {
        work: steps,
        from: question.from,
        rows: question.rows,
        bytes: MOST_BYTES,
        is_late: is_late(clock),
        taken: Some(Arc::clone(&taken)),
        ..Limits::default()
    };
    let result = question.result.as_deref();
    let sources = RefCell::new(sources);
    let stored = StoredTables { sources, result, opened, failed: RefCell::default(), is_gone: Cell::new(false) };
    let answers = ask(&question.sql, &stored, &limits);
    if stored.is_gone.get() {
        return None;
    }
    let failed = stored.failed.into_inner();
    let written: Vec<String> = answers
        .iter()
        .map(|answer| match answer {
            Ok(answer) => rows(answer, question.cell_chars),
            Err(error) => explained(error, &failed),
        })
        .collect();
    let mut out = Members::new();
    out.list("answers", &written);
    out.json("work", &(before + taken.load(Ordering::Relaxed) * UNITS_PER_STEP).to_string());
    Some(out.into_object())
}

/// Whether the time of a question that begins now is up.
fn is_late(clock: Option<Clock>) -> Option<Arc<dyn Fn() -> bool + Send + Sync>> {
    if let Some(clock) = clock {
        let end = clock() + MOST_SECONDS as f64 * 1e3;
        return Some(Arc::new(move || clock() >= end));
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(MOST_SECONDS);
        Some(Arc::new(move || std::time::Instant::now() >= end))
    }
    #[cfg(target_arch = "wasm32")]
    None
}

/// Stored results as tables, opened when a statement names them.
struct StoredTables<'a> {
    sources: RefCell<Vec<SqlSource<'a>>>,
    /// The handle of the table [`RESULT`], with the JSON Pointer of a part behind it.
    result: Option<&'a str>,
    opened: &'a OpenedTables,
    /// Why tables could not be read.
    failed: RefCell<HashMap<String, ErrorCode>>,
    /// Whether a content that is not given is no longer kept.
    is_gone: Cell<bool>,
}

impl Tables for StoredTables<'_> {
    fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError> {
        let (name, is_inside) = name.strip_suffix(INSIDE).map_or((name, false), |name| (name, true));
        let (named, part) = match name.rsplit_once('_') {
            Some((named, "doc")) => (named, TablePart::Whole),
            Some((named, number)) if number.parse::<usize>().is_ok() => {
                (named, TablePart::Nth(number.parse().unwrap_or_default()))
            }
            _ => (name, TablePart::Rows),
        };
        let result = self.result.map(|result| result.split_at(result.find('/').unwrap_or(result.len())));
        let handle = result.filter(|_| named == RESULT).map_or(named, |(handle, _)| handle);
        let part = match (part, result) {
            (TablePart::Rows, Some((result, pointer))) if result == handle && !pointer.is_empty() => {
                TablePart::At(pointer)
            }
            (part, _) => part,
        };
        let mut sources = self.sources.borrow_mut();
        let Some(source) = sources.iter_mut().find(|source| source.name == handle) else { return Ok(None) };
        let opened = source.content.as_mut().map_err(|error| error.clone()).and_then(|(key, content)| {
            let kept = match part {
                TablePart::Rows => (*key).to_owned(),
                TablePart::Whole => format!("{key}_doc"),
                TablePart::Nth(number) => format!("{key}_{number}"),
                TablePart::At(pointer) => format!("{key}{pointer}"),
            };
            let kept = if is_inside { kept + INSIDE } else { kept };
            let part = Part { of: part, is_inside };
            match content {
                SqlContent::Text(text) => self.opened.get(&kept, text.len(), || open::table(key, &text.share(), part)),
                SqlContent::Kept(bytes) => self.opened.get(&kept, *bytes, || {
                    self.is_gone.set(true);
                    Err(Error::new(ErrorCode::NotFound, "", "/sources"))
                }),
            }
        });
        opened.map(Some).map_err(|error: Error| {
            self.failed.borrow_mut().insert(name.to_owned(), error.code());
            TableError(error.message().to_owned())
        })
    }

    fn names(&self) -> Vec<String> {
        let sources = self.sources.borrow();
        sources.iter().filter(|source| source.content.is_ok()).map(|source| source.name.to_owned()).collect()
    }
}

fn rows(answer: &Answer, cell_chars: usize) -> String {
    let mut out = Members::new();
    out.texts("columns", &answer.columns);
    let rows: Vec<String> = answer
        .rows
        .iter()
        .map(|row| {
            let mut out = String::from("[");
            for (at, value) in row.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                cell(value, cell_chars, &mut out);
            }
            out.push(']');
            out
        })
        .collect();
    out.list("rows", &rows);
    out.number("total", answer.total);
    out.number("from", answer.from);
    if let Some(FirstRows { table, read, of }) = &answer.first_rows {
        let mut first = Members::new();
        first.text("table", table);
        first.number("read", *read);
        first.number("of", *of);
        out.object("firstRows", &first);
    }
    if !answer.notes.is_empty() {
        out.texts("notes", &answer.notes);
    }
    out.into_object()
}

/// A value, or a list of the start of a longer text and its characters.
fn cell(value: &SqlValue, most: usize, out: &mut String) {
    let (SqlValue::Text(text) | SqlValue::Blob(text)) = value else { return value.write_json(out) };
    // A text of few bytes has few characters.
    match text.char_indices().nth(most).filter(|_| text.len() > most) {
        Some((end, _)) => {
            out.push('[');
            json_string::quote_into(&text[..end], out);
            write!(out, ",{}]", text.chars().count()).expect("writing to a String cannot fail");
        }
        None => value.write_json(out),
    }
}

fn explained(error: &AskError, failed: &HashMap<String, ErrorCode>) -> String {
    let (kind, code) = match error.kind {
        AskErrorKind::Syntax => ("SYNTAX", ErrorCode::InvalidCall),
        AskErrorKind::UnknownTable => ("UNKNOWN_TABLE", ErrorCode::UnknownField),
        AskErrorKind::UnknownColumn => ("UNKNOWN_COLUMN", ErrorCode::UnknownField),
        AskErrorKind::UnknownFunction => ("UNKNOWN_FUNCTION", ErrorCode::UnknownField),
        AskErrorKind::NotAllowed => ("NOT_ALLOWED", ErrorCode::InvalidCall),
        AskErrorKind::Stopped => ("STOPPED", ErrorCode::InvalidCall),
        AskErrorKind::Table => {
            let name = error.message.split(':').next().unwrap_or_default().to_ascii_lowercase();
            ("TABLE", failed.get(&name).copied().unwrap_or(ErrorCode::InvalidCall))
        }
        _ => ("FAILED", ErrorCode::InvalidCall),
    };
    let without_names = AskError { near: Vec::new(), ..error.clone() };
    let mut out = Members::new();
    out.text("kind", kind);
    out.text("code", code.as_str());
    out.text("message", &without_names.to_string());
    out.texts("near", &error.near);
    let mut whole = Members::new();
    whole.object("error", &out);
    whole.into_object()
}
