//! Answers of SQLite about stored contents. It needs nothing else of the core, and may be in a module of its own.

use toolshape::host::{Clock, OpenedTables, SqlContent, SqlQuestion, SqlSource, ask_sql};
use toolshape::{Error, ErrorCode};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

/// The members of its requests.
pub const MEMBERS: &[&str] = &["sql", "result", "from", "rows", "cellChars", "sources"];

thread_local! {
    static OPENED: OpenedTables = OpenedTables::default();
}

/// The answers to a question, as the JSON that `showAnswers` takes. A source has a `handle`, and a `key` and the address of a `buffer` whose
/// first `bytes` are the content, or the `code` and the `message` of the error for which it cannot be read. A content that an earlier
/// question had may be left out: its bytes are `kept`. If it is no longer, the answer is empty, and the question is asked again with the
/// content.
///
/// `take` takes the buffer at an address: a content is not copied. The host's clock, if it has one, limits the time.
pub fn ask(request: &Request<'_>, take: impl Fn(usize) -> Option<Vec<u8>>, clock: Option<Clock>) -> Reply {
    let size = |name: &str| request.number(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let question = SqlQuestion {
        sql: request.string("sql")?.into_owned(),
        result: request.optional_string("result")?.map(Into::into),
        from: size("from")?,
        rows: size("rows")?,
        cell_chars: size("cellChars")?,
    };
    let given = request.list("sources")?;
    let mut sources = Vec::with_capacity(given.len());
    for source in &given {
        source.has_only(["handle", "key", "buffer", "bytes", "kept", "code", "message"].into_iter())?;
        sources.push((source.string("handle")?, source.optional_string("key")?, source));
    }
    let sources = sources.iter().map(|(handle, key, source)| {
        let size = |name| Ok(source.optional_number(name)?.map(|number| usize::try_from(number).unwrap_or(usize::MAX)));
        let content = match size("buffer")? {
            Some(buffer) => {
                let mut content = take(buffer).unwrap_or_default();
                content.truncate(size("bytes")?.unwrap_or_default());
                let content = String::from_utf8(content).map_err(|error| {
                    Error::new(ErrorCode::InvalidCall, format!("the content is not UTF-8: {error}"), "/sources")
                })?;
                Some(SqlContent::Text(content.into()))
            }
            None => size("kept")?.map(SqlContent::Kept),
        };
        let content = match key.as_deref().zip(content) {
            Some(pair) => Ok(pair),
            None => {
                let code = source.optional_string("code")?;
                let code = code.as_deref().and_then(ErrorCode::from_name).unwrap_or(ErrorCode::NotFound);
                Err(Error::new(code, source.optional_string("message")?.unwrap_or_default(), "/sql"))
            }
        };
        Ok(SqlSource { name: handle, content })
    });
    let sources = sources.collect::<Result<Vec<_>, Error>>()?;
    Ok(MethodAnswer::Text(OPENED.with(|opened| ask_sql(&question, sources, opened, clock).unwrap_or_default())))
}
