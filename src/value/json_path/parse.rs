//! Parses a query (RFC 9535, section 2.1 and appendix A); errors name the place and the fault.

mod literal;

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string::Quoted;

use super::pattern::Expression;
use super::query::{Comparison, Filter, Operand, PatternOperand, Query, Segment, Selector, Test};

/// A longer query or regular expression is refused.
pub(crate) const MAX_BYTES: usize = 1_000;
/// How deep filters, parentheses and functions may nest.
const MAX_DEPTH: usize = 32;
/// What to write instead of a wrong query, or of a wrong filter.
const AS_QUERY: &str = "Write it as $.items[?@.price < 10 && @['a b'] == 'c']; sums and counts go into aggregate";
const AS_FILTER: &str = "Write it as count:?@.price < 10 && @['a b'] == 'c'";

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// `INVALID_CALL` about `/jsonPath`, with the character at which it is wrong.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |fault| {
            let message = match fault {
                Refused::TooLong => format!("jsonPath has {} bytes; it takes at most {MAX_BYTES}", text.len()),
                Refused::Wrong(reason) => format!("invalid jsonPath (RFC 9535): {reason}. {AS_QUERY}"),
            };
            Error::new(ErrorCode::InvalidCall, message, "/jsonPath")
        };
        parse(text, |parser| parser.whole()).map_err(refuse)
    }
}

impl Filter {
    /// Parses a filter: `?` and a condition, as in brackets.
    ///
    /// # Errors
    /// `INVALID_CALL` about `/aggregate`, with the character at which it is wrong.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |fault| {
            let message = match fault {
                Refused::TooLong => {
                    format!("aggregate has a filter of {} bytes; it takes at most {MAX_BYTES}", text.len())
                }
                Refused::Wrong(reason) => format!("invalid filter (RFC 9535) in aggregate: {reason}. {AS_FILTER}"),
            };
            Error::new(ErrorCode::InvalidCall, message, "/aggregate")
        };
        parse(text, |parser| parser.filter()).map_err(refuse)
    }
}

/// Parses the whole of a text, or says where it is wrong.
fn parse<T>(text: &str, read: impl Fn(&mut Parser<'_>) -> Parsed<T>) -> Result<T, Refused> {
    if text.len() > MAX_BYTES {
        return Err(Refused::TooLong);
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    read(&mut parser).map_err(|fault| {
        let (at, what) = match fault {
            ParseFault::Expected(what) => (parser.at, format!("expected {what}")),
            ParseFault::Wrong(at, what) => (at, what),
        };
        let found = match text[at..].chars().next() {
            Some(character) => format!("{character:?}"),
            None => "its end".to_owned(),
        };
        Refused::Wrong(format!("at character {}, {found}: {what}", text[..at].chars().count() + 1))
    })
}

/// Why a text is not parsed.
enum Refused {
    TooLong,
    Wrong(String),
}

enum ParseFault {
    /// What is expected where parsing stopped.
    Expected(&'static str),
    /// What is wrong, and where.
    Wrong(usize, String),
}

type Parsed<T> = Result<T, ParseFault>;

/// What a function takes and returns.
enum Called {
    Value(Operand),
    Logical(Test),
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let is_next = self.text[self.at..].starts_with(token);
        self.at += if is_next { token.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { Err(ParseFault::Expected(what)) }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(ParseFault::Wrong(self.at, format!("it nests deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn whole(&mut self) -> Parsed<Query> {
        self.expect("$", "'$'")?;
        let segments = self.segments()?;
        if self.at < self.text.len() {
            return Err(ParseFault::Expected("'.', '[' or the end"));
        }
        Ok(Query::new(true, segments))
    }

    fn filter(&mut self) -> Parsed<Filter> {
        self.expect("?", "'?'")?;
        self.skip_space();
        let test = self.any()?;
        self.skip_space();
        if self.at < self.text.len() {
            return Err(ParseFault::Expected("an operator or the end"));
        }
        Ok(Filter::new(test))
    }

    fn segments(&mut self) -> Parsed<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            // White space is allowed before a segment, but not after the last one.
            let before = self.at;
            self.skip_space();
            let descends = self.take("..");
            let selectors = if self.peek() == Some(b'[') {
                self.nested(Self::bracketed)?
            } else if descends || self.take(".") {
                vec![self.dotted()?]
            } else {
                self.at = before;
                return Ok(segments);
            };
            segments.push(Segment { descends, selectors });
        }
    }

    fn dotted(&mut self) -> Parsed<Selector> {
        if self.take("*") {
            return Ok(Selector::Wildcard);
        }
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        let rest = &self.text[self.at..];
        if !rest.starts_with(is_first) {
            return Err(ParseFault::Expected("a name or '*'"));
        }
        let end = rest.find(|c: char| !(is_first(c) || c.is_ascii_digit())).unwrap_or(rest.len());
        self.at += end;
        Ok(Selector::Name(rest[..end].to_owned()))
    }

    fn bracketed(&mut self) -> Parsed<Vec<Selector>> {
        self.expect("[", "'['")?;
        let mut selectors = Vec::new();
        loop {
            self.skip_space();
            selectors.push(self.selector()?);
            self.skip_space();
            if self.take("]") {
                return Ok(selectors);
            }
            self.expect(",", "',' or ']'")?;
        }
    }

    fn selector(&mut self) -> Parsed<Selector> {
        match self.peek() {
            Some(b'\'' | b'"') => Ok(Selector::Name(self.string()?)),
            Some(b'*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some(b'?') => {
                self.at += 1;
                self.skip_space();
                Ok(Selector::Filter(Filter::new(self.any()?)))
            }
            Some(b':' | b'-' | b'0'..=b'9') => self.index_or_slice(),
            _ => Err(ParseFault::Expected("a name in quotes, an index, a slice, '*' or '?'")),
        }
    }

    fn index_or_slice(&mut self) -> Parsed<Selector> {
        let start = self.optional_integer()?;
        let after = self.at;
        self.skip_space();
        if !self.take(":") {
            self.at = after;
            return start.map(Selector::Index).ok_or(ParseFault::Expected("an index"));
        }
        self.skip_space();
        let end = self.optional_integer()?;
        let mut after = self.at;
        self.skip_space();
        let mut step = None;
        if self.take(":") {
            after = self.at;
            self.skip_space();
            step = self.optional_integer()?;
            after = if step.is_some() { self.at } else { after };
        }
        self.at = after;
        Ok(Selector::Slice { start, end, step: step.unwrap_or(1) })
    }

    fn any(&mut self) -> Parsed<Test> {
        let mut tests = vec![self.all()?];
        while self.takes_operator("||") {
            tests.push(self.all()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Any(tests) })
    }

    fn all(&mut self) -> Parsed<Test> {
        let mut tests = vec![self.basic()?];
        while self.takes_operator("&&") {
            tests.push(self.basic()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::All(tests) })
    }

    /// Whether an operator follows; reads it with the white space around it.
    fn takes_operator(&mut self, operator: &str) -> bool {
        let before = self.at;
        self.skip_space();
        if !self.take(operator) {
            self.at = before;
            return false;
        }
        self.skip_space();
        true
    }

    fn basic(&mut self) -> Parsed<Test> {
        if self.take("!") {
            self.skip_space();
            let test = if self.peek() == Some(b'(') { self.nested(Self::parenthesized)? } else { self.test()? };
            return Ok(Test::Not(Box::new(test)));
        }
        if self.peek() == Some(b'(') {
            return self.nested(Self::parenthesized);
        }
        self.comparison_or_test(true)
    }

    fn parenthesized(&mut self) -> Parsed<Test> {
        self.expect("(", "'('")?;
        self.skip_space();
        let test = self.any()?;
        self.skip_space();
        self.expect(")", "')'")?;
        Ok(test)
    }

    /// A query or a function that is true or false by itself.
    fn test(&mut self) -> Parsed<Test> {
        self.comparison_or_test(false)
    }

    fn comparison_or_test(&mut self, may_compare: bool) -> Parsed<Test> {
        let start = self.at;
        let called = match self.peek() {
            Some(b'@' | b'$') => {
                let query = self.query()?;
                if !may_compare || self.comparison().is_none() {
                    return Ok(Test::Exists(query));
                }
                Called::Value(self.singular(query, start)?)
            }
            Some(b'a'..=b'z') if self.is_function() => self.nested(Self::function)?,
            _ if may_compare => Called::Value(Operand::Literal(self.literal()?)),
            _ => return Err(ParseFault::Expected("a query, a function or '('")),
        };
        let compared = self.comparison().filter(|_| may_compare);
        match (called, compared) {
            (Called::Logical(test), None) => Ok(test),
            (Called::Logical(_), Some(_)) => {
                Err(ParseFault::Wrong(start, "its result is true or false and cannot be compared".to_owned()))
            }
            (Called::Value(_), None) => Err(ParseFault::Wrong(start, "a value has to be compared".to_owned())),
            (Called::Value(left), Some((comparison, end))) => {
                self.at = end;
                self.skip_space();
                Ok(Test::Compare(left, comparison, self.operand()?))
            }
        }
    }

    /// The comparison operator that follows, and its end; reads nothing.
    fn comparison(&mut self) -> Option<(Comparison, usize)> {
        let before = self.at;
        self.skip_space();
        const ALL: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let found = ALL.into_iter().find(|(token, _)| self.take(token)).map(|(_, comparison)| (comparison, self.at));
        self.at = before;
        found
    }

    fn query(&mut self) -> Parsed<Query> {
        let from_root = self.peek() == Some(b'$');
        self.at += 1;
        Ok(Query::new(from_root, self.segments()?))
    }

    fn singular(&self, query: Query, start: usize) -> Parsed<Operand> {
        match query.is_singular() {
            true => Ok(Operand::Query(query)),
            false => {
                Err(ParseFault::Wrong(start, "a query of one node at most is wanted, by names and indices".to_owned()))
            }
        }
    }

    /// An operand.
    fn operand(&mut self) -> Parsed<Operand> {
        let start = self.at;
        match self.peek() {
            Some(b'@' | b'$') => {
                let query = self.query()?;
                self.singular(query, start)
            }
            Some(b'a'..=b'z') if self.is_function() => match self.nested(Self::function)? {
                Called::Value(value) => Ok(value),
                Called::Logical(_) => {
                    Err(ParseFault::Wrong(start, "a function that gives a value is wanted".to_owned()))
                }
            },
            _ => Ok(Operand::Literal(self.literal()?)),
        }
    }

    /// Whether a function's name and its parenthesis follow.
    fn is_function(&self) -> bool {
        let name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
        let rest = &self.text.as_bytes()[self.at..];
        rest.iter().find(|byte| !name(byte)) == Some(&b'(')
    }

    fn function(&mut self) -> Parsed<Called> {
        let start = self.at;
        let end = start + self.text[start..].find('(').unwrap_or_default();
        let name = &self.text[start..end];
        self.at = end + 1;
        self.skip_space();
        let called = match name {
            "length" => Called::Value(Operand::Length(Box::new(self.operand()?))),
            "count" => Called::Value(Operand::Count(self.nodes()?)),
            "value" => Called::Value(Operand::Value(self.nodes()?)),
            "match" | "search" => {
                let text = self.operand()?;
                self.skip_space();
                self.expect(",", "','")?;
                self.skip_space();
                let (at, whole) = (self.at, name == "match");
                let pattern = match self.operand()? {
                    Operand::Literal(json) if json.starts_with('"') => {
                        let pattern = Quoted::new(&json).text();
                        let expression = Expression::new(&pattern, whole);
                        let compiled = expression.and_then(Expression::compile);
                        PatternOperand::Literal(compiled.map_err(|reason| ParseFault::Wrong(at, reason))?)
                    }
                    other => PatternOperand::Computed(other),
                };
                Called::Logical(Test::Matches { text, pattern, whole })
            }
            _ => {
                let known = "length, count, value, match or search";
                return Err(ParseFault::Wrong(start, format!("unknown function {name}; expected {known}")));
            }
        };
        self.skip_space();
        self.expect(")", "')'")?;
        Ok(called)
    }

    fn nodes(&mut self) -> Parsed<Query> {
        match self.peek() {
            Some(b'@' | b'$') => self.query(),
            _ => Err(ParseFault::Expected("a query, which begins with '@' or '$',")),
        }
    }
}
