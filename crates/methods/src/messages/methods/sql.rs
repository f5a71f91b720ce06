//! Answers in SQL, where SQLite is in the module with everything else.

use serde_json::Value;
use toolshape::Error;
use toolshape::host::FoundTable;

use crate::messages::writer::PartWriter;
use crate::request::Request;

/// The answer to a call whose `tables` the host has found: each has the `handle`, its `key` and `content` if it may be read, and the
/// `call` that found it.
pub fn read_sql(request: &Request<'_>, writer: &mut PartWriter) -> Result<Value, Error> {
    let (given, now) = (request.list("tables")?, request.optional_number("now")?);
    let mut tables = Vec::with_capacity(given.len());
    for (at, table) in given.iter().enumerate() {
        let read = || {
            table.has_only(["handle", "key", "content", "call"].into_iter())?;
            let stored = table.optional_string("key")?.zip(table.optional_text("content")?);
            Ok((table.string("handle")?, stored, table.call_at(now)?))
        };
        tables.push(read().map_err(|error: Error| error.under(at))?);
    }
    let found = tables.iter().map(|(handle, stored, call)| FoundTable {
        handle,
        stored: stored.as_ref().map(|(key, content)| (&**key, (*content).into())),
        call,
    });
    let shaper = crate::shaper(request.number("shaper")?)?;
    Ok(writer.shaped(shaper.read_sql(found.collect(), &request.call()?)?, None))
}
