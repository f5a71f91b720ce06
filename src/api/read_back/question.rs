//! The arguments that ask about rows: `sort`, `group` and `aggregate`, checked.

use crate::base::error::Error;
use crate::base::field_path::{FieldPath, MAX_STEPS};
use crate::render::notes::question as notes;
use crate::request::reader::Reader;
use crate::value::json_path::Filter;
use crate::value::question::{Aggregate, Function, Measured, SortKey};

/// The most sort keys and fields of a group, and the most aggregates: each is held for every row or group.
const MAX_KEYS: usize = 16;
const MAX_AGGREGATES: usize = 100;

/// What a call asks of rows.
#[derive(Debug, Default)]
pub(super) struct Question {
    pub group: Vec<FieldPath>,
    pub aggregates: Vec<Aggregate>,
    pub sort: Vec<SortKey>,
}

impl Question {
    /// Reads the arguments; `None` if the call has none of them.
    ///
    /// # Errors
    /// `INVALID_CALL` with the argument's name.
    pub fn read(reader: &Reader<'_>) -> Result<Option<Self>, Error> {
        let mut question = Self::default();
        for written in list(reader, "group", MAX_KEYS)? {
            if is_aggregate(written) {
                return Err(reader.error_at("group", notes::group_is_aggregate(written)));
            }
            if question.group.iter().all(|field| field.written() != written) {
                question.group.push(field(reader, "group", written)?);
            }
        }
        for written in list(reader, "aggregate", MAX_AGGREGATES)? {
            question.add(aggregate(reader, written)?);
        }
        for written in list(reader, "sort", MAX_KEYS)? {
            let key = SortKey::parse(written);
            let key = key.ok_or_else(|| reader.error_at("sort", notes::sign_alone(written)))?;
            field(reader, "sort", key.field.written())?;
            // Groups may be sorted by an aggregate that is not asked for: then it is.
            if !question.group.is_empty() && is_aggregate(key.field.written()) {
                question.add(aggregate(reader, key.field.written())?);
            }
            question.sort.push(key);
        }
        let is_asked = !(question.group.is_empty() && question.aggregates.is_empty() && question.sort.is_empty());
        Ok(is_asked.then_some(question))
    }

    /// The argument that an error names.
    pub fn argument(&self) -> &'static str {
        match self {
            Self { group, .. } if !group.is_empty() => "group",
            Self { aggregates, .. } if !aggregates.is_empty() => "aggregate",
            _ => "sort",
        }
    }

    /// Whether it asks for nothing but a number of rows.
    pub fn only_counts(&self) -> bool {
        let [Aggregate { measured: Measured::Rows, .. }] = &self.aggregates[..] else { return false };
        self.group.is_empty() && self.sort.is_empty()
    }

    fn add(&mut self, aggregate: Aggregate) {
        if self.aggregates.iter().all(|known| known.written != aggregate.written) {
            self.aggregates.push(aggregate);
        }
    }
}

/// The texts of an argument, none if it is absent.
fn list<'r>(reader: &Reader<'r>, name: &str, most: usize) -> Result<Vec<&'r str>, Error> {
    let texts = reader.texts(name)?.unwrap_or_default();
    if texts.len() > most {
        return Err(reader.error_at(name, notes::too_many(name, texts.len(), most)));
    }
    Ok(texts)
}

/// A field that an argument names.
fn field(reader: &Reader<'_>, argument: &str, written: &str) -> Result<FieldPath, Error> {
    let path = FieldPath::parse(written);
    if path.segments().len() > MAX_STEPS {
        return Err(reader.error_at(argument, notes::too_deep(argument, MAX_STEPS)));
    }
    Ok(path)
}

/// Whether a text is spelled as an aggregate, whatever it is of.
fn is_aggregate(written: &str) -> bool {
    written == "count" || written.split_once(':').is_some_and(|(name, _)| Function::named(name.trim()).is_some())
}

fn aggregate(reader: &Reader<'_>, written: &str) -> Result<Aggregate, Error> {
    let wrong = || reader.error_at("aggregate", notes::no_aggregate(written));
    let measured = match written.split_once(':') {
        None if written == "count" => Measured::Rows,
        None => return Err(wrong()),
        Some((name, of)) => {
            let (function, of) = (Function::named(name.trim()).ok_or_else(wrong)?, of.trim());
            match of {
                "" => return Err(wrong()),
                filter if filter.starts_with('?') && function == Function::Count => {
                    Measured::Passing(Filter::parse(filter)?)
                }
                filter if filter.starts_with('?') => {
                    return Err(reader.error_at("aggregate", notes::only_count_filters(written)));
                }
                of => Measured::Field(function, field(reader, "aggregate", of)?),
            }
        }
    };
    Ok(Aggregate { written: written.to_owned(), measured })
}
