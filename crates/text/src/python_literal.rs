//! A literal of Python, as `repr` writes it, turned into JSON text: dictionaries, lists, tuples, strings, numbers, `True`,
//! `False` and `None` (Python's reference, "Literals"; what `ast.literal_eval` reads), and decimals, dates, times and ids in it
//! as the calls that `repr` writes for them; an object that `repr` writes by its fields, `Row(id=1)`, is one of JSON. Nothing is
//! evaluated. JSON with a comma after the last member, and with `NaN` and
//! `Infinity`, which become strings, is read as well; so is JSON as people and JavaScript write it: with comments, keys without
//! quotes, strings in single quotes or over several lines (<https://spec.json5.org/>).
//!
//! It is read once from start to end, without recursion. Numbers keep their spelling, and tuples become arrays.

/// The JSON text of a literal, without white space.
#[derive(Debug, PartialEq, Eq)]
pub struct AsJson {
    pub json: String,
    /// Where the literal ends in the text.
    pub end: usize,
    /// Whether it is of Python; otherwise it is JSON, or nearly.
    pub is_python: bool,
    /// Whether a text is in it in place of `NaN` or an infinity.
    pub has_not_numbers: bool,
}

/// The dictionary, list or tuple that `text` begins with; whatever follows is ignored. Keys are strings or numbers, as JSON
/// can have them.
///
/// # Errors
/// If the text is not such a literal, or nests deeper than `max_depth`.
///
/// ```
/// use toolshape_text::python_literal::as_json;
/// let read = as_json(r#"[{'id': 1.50, "it's": None}, (True, '"\xe9\'')]: that is all"#, 10).unwrap();
/// assert_eq!((read.json.as_str(), read.end), (r#"[{"id":1.50,"it's":null},[true,"\"é'"]]"#, 47));
/// assert_eq!(as_json("[1, oops]", 10), Err(4));
/// ```
pub fn as_json(text: &str, max_depth: usize) -> Result<AsJson, usize> {
    if !text.starts_with(['[', '(', '{']) {
        return Err(0);
    }
    let mut literal = Literal::new(text, max_depth);
    match literal.read() {
        Some(()) if !(literal.is_python && literal.is_json) => {
            let Literal { json, at: end, is_python, is_json, is_unquoted, has_not_numbers, .. } = literal;
            Ok(AsJson { json, end, is_python: is_python || is_unquoted && !is_json, has_not_numbers })
        }
        _ => Err(literal.at),
    }
}

/// The longest name of a call, and the longest arguments of a time.
const MOST_NAME: usize = 40;
const MOST_ARGUMENTS: usize = 80;

/// Whether a text is a number of JSON.
fn is_number(text: &str) -> bool {
    let mut literal = Literal::new(text, 0);
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && literal.number().is_some()
        && literal.at == text.len()
        && !literal.json.starts_with('"')
}

/// The arguments of `datetime`, `date` or `time` as ISO 8601 has it.
fn iso_time(name: &str, arguments: &str) -> Option<String> {
    let mut zone = "";
    let mut numbers: Vec<u32> = Vec::new();
    for argument in arguments.split(',').map(str::trim) {
        match argument {
            "tzinfo=datetime.timezone.utc" | "tzinfo=timezone.utc" => zone = "+00:00",
            number => numbers.push(number.parse().ok()?),
        }
    }
    let date = |at: &[u32]| format!("{:04}-{:02}-{:02}", at[0], at[1], at[2]);
    let clock = |at: &[u32]| {
        let part = |nth: usize| at.get(nth).copied().unwrap_or(0);
        let fraction = if part(3) > 0 { format!(".{:06}", part(3)) } else { String::new() };
        format!("{:02}:{:02}:{:02}{fraction}{zone}", part(0), part(1), part(2))
    };
    match (name, numbers.len()) {
        ("date", 3) => Some(date(&numbers)),
        ("datetime", 3..=7) => Some(format!("{}T{}", date(&numbers), clock(&numbers[3..]))),
        ("time", 1..=4) => Some(clock(&numbers)),
        _ => None,
    }
}

/// A literal that is being read; where that stops, `at` is the place.
struct Literal<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    json: String,
    open: Vec<OpenLiteral>,
    max_depth: usize,
    /// Whether something was read that only Python has, and that only JSON has.
    is_python: bool,
    is_json: bool,
    /// Whether something is without double quotes that has them in JSON.
    is_unquoted: bool,
    has_not_numbers: bool,
}

/// An open dictionary, list or tuple.
struct OpenLiteral {
    closing: u8,
    /// What is behind the keys of an object.
    colon: Option<u8>,
    /// Whether there was a comma; without one, parentheses around one value are not a tuple.
    has_comma: bool,
}

impl<'a> Literal<'a> {
    fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            json: String::new(),
            open: Vec::new(),
            max_depth,
            is_python: false,
            is_json: false,
            is_unquoted: false,
            has_not_numbers: false,
        }
    }

    fn read(&mut self) -> Option<()> {
        loop {
            let is_opened = self.value()?;
            if is_opened && !self.closes() {
                self.key()?;
                continue;
            }
            // What is open ends here, or goes on with another member.
            loop {
                let Some(level) = self.open.last_mut() else { return Some(()) };
                match self.bytes.get(self.at)? {
                    b',' => {
                        level.has_comma = true;
                        self.step(1);
                        if !self.closes() {
                            self.json.push(',');
                            self.key()?;
                            break;
                        }
                    }
                    byte if *byte == level.closing && (*byte != b')' || level.has_comma || level.colon.is_some()) => {
                        self.closes();
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Goes on, and over the white space and comments after.
    fn step(&mut self, bytes: usize) {
        self.at += bytes;
        loop {
            while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
            let rest = &self.bytes[self.at..];
            let comment = match rest.get(..2) {
                Some(b"//") => memchr::memchr(b'\n', rest),
                Some(b"/*") => memchr::memmem::find(&rest[2..], b"*/").map(|end| end + 4),
                _ => return,
            };
            self.is_json = true;
            let Some(comment) = comment else { return };
            self.at += comment;
        }
    }

    /// Goes over the bracket that closes the innermost level, if it is here.
    fn closes(&mut self) -> bool {
        let Some(level) = self.open.pop_if(|level| self.bytes.get(self.at) == Some(&level.closing)) else {
            return false;
        };
        self.json.push(if level.colon.is_some() { '}' } else { ']' });
        // White space after the whole is not its own.
        if self.open.is_empty() {
            self.at += 1;
        } else {
            self.step(1);
        }
        true
    }

    /// Reads a value, or the bracket that opens one: then it returns true.
    fn value(&mut self) -> Option<bool> {
        self.is_python |= self.bytes.get(self.at) == Some(&b'(');
        let (closing, colon, len) = match self.bytes.get(self.at)? {
            b'[' => (b']', None, 1),
            b'(' => (b')', None, 1),
            b'{' => (b'}', Some(b':'), 1),
            b'\'' | b'"' => return self.string().map(|()| false),
            b'-' | b'0'..=b'9' => return self.number().map(|()| false),
            _ if self.fields_begin().is_some() => {
                self.is_python = true;
                (b')', Some(b'='), self.fields_begin()?)
            }
            _ => {
                let words = [("True", "true"), ("False", "false"), ("None", "null")];
                let words = words.into_iter().chain(words.map(|(_, json)| (json, json))).chain([("undefined", "null")]);
                // JSON has no number for these; as JavaScript and Python write them.
                let no_numbers =
                    [("NaN", "\"NaN\""), ("Infinity", "\"Infinity\""), ("nan", "\"nan\""), ("inf", "\"inf\"")];
                let mut words = words.chain(no_numbers);
                let Some((word, json)) = words.find(|(word, _)| self.bytes[self.at..].starts_with(word.as_bytes()))
                else {
                    return self.call().map(|()| false);
                };
                if json.starts_with('"') {
                    self.is_python |= word.starts_with(|c: char| c.is_ascii_lowercase());
                    self.has_not_numbers = true;
                    self.json.push_str(json);
                    self.step(word.len());
                    return Some(false);
                }
                let is_python = word.starts_with(|c: char| c.is_ascii_uppercase());
                self.is_python |= is_python;
                self.is_json |= !is_python;
                self.json.push_str(json);
                self.step(word.len());
                return Some(false);
            }
        };
        if self.open.len() == self.max_depth {
            return None;
        }
        self.open.push(OpenLiteral { closing, colon, has_comma: false });
        self.json.push(if colon.is_some() { '{' } else { '[' });
        self.step(len);
        Some(true)
    }

    /// The length of the name and the bracket of an object by its fields: `Row(` of `Row(id=1)`.
    fn fields_begin(&self) -> Option<usize> {
        let name_of = |at: usize| {
            let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            self.bytes[at..].iter().take(MOST_NAME).take_while(is_of_name).count()
        };
        let len = name_of(self.at) + 1;
        let field = self.at + len;
        let is_call = len > 1 && self.bytes.get(field - 1) == Some(&b'(');
        let field_end = if is_call { field + name_of(field) } else { return None };
        let is_field = field_end > field && self.bytes.get(field_end) == Some(&b'=');
        (is_field && self.bytes.get(field_end + 1) != Some(&b'=')).then_some(len)
    }

    /// Reads the key and the colon of a member of a dictionary.
    fn key(&mut self) -> Option<()> {
        let Some(colon) = self.open.last()?.colon else { return Some(()) };
        match self.bytes.get(self.at)? {
            b'\'' | b'"' => self.string()?,
            b'-' | b'0'..=b'9' => {
                self.is_unquoted = true;
                self.json.push('"');
                self.number()?;
                self.json.push('"');
            }
            b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' => {
                let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
                let len = self.bytes[self.at..].iter().take_while(is_of_name).count();
                if matches!(&self.text[self.at..self.at + len], "None" | "True" | "False") {
                    return None;
                }
                self.json.push_str(&format!("\"{}\"", &self.text[self.at..self.at + len]));
                self.is_json |= colon == b':';
                self.step(len);
            }
            _ => return None,
        }
        if self.bytes.get(self.at) != Some(&colon) {
            return None;
        }
        self.json.push(':');
        self.step(1);
        Some(())
    }

    /// A number that JSON has too: no `inf`, no `nan`, no `1j`.
    fn number(&mut self) -> Option<()> {
        let start = self.at;
        let digits = |at: usize| self.bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        for word in ["-Infinity", "-inf"] {
            if self.bytes[start..].starts_with(word.as_bytes()) {
                self.has_not_numbers = true;
                self.json.push_str(&format!("\"{word}\""));
                self.step(word.len());
                return Some(());
            }
        }
        let mut at = start + usize::from(self.bytes[start] == b'-');
        let whole = digits(at);
        let has_zero = whole > 1 && self.bytes[at] == b'0';
        at += whole;
        let mut is_number = whole > 0 && !has_zero;
        if self.bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            is_number &= fraction > 0;
            at += 1 + fraction;
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            at += 1 + usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            is_number &= exponent > 0;
            at += exponent;
        }
        if !is_number {
            return None;
        }
        self.json.push_str(&self.text[start..at]);
        self.step(at - start);
        Some(())
    }

    /// A value that `repr` writes as a call: `Decimal('1.50')`, `datetime.date(2026, 1, 31)`, `UUID('…')`; or JavaScript and the
    /// shell of MongoDB: `new Date('…')`, `NumberLong('1')`.
    fn call(&mut self) -> Option<()> {
        if self.bytes[self.at..].starts_with(b"new ") {
            self.step(4);
        }
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let len = self.bytes[self.at..].iter().take(MOST_NAME).take_while(is_of_name).count();
        if self.bytes.get(self.at + len) != Some(&b'(') {
            return None;
        }
        let name = self.text[self.at..self.at + len].rsplit('.').next()?;
        let inside = self.at + len + 1;
        match name {
            "datetime" | "date" | "time" => {
                let window = &self.bytes[inside..self.bytes.len().min(inside + MOST_ARGUMENTS)];
                let end = inside + window.iter().position(|byte| *byte == b')')?;
                self.json.push_str(&format!("\"{}\"", iso_time(name, &self.text[inside..end])?));
                self.at = end;
            }
            "Decimal" | "UUID" | "ObjectId" | "PosixPath" | "WindowsPath" | "Date" | "ISODate" | "NumberLong"
            | "NumberDecimal" => {
                let start = self.json.len();
                if !matches!(self.bytes.get(inside), Some(b'\'' | b'"')) {
                    return None;
                }
                self.at = inside;
                self.string()?;
                let number = self.json[start + 1..self.json.len() - 1].to_owned();
                if matches!(name, "Decimal" | "NumberLong" | "NumberDecimal") && is_number(&number) {
                    self.json.replace_range(start.., &number);
                }
            }
            _ => return None,
        }
        match name {
            "Date" | "ISODate" | "NumberLong" | "NumberDecimal" => self.is_json = true,
            // Both have ids.
            "ObjectId" | "UUID" => self.is_unquoted = true,
            _ => self.is_python = true,
        }
        if self.bytes.get(self.at) != Some(&b')') {
            return None;
        }
        self.step(1);
        Some(())
    }

    /// A string in single quotes on one line, or in double quotes.
    fn string(&mut self) -> Option<()> {
        let quote = self.bytes[self.at];
        self.is_unquoted |= quote == b'\'';
        self.at += 1;
        self.json.push('"');
        loop {
            let start = self.at;
            let plain = |byte: &u8| *byte != quote && !matches!(*byte, b'\\' | b'"' | 0..0x20);
            self.at += self.bytes[start..].iter().take_while(|byte| plain(byte)).count();
            self.json.push_str(&self.text[start..self.at]);
            match *self.bytes.get(self.at)? {
                b'\\' => self.escape()?,
                b'\n' | b'\r' if quote == b'\'' => return None,
                byte if byte == quote => break,
                byte => {
                    self.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
        self.json.push('"');
        self.step(1);
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let (length, character) = match self.bytes.get(self.at + 1)? {
            b'n' => (2, '\n'),
            b'r' => (2, '\r'),
            b't' => (2, '\t'),
            b'a' => (2, '\u{7}'),
            b'b' => (2, '\u{8}'),
            b'f' => (2, '\u{c}'),
            b'v' => (2, '\u{b}'),
            mark @ (b'\\' | b'\'' | b'"' | b'/') => (2, char::from(*mark)),
            b'x' => (4, char::from_u32(self.digits(2)?)?),
            b'u' => match self.digits(4)? {
                // A half of a character, which JSON has only as an escape.
                half @ 0xd800..0xe000 => {
                    self.json.push_str(&format!("\\u{half:04x}"));
                    self.at += 6;
                    return Some(());
                }
                code => (6, char::from_u32(code)?),
            },
            b'U' => (10, char::from_u32(self.digits(8)?)?),
            _ => return None,
        };
        self.push(character);
        self.at += length;
        Some(())
    }

    /// The hexadecimal digits of the escape that begins here.
    fn digits(&self, count: usize) -> Option<u32> {
        let digits = self.text.get(self.at + 2..self.at + 2 + count)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// Adds a character to a string.
    fn push(&mut self, character: char) {
        match character {
            '"' | '\\' => self.json.extend(['\\', character]),
            '\n' => self.json.push_str("\\n"),
            '\r' => self.json.push_str("\\r"),
            '\t' => self.json.push_str("\\t"),
            '\0'..' ' => self.json.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => self.json.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        as_json(text, 100).ok().filter(|read| read.end == text.len()).map(|read| read.json)
    }

    #[test]
    fn what_repr_writes_is_read() {
        for (text, wanted) in [
            ("[]", "[]"),
            ("{}", "{}"),
            ("()", "[]"),
            ("(1,)", "[1]"),
            ("[(1, 'a'), (2, None)]", r#"[[1,"a"],[2,null]]"#),
            ("{'a': [True, False], 2: {-1.50: ()}}", r#"{"a":[true,false],"2":{"-1.50":[]}}"#),
            (
                "[123456789012345678901234567890, -0, 1e-05, 1.5E+16]",
                "[123456789012345678901234567890,-0,1e-05,1.5E+16]",
            ),
            (r#"['it"s', "it's", 'it\'s "x"', '']"#, r#"["it\"s","it's","it's \"x\"",""]"#),
            (r"['\\ \n\r\t\x00\x1b\x22\u20ac\U0001f600\ud800']", r#"["\\ \n\r\t\u0000\u001b\"€😀\ud800"]"#),
            ("[\n 'é\u{2028}',\t\n 2,\n]", "[\"é\u{2028}\",2]"),
            ("[ [ ] , ( ( ) , ) ]", "[[],[[]]]"),
            ("['a', true, undefined]", "[\"a\",true,null]"),
            ("{a: 1, // one\n $b: /* two */ 'x',}", r#"{"a":1,"$b":"x"}"#),
            ("{\"a\": \"one\ntwo\"}", r#"{"a":"one\ntwo"}"#),
        ] {
            assert_eq!(json(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_read() {
        for text in [
            "", "1", "'a'", "[", "[1", "[1,", "[,]", "[1,,2]", "[1 2]", "[1)", "(1]", "(1)", "[(1)]", "{1}", "{1, 2}",
            "{'a'}", "{'a': }", "{'a': 1, }x", "{'a' 1}", "{None: 1}", "{(1, 2): 3}", "[1j]", "[01]", "[1.]", "[.5]",
            "[1e]", "[-]", "[0x10]", "[1_000]", "[None, null]", "[trueish]", "[Nonesuch]", "[b'a']", "['a' 'b']",
            "['a\n']", "['a", r"['a\'", r"['\q']", r"['\x1']", r"['\x+1']", r"['\u12']", r"['\U00110000']",
            r"['\N{DASH}']", r"['\101']", "[f()]", "[1]]", "[...]", "{a}", "{a b: 1}", "{a: True, b: null}",
            "{True: null, /* }", "[1 / 2]", "{**{}}", "[*[]]", "['''a''']",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn values_that_repr_writes_as_calls_are_read() {
        for (text, wanted) in [
            ("[Decimal('0.00'), Decimal('-1E+2')]", Some("[0.00,-1E+2]")),
            ("[Decimal('NaN'), Decimal('007')]", Some("[\"NaN\",\"007\"]")),
            ("{'at': datetime.datetime(2026, 1, 1, 10, 0)}", Some("{\"at\":\"2026-01-01T10:00:00\"}")),
            (
                "[datetime.datetime(2026, 1, 31, 9, 5, 7, 42, tzinfo=datetime.timezone.utc)]",
                Some("[\"2026-01-31T09:05:07.000042+00:00\"]"),
            ),
            ("[datetime.date(2026, 1, 31), datetime.time(9, 5)]", Some("[\"2026-01-31\",\"09:05:00\"]")),
            (
                "[UUID('12345678-1234-5678-1234-567812345678'), None]",
                Some("[\"12345678-1234-5678-1234-567812345678\",null]"),
            ),
            (
                "[{\"v\": NaN}, {\"v\": -Infinity}, {\"v\": true}]",
                Some("[{\"v\":\"NaN\"},{\"v\":\"-Infinity\"},{\"v\":true}]"),
            ),
            (
                "{_id: ObjectId('5f'), n: NumberLong(\"9007199254740993\"), at: new Date('2026-01-31'), x: null}",
                Some("{\"_id\":\"5f\",\"n\":9007199254740993,\"at\":\"2026-01-31\",\"x\":null}"),
            ),
            ("[nan, inf, -inf]", Some("[\"nan\",\"inf\",\"-inf\"]")),
            (
                "[Row(id=1, at=datetime.date(2026, 1, 31), of=Of(x=None)), m.Row(id=2,)]",
                Some("[{\"id\":1,\"at\":\"2026-01-31\",\"of\":{\"x\":null}},{\"id\":2}]"),
            ),
            ("[Row(id=1, 2)]", None),
            ("[Row(id==1)]", None),
            ("[Row(id: 1)]", None),
            ("[open('x')]", None),
            ("[datetime.datetime(2026, 1)]", None),
            ("[datetime.datetime(2026, 1, f())]", None),
            ("[Decimal(1)]", None),
            ("[Decimal('1', 2)]", None),
        ] {
            assert_eq!(json(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn json_with_a_last_comma_is_no_literal_of_python() {
        for (text, is_python) in [
            ("[1, true, null,]", false),
            ("{\"a\": [1,],}", false),
            ("{'a': 1}", true),
            ("[None,]", true),
            ("[(1, 2)]", true),
            ("{1: \"a\"}", true),
            ("{a: 'b'}", false),
        ] {
            assert_eq!(as_json(text, 9).map(|read| read.is_python), Ok(is_python), "{text}");
        }
    }

    #[test]
    fn it_stops_where_the_literal_does() {
        for (text, wanted) in
            [("[1] x", Ok(3)), ("[1, x", Err(4)), ("['a', oops]", Err(6)), ("[Rows]", Err(1)), ("x[1]", Err(0))]
        {
            assert_eq!(as_json(text, 9).map(|read| read.end), wanted, "{text}");
        }
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(as_json(&deep(9), 9).map(|read| read.json), Ok(deep(9)));
        assert_eq!(as_json(&deep(10), 9), Err(9));
    }
}
