//! Answers to questions about rows: groups, aggregates, and rows in another order or with some of their fields.

use crate::api::read_back::ReadCall;
use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::json_string;
use crate::base::members::Members;
use crate::base::similar_names;
use crate::base::work::Work;
use crate::ladder::shape;
use crate::outcome::shaped::Shaped;
use crate::render::elide;
use crate::render::layout::ListLayout;
use crate::render::notes::error::QUERIES_HAVE_WILDCARDS;
use crate::render::notes::question as notes;
use crate::render::page::{Frame, Page};
use crate::request::context::{Context, HowToAsk};
use crate::request::policy::SIDE_PARTS;
use crate::value::any_source::AnySource;
use crate::value::json_path::{self, Query, RowLabel};
use crate::value::json_text::JsonText;
use crate::value::listed_fields::unknown_field_error;
use crate::value::map_rows::MapRows;
use crate::value::project::{self, Projected, Selection};
use crate::value::question::{self, Are, Groups, QuestionError, QuestionRows, Sorted};
use crate::value::reordered::Reordered;
use crate::value::source::{Kind, Source};

use super::match_list::{MatchList, MatchValue};
use super::question::Question;
use super::row_places::{self, Located};
use super::stopped::stopped;
use super::unmet;

/// What is asked, and the argument by which it is asked.
pub(super) struct QuestionArgument<'q> {
    pub question: &'q Question,
    pub query: Option<&'q Query>,
    pub argument: &'static str,
    /// The hash of the stored content.
    pub seed: u64,
}

impl ReadCall<'_, '_> {
    /// The answer to a question about the rows of the part, or about those that a JSONPath finds in it.
    pub fn answer(&self, asked: &QuestionArgument<'_>, work: &Work) -> Result<Shaped, Error> {
        let part = self.part.json(asked.argument)?;
        let located = match row_places::locate(part, asked.query, work)? {
            Some(located) => located,
            None => return Ok(self.refuse(&no_rows(asked.argument), &row_places::lists(part, &self.pointer)?)),
        };
        let Question { group, aggregates, .. } = asked.question;
        match group.is_empty() && aggregates.is_empty() {
            true => self.rows(asked, part, &located, work),
            false => self.groups(asked, part, &located, work),
        }
    }

    fn refuse(&self, error: &Error, names: &[String]) -> Shaped {
        self.draft.refuse(error, names)
    }

    /// Groups of rows, or what all of them come to.
    fn groups(
        &self,
        asked: &QuestionArgument<'_>,
        part: &JsonText<'_>,
        located: &Located<'_>,
        work: &Work,
    ) -> Result<Shaped, Error> {
        let Question { group, aggregates, sort } = asked.question;
        let are = match located {
            Located::Members { start, .. } => Are::MembersOf(*start),
            Located::Found(query) => Are::FoundBy(query),
        };
        let rows = QuestionRows { text: part, are };
        let groups = match Groups::read(&rows, group, aggregates, asked.seed, work) {
            Ok(groups) => groups,
            Err(fault) => return self.explained(fault, asked, part, located, work),
        };
        let columns = groups.columns();
        let mut wanted: Vec<usize> = (0..columns.len()).collect();
        if !self.draft.ctx.controls.fields.is_empty() {
            wanted.clear();
            for field in &self.draft.ctx.controls.fields {
                match columns.iter().position(|column| *column == field.written()) {
                    Some(column) => wanted.push(column),
                    None => return Ok(self.refuse(&notes_error("fields", field.written()), &closest(&columns, field))),
                }
            }
        }
        let quoted: Vec<String> = columns.iter().map(|column| json_string::quoted(column)).collect();
        let row = |group: usize| {
            let mut out = Members::new();
            for &column in &wanted {
                if let Some(cell) = groups.cell(group, column) {
                    out.json_under(&quoted[column], &cell);
                }
            }
            out
        };
        let mut facts = Members::new();
        located.write(&self.pointer, &mut facts);
        let ctx = &self.draft.ctx;
        if group.is_empty() {
            facts.extend(&row(0));
            write_doubts(&groups, located.unmet(part, work), ctx, &mut facts);
            self.ignored.write(&mut facts);
            let json = facts.into_object();
            let layout = ListLayout::new(AnySource::new(JsonText::parse(&json)?));
            return shape::descend(self.answer_of(&layout));
        }
        write_doubts(&groups, located.unmet(part, work), ctx, &mut facts);
        let order = match groups.order(part, sort, work) {
            Ok(order) => order,
            Err(None) => return Err(stopped("sort")),
            Err(Some(key)) => {
                let field = &sort[key].field;
                return Ok(self.refuse(&notes_error("sort", field.written()), &closest(&columns, field)));
            }
        };
        let list =
            MatchList::of_values(order.len(), |at| MatchValue::Own(row(order[at] as usize).into_object().into()));
        self.page(AnySource::new(list.source()), AnswerFrame { fills_pages: true, ..AnswerFrame::new(facts, ctx) })
    }

    /// Rows in the order that is asked for, with the fields that are.
    fn rows(
        &self,
        asked: &QuestionArgument<'_>,
        part: &JsonText<'_>,
        located: &Located<'_>,
        work: &Work,
    ) -> Result<Shaped, Error> {
        let sort = &asked.question.sort;
        let mut facts = Members::new();
        located.write(&self.pointer, &mut facts);
        match located {
            Located::Members { start, pointer } => {
                let rows = QuestionRows { text: part, are: Are::MembersOf(*start) };
                let list = part.value_at(*start);
                let source = if sort.is_empty() {
                    rows_of(list)
                } else {
                    match question::sort(&rows, sort, work) {
                        Ok(Sorted { places, order }) if list.kind() == Kind::Object => {
                            AnySource::new(Reordered::of_entries(part.clone(), &places, &order))
                        }
                        Ok(Sorted { order, .. }) => AnySource::new(Reordered::of_items(AnySource::new(list), order)),
                        Err(fault) => return self.explained(fault, asked, part, located, work),
                    }
                };
                let base = format!("{}{pointer}", self.pointer);
                let ctx = self.draft.ctx.at(HowToAsk::ReadResult, base);
                self.projected(source, AnswerFrame::new(facts, &ctx), work)
            }
            Located::Found(query) => {
                let found = json_path::find(query, part, work);
                let mut order: Vec<u32> = (0..found.matches.len() as u32).collect();
                if !sort.is_empty() {
                    if found.stopped {
                        return Err(Error::new(ErrorCode::InvalidCall, notes::TOO_MANY_TO_SORT, "/jsonPath"));
                    }
                    match question::sort(&QuestionRows { text: part, are: Are::Found(&found.matches) }, sort, work) {
                        Ok(sorted) => order = sorted.order,
                        Err(fault) => return self.explained(fault, asked, part, located, work),
                    }
                }
                let one = |at: usize| &found.matches[order[at] as usize];
                let has_fields = !self.draft.ctx.controls.fields.is_empty();
                // A path that names one value identifies it.
                let row_label = if query.is_singular() { RowLabel::Order } else { found.row_label() };
                let list = MatchList::of_values(order.len(), |at| match has_fields {
                    true => MatchValue::value_of(one(at), row_label, &self.pointer),
                    false => MatchValue::of_match(one(at), &self.pointer),
                });
                unmet::write(located.unmet(part, work), &mut facts);
                let ctx = &self.draft.ctx;
                let frame = AnswerFrame { stopped: found.stopped, ..AnswerFrame::new(facts, ctx) };
                self.projected(AnySource::new(list.source()), frame, work)
            }
        }
    }

    /// A page of rows with the fields that the call asks for.
    fn projected(&self, list: AnySource<'_>, frame: AnswerFrame<'_>, work: &Work) -> Result<Shaped, Error> {
        let fields = &self.draft.ctx.controls.fields;
        if fields.is_empty() || list.len() == 0 {
            return self.page(list, frame);
        }
        if let Some(unknown) = project::unknown_field(&list, fields, work)? {
            let (error, names) = unknown_field_error(&list, unknown, QUERIES_HAVE_WILDCARDS, work)?;
            return Ok(self.refuse(&error, &names));
        }
        let selection = Selection::new(fields, &[]).of(&list)?;
        self.page(AnySource::new(Projected::new(list, &selection)), frame)
    }

    fn page(&self, list: AnySource<'_>, mut frame: AnswerFrame<'_>) -> Result<Shaped, Error> {
        self.ignored.write(&mut frame.facts);
        let shaped = shape::page_in(&self.draft, &list, &frame, frame.ctx)?;
        shaped.map_or_else(|| shape::nothing_fits(&self.draft), Ok)
    }

    /// The result for a question without an answer: why, and what to ask instead.
    fn explained(
        &self,
        fault: QuestionError<'_>,
        asked: &QuestionArgument<'_>,
        part: &JsonText<'_>,
        located: &Located<'_>,
        work: &Work,
    ) -> Result<Shaped, Error> {
        let invalid = |message: String| Error::new(ErrorCode::InvalidCall, message, format!("/{}", asked.argument));
        match fault {
            QuestionError::Stopped => Err(stopped(asked.argument)),
            QuestionError::TooFar(field) => Err(invalid(notes::too_far(field.written()))),
            QuestionError::Unknown(unknown) if unknown.is_in_list => {
                Err(invalid(notes::in_list(unknown.field.written(), &unknown.field.segments()[0])))
            }
            QuestionError::Unknown(unknown) => {
                let found;
                let matches;
                let rows = match located {
                    Located::Members { start, .. } => rows_of(part.value_at(*start)),
                    Located::Found(query) => {
                        found = json_path::find(query, part, work);
                        matches = MatchList::of_values(found.matches.len(), |at| {
                            MatchValue::value_of(&found.matches[at], RowLabel::Order, &self.pointer)
                        });
                        AnySource::new(matches.source())
                    }
                };
                let (error, names) = unknown_field_error(&rows, unknown.field, QUERIES_HAVE_WILDCARDS, work)?;
                let error = Error::new(error.code(), error.message().to_owned(), format!("/{}", asked.argument));
                Ok(self.refuse(&error, &names))
            }
        }
    }
}

/// The items of a list, or the entries of a map, as rows.
fn rows_of(value: JsonText<'_>) -> AnySource<'_> {
    match value.kind() {
        Kind::Object => AnySource::new(MapRows::new(AnySource::new(value))),
        _ => AnySource::new(value),
    }
}

/// The error for a question about a value that has no rows.
fn no_rows(argument: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, notes::no_rows(argument), format!("/{argument}"))
}

/// The error for a name that no column has.
fn notes_error(argument: &str, written: &str) -> Error {
    Error::new(ErrorCode::UnknownField, notes::no_column(argument, written), format!("/{argument}"))
}

fn closest(columns: &[&str], field: &FieldPath) -> Vec<String> {
    similar_names::closest_first(columns.iter().map(|&column| column.into()), field.written())
}

/// Writes which fields filters look at that no row has, what fields had that is not a number, where numbers are asked for, and
/// how often other fields had nothing.
fn write_doubts(groups: &Groups<'_, '_>, of_query: Vec<&str>, ctx: &Context<'_>, out: &mut Members) {
    unmet::write(of_query.into_iter().chain(groups.unmet().iter().copied()), out);
    write_kinds("notNumbers", &groups.not_numbers(), ctx, out);
    write_kinds("noValue", &groups.no_values(), ctx, out);
}

/// Writes kinds of values by field; of many fields those that take a share of the budget, and how many more there are.
fn write_kinds(name: &str, fields: &[(&str, Vec<(&'static str, u64)>)], ctx: &Context<'_>, out: &mut Members) {
    let (mut all, mut left) = (Members::new(), ctx.budget / SIDE_PARTS);
    for (at, (field, counts)) in fields.iter().enumerate() {
        let mut kinds = Members::new();
        counts.iter().for_each(|&(kind, count)| kinds.number(kind, count as usize));
        let (key, kinds) = (json_string::quoted(field), kinds.into_object());
        let tokens = ctx.measure.count(&key) + ctx.measure.count(&kinds) + 2;
        if tokens > left {
            all.number("…", fields.len() - at);
            break;
        }
        left -= tokens;
        all.json_under(&key, &kinds);
    }
    if !all.is_empty() {
        out.object(name, &all);
    }
}

/// The frame of an answer: with all rows, their number is enough.
struct AnswerFrame<'a> {
    ctx: &'a Context<'a>,
    facts: Members,
    /// Whether there may be more rows.
    stopped: bool,
    fills_pages: bool,
}

impl<'a> AnswerFrame<'a> {
    fn new(facts: Members, ctx: &'a Context<'a>) -> Self {
        Self { ctx, facts, stopped: false, fills_pages: false }
    }
}

impl Frame for AnswerFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let mut out = Members::new();
        if page.is_whole_list() {
            out.number("totalItems", page.window.total);
        } else {
            out.flag("paginated", true);
            page.write_facts(&mut out);
        }
        out.extend(&self.facts);
        let mut note = if page.is_whole_list() { String::new() } else { page.note("nextCursor", None) };
        if self.stopped {
            out.flag("stopped", true);
            note += crate::render::notes::stored::STOPPED;
        }
        if !note.is_empty() {
            out.text("note", note.trim_start());
        }
        elide::write_elisions(page.elisions, self.ctx.budget / 5, self.ctx.measure, &mut out);
        page.open_rows(&mut out);
        out.into_parts()
    }

    fn takes_columns(&self) -> bool {
        true
    }

    fn takes_fields(&self) -> bool {
        false
    }

    fn fills_pages(&self) -> bool {
        self.fills_pages
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn pointer(&self) -> &str {
        ""
    }
}
