//! A question about the rows of a list that is true of these rows: it names fields that they have.
//!
//! The first rows are looked at. Of their small members one whose values repeat makes groups, and a number that varies
//! sorts. Names that could be read as a sentence are left out, since data must not speak for toolshape.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string::Quoted;
use crate::ladder::row_members::{Look, SmallMember};
use crate::render::counted_rows::CountedRows;
use crate::render::page::ExampleQuestion;
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

/// Rows that are looked at.
const SAMPLED: usize = 12;
/// A list of fewer rows is read faster than asked.
const FEWEST_ROWS: usize = 8;
/// With less room the question takes too much of it.
const LEAST_BUDGET: usize = 500;
/// The longest name or text that is looked at, in bytes without its quotes: a question with a longer one is hard to read.
const NAME_BYTES: usize = 40;

/// The same member of the sampled rows.
struct ValuesOfMember {
    /// The key of the object in the row that it is in, unless that is the row. Keys have their quotes.
    outer: Option<String>,
    key: String,
    is_number: bool,
    /// Its values as JSON, in the order of the rows, and how many of them differ.
    values: Vec<String>,
    distinct: usize,
    is_mixed: bool,
}

impl ValuesOfMember {
    /// Whether it is in most rows, and of one kind.
    fn is_common(&self, rows: usize) -> bool {
        !self.is_mixed && self.values.len() * 2 > rows
    }

    /// Whether its numbers only name the rows.
    fn is_id(&self) -> bool {
        let name = Quoted::new(&self.key).literal();
        let has_name = name.eq_ignore_ascii_case("id") || name.ends_with("_id") || name.ends_with("Id");
        let numbers: Vec<i64> = self.values.iter().filter_map(|value| value.parse().ok()).collect();
        let counts_up = numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(1));
        has_name || (counts_up && numbers.len() == self.values.len())
    }

    fn depth(&self) -> usize {
        1 + usize::from(self.outer.is_some())
    }

    fn path(&self) -> String {
        let keys: Vec<String> =
            self.outer.iter().chain([&self.key]).map(|key| Quoted::new(key).text().into_owned()).collect();
        FieldPath::of_keys(&keys).written().to_owned()
    }
}

/// A question about the rows of a list, for a result that says where the whole is stored; without fields where none suit,
/// `None` where there is little room.
///
/// # Errors
/// Whatever reading the rows reports.
pub(crate) fn of_rows(
    list: &CountedRows<'_, AnySource<'_>>,
    ctx: &Context<'_>,
) -> Result<Option<ExampleQuestion>, Error> {
    if ctx.budget < LEAST_BUDGET || ctx.handle(true).is_none() || list.list().len() < FEWEST_ROWS {
        return Ok(None);
    }
    let rows = list.at(0, SAMPLED)?;
    let mut members = MemberValues::default();
    for row in &rows {
        members.next = 0;
        Look { members: 32, bytes: NAME_BYTES + 2, with: &mut |member| members.note(member) }.at_row(row)?;
    }
    let common = || members.noted.iter().filter(|member| member.is_common(rows.len()));
    // A group by the name of an aggregate would have to be a pointer.
    let is_aggregate = |member: &ValuesOfMember| member.outer.is_none() && member.key == "\"count\"";
    let repeats = |member: &&ValuesOfMember| {
        !member.is_number && !is_aggregate(member) && member.distinct * 2 <= member.values.len()
    };
    let varies = |member: &&ValuesOfMember| member.is_number && member.distinct > 1 && !member.is_id();
    let fewest = |member: &&ValuesOfMember| match member.distinct {
        // The first rows of a list that is sorted by it.
        1 => (true, member.depth(), 1),
        distinct => (false, member.depth(), distinct),
    };
    let group = common().filter(repeats).min_by_key(fewest);
    let number = common().filter(varies).min_by_key(|member| member.depth());
    Ok(Some(ExampleQuestion { group: group.map(ValuesOfMember::path), number: number.map(ValuesOfMember::path) }))
}

/// The small members of rows.
#[derive(Default)]
struct MemberValues {
    noted: Vec<ValuesOfMember>,
    /// Where the next one is looked for first: most rows have the same members in the same order.
    next: usize,
}

impl MemberValues {
    fn note(&mut self, SmallMember { outer, is_listed, key, kind, json }: &SmallMember<'_>) {
        let is_number = *kind == Kind::Number;
        if *is_listed || !(is_number || matches!(kind, Kind::String | Kind::Bool)) {
            return;
        }
        let is_it = |member: &ValuesOfMember| member.key == *key && member.outer.as_deref() == *outer;
        let found = match self.noted.get(self.next).is_some_and(is_it) {
            true => Some(self.next),
            false => self.noted.iter().position(is_it),
        };
        let at = match found {
            Some(at) => at,
            None if is_name(key) && outer.is_none_or(is_name) => {
                let outer = outer.map(str::to_owned);
                let key = (*key).to_owned();
                self.noted.push(ValuesOfMember {
                    outer,
                    key,
                    is_number,
                    values: Vec::new(),
                    distinct: 0,
                    is_mixed: false,
                });
                self.noted.len() - 1
            }
            None => return,
        };
        let member = &mut self.noted[at];
        member.is_mixed |= member.is_number != is_number;
        member.distinct += usize::from(!member.values.iter().any(|value| value == json));
        member.values.push((*json).to_owned());
        self.next = at + 1;
    }
}

/// Whether a key, with its quotes, is a plain name that needs no pointer. One of more than four words may be a sentence.
fn is_name(key: &str) -> bool {
    let name = Quoted::new(key).literal();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '$' | '%' | '#' | '@' | '(' | ')');
    (1..=NAME_BYTES).contains(&name.len())
        && name.chars().all(is_plain)
        && !name.starts_with(['-', ' '])
        && !name.ends_with(' ')
        && name.split(' ').count() <= 4
}
