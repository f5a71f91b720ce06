//! Evaluates the condition of a filter for one value after another (RFC 9535, section 2.3.5).

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::rc::Rc;

use toolshape_json::{Fields, ValueSpan};

use crate::base::json_string::Quoted;
use crate::base::work::{Going, Work};
use crate::value::json_text::JsonText;

use super::MAX_BYTES;
use super::compare::{self, Value};
use super::evaluate::Search;
use super::pattern::{Expression, TextPattern};
use super::query::{Comparison, Filter, Operand, PatternOperand, Query, Test};

/// Tests of values in a text, of one after another.
pub(crate) struct Tester<'s, 'a>(Search<'s, 'a>);

impl<'s, 'a> Tester<'s, 'a> {
    pub fn new(text: &'s JsonText<'a>, work: &'s Work) -> Self {
        Self(Search::new(text, work))
    }

    /// Whether the value that begins there passes a filter, whose paths were found in it; stops when no work is left.
    pub fn passes(&self, filter: &Filter, start: usize, known: Known<'_>) -> Going<bool> {
        self.0.holds(&filter.test, start, Some(known))
    }
}

/// Where the paths of a filter lead in the value that it tests.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    pub fields: &'k Fields,
    /// The number of each path among the fields.
    pub numbers: &'k [usize],
}

impl Known<'_> {
    /// The place that a query finds, if it finds one; without a place if that is not known.
    fn place(self, query: &Query) -> Option<Option<ValueSpan>> {
        Some(self.fields.place(self.numbers[query.path?]))
    }
}

impl<'a> Search<'_, 'a> {
    /// Whether a test holds for the value at `node`; stops when no work is left.
    pub fn holds(&self, test: &Test, node: usize, known: Option<Known<'_>>) -> Going<bool> {
        ControlFlow::Continue(match test {
            Test::Any(tests) => {
                for test in tests {
                    if self.holds(test, node, known)? {
                        return ControlFlow::Continue(true);
                    }
                }
                false
            }
            Test::All(tests) => {
                for test in tests {
                    if !self.holds(test, node, known)? {
                        return ControlFlow::Continue(false);
                    }
                }
                true
            }
            Test::Not(test) => !self.holds(test, node, known)?,
            Test::Exists(query) => match known.and_then(|known| known.place(query)) {
                Some(place) => place.is_some(),
                None => !self.first(query, node, 1)?.is_empty(),
            },
            Test::Compare(left, comparison, right) => {
                let (left, right) = (self.value(left, node, known)?, self.value(right, node, known)?);
                self.compare(&left, *comparison, &right)?
            }
            Test::Matches { text, pattern, whole } => {
                let text = self.value(text, node, known)?.json;
                let Some(text) = Quoted::of(&text).map(Quoted::text) else { return ControlFlow::Continue(false) };
                let computed;
                let pattern = match pattern {
                    PatternOperand::Literal(pattern) => pattern,
                    PatternOperand::Computed(operand) => match self.compile(operand, *whole, node, known)? {
                        Some(pattern) => {
                            computed = pattern;
                            &*computed
                        }
                        None => return ControlFlow::Continue(false),
                    },
                };
                self.spend(pattern.work(text.len()))?;
                pattern.is_match(&text)
            }
        })
    }

    /// The expression that an operand evaluates to, if any; a value that is not an expression matches nothing.
    fn compile(
        &self,
        operand: &Operand,
        whole: bool,
        node: usize,
        known: Option<Known<'_>>,
    ) -> Going<Option<Rc<TextPattern>>> {
        let value = self.value(operand, node, known)?.json;
        let Some(text) = Quoted::of(&value).map(Quoted::text) else { return ControlFlow::Continue(None) };
        if let Some((known, for_whole, compiled)) = &*self.compiled.borrow()
            && (known.as_str(), *for_whole) == (&*text, whole)
        {
            return ControlFlow::Continue(compiled.clone());
        }
        if text.len() > MAX_BYTES {
            // It may be an expression, so the answer without it would not be the whole one.
            return self.document.work.stop();
        }
        let expression = Expression::new(&text, whole).ok();
        self.spend(expression.as_ref().map_or(text.len(), Expression::work))?;
        let compiled = expression.and_then(|expression| expression.compile().ok()).map(Rc::new);
        *self.compiled.borrow_mut() = Some((text.into_owned(), whole, compiled.clone()));
        ControlFlow::Continue(compiled)
    }

    /// The value of an operand.
    fn value<'v>(&self, operand: &'v Operand, node: usize, known: Option<Known<'_>>) -> Going<Value<'v>>
    where
        'a: 'v,
    {
        let read = |start: usize| {
            let json = self.document.value(start)?;
            ControlFlow::Continue(Value { json: Cow::Borrowed(json), start: Some(start) })
        };
        ControlFlow::Continue(match operand {
            Operand::Literal(json) => Value::new(json),
            Operand::Query(query) => match known.and_then(|known| known.place(query)) {
                Some(Some((start, end))) => {
                    self.spend(0)?;
                    let json = &self.document.text()[start..end];
                    Value { json: Cow::Borrowed(json), start: Some(start) }
                }
                Some(None) => Value::NOTHING,
                None => match self.only(query, node)? {
                    Some(found) => read(found)?,
                    None => Value::NOTHING,
                },
            },
            Operand::Value(query) => match self.first(query, node, 2)?[..] {
                [one] => read(one)?,
                _ => Value::NOTHING,
            },
            Operand::Count(query) => Value::new(self.count(query, node)?.to_string()),
            Operand::Length(operand) => {
                let value = self.value(operand, node, known)?;
                self.spend(value.scalar_bytes())?;
                compare::length(&value, &self.document)?.map_or(Value::NOTHING, |length| Value::new(length.to_string()))
            }
        })
    }

    /// A value as it is compared with another: a cell that spells a number counts as it beside a number.
    fn counted_with<'v>(&self, value: &'v Value<'_>, other: &Value<'_>) -> Value<'v> {
        let is_number = |json: &str| json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let is_cell = value.json.starts_with('"') && is_number(&other.json);
        let json = if is_cell { self.document.counted_as(&value.json) } else { &value.json };
        Value { json: Cow::Borrowed(json), start: value.start }
    }

    fn compare(&self, left: &Value<'_>, comparison: Comparison, right: &Value<'_>) -> Going<bool> {
        self.spend(left.scalar_bytes() + right.scalar_bytes())?;
        let (left, right) = (&self.counted_with(left, right), &self.counted_with(right, left));
        let equal = || compare::are_equal(left, right, &self.document);
        ControlFlow::Continue(match comparison {
            Comparison::Equal => equal()?,
            Comparison::Unequal => !equal()?,
            Comparison::Less => compare::is_less(&left.json, &right.json),
            Comparison::Greater => compare::is_less(&right.json, &left.json),
            Comparison::LessOrEqual => compare::is_less(&left.json, &right.json) || equal()?,
            Comparison::GreaterOrEqual => compare::is_less(&right.json, &left.json) || equal()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::base::work::Work;
    use crate::value::json_path::{Query, find};
    use crate::value::json_text::JsonText;

    /// The members of a list of this many texts that pass a filter.
    fn passing(filter: &str, list: &str) -> Vec<String> {
        let query = Query::parse(&format!("$[?{filter}]")).unwrap();
        let found = find(&query, &JsonText::parse(list).unwrap(), &Work::over(0));
        assert!(!found.stopped);
        found.matches.iter().map(|one| one.span.to_owned()).collect()
    }

    #[test]
    fn fields_that_are_found_on_the_way_are_those_that_queries_find() {
        let rows = [
            r#"{"a":1,"b":1,"a":2}"#,
            r#"{"a":2,"a":1}"#,
            r#"{"a":{"b":1},"a":{"c":1}}"#,
            r#"{"a":{"c":1},"a":{"b":1}}"#,
            r#"{"\u0061":1,"b":1.0}"#,
            r#"{"0":1,"@":1,"":1,"a.b":1}"#,
            r#"{"a":[{"b":1},[1]],"b":[{"b":1},[1]]}"#,
            r#"{"a":null,"b":null}"#,
            r#"{"a":"xyz","b":{"a":"xyz"}}"#,
            r#"[1,[1]]"#,
            r#"[{"a":1}]"#,
            "1",
            r#""xyz""#,
        ];
        let filters = [
            "@.a",
            "!@.a",
            "@.a.b",
            "@.a == 1",
            "@.a < 2 || @.b == 1",
            "@.a == @.b",
            "@.a == null",
            "@.a == @.none",
            "@['0'] == 1",
            "@[0] == 1",
            "@['@'] == 1",
            "@[''] == 1 && @['a.b'] == 1",
            "@ == 1",
            "@.a[0].b == 1",
            "@.a['0'].b == 1",
            "@.a.b == 1 && @.a",
            "@.b.a == @.a",
            "count(@.a) == 1",
            "count(@.*) > 1 && value(@.a) == 1",
            "length(@.a) == 3",
            "match(@.a, 'x.*')",
            "@.a[?@.b == 1]",
            "@..b",
            "$[0].a == @.a",
        ];
        // Only in a large list are fields looked for.
        let padding = format!("\"{}\"", "-".repeat(1_000));
        for filter in filters {
            let of_root = filter.contains('$');
            let alone = rows.iter().flat_map(|row| match of_root {
                true => passing(filter, &format!("[{},{row}]", rows[0])).into_iter().skip(1).collect(),
                false => passing(filter, &format!("[{row}]")),
            });
            let alone: Vec<String> = alone.collect();
            let with_padding = passing(filter, &format!("[{},{padding}]", rows.join(",")));
            let skipped = usize::from(of_root && !with_padding.is_empty());
            let together: Vec<&String> = with_padding.iter().skip(skipped).filter(|row| **row != padding).collect();
            let alone: Vec<&String> = alone.iter().skip(skipped).collect();
            assert_eq!(together, alone, "{filter}");
        }
    }
}
