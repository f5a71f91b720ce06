//! Parses the literals of a query: integers, numbers, strings with their escapes, and the words of JSON.

use crate::base::json_string;
use crate::base::numbers::MAX_INTEGER;

use super::{ParseFault, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn optional_integer(&mut self) -> Parsed<Option<i64>> {
        let start = self.at;
        self.take("-");
        let digits = self.digits();
        if digits == 0 && self.at == start {
            return Ok(None);
        }
        let text = &self.text[start..self.at];
        let is_canonical = text == "0" || (digits > 0 && !text.trim_start_matches('-').starts_with('0'));
        match text.parse::<i64>() {
            Ok(number) if is_canonical && number.unsigned_abs() <= MAX_INTEGER => Ok(Some(number)),
            _ => Err(ParseFault::Wrong(start, format!("{text} is not an integer up to 2^53 - 1"))),
        }
    }

    /// Reads the digits that follow, and returns how many.
    pub(super) fn digits(&mut self) -> usize {
        let digits = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }

    pub(super) fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        let quote = if self.take("'") { '\'' } else { '"' };
        self.at = start + 1;
        let mut out = String::new();
        loop {
            let mut rest = self.text[self.at..].chars();
            let Some(character) = rest.next() else { return Err(ParseFault::Expected("a closing quote")) };
            match character {
                _ if character == quote => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => {
                    let escaped = rest.next();
                    let plain = match escaped {
                        Some('b') => '\u{8}',
                        Some('f') => '\u{c}',
                        Some('n') => '\n',
                        Some('r') => '\r',
                        Some('t') => '\t',
                        Some(c @ ('/' | '\\')) => c,
                        Some(c) if c == quote => c,
                        Some('u') => {
                            out.push(self.unicode()?);
                            continue;
                        }
                        _ => return Err(ParseFault::Wrong(self.at, "invalid escape".to_owned())),
                    };
                    out.push(plain);
                    self.at += 2;
                }
                '\0'..='\u{1f}' => {
                    return Err(ParseFault::Wrong(self.at, "a control character has to be escaped".to_owned()));
                }
                _ => {
                    out.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
    }

    /// The character of a `\u` escape, or of two of them for a pair of surrogates.
    pub(super) fn unicode(&mut self) -> Parsed<char> {
        let start = self.at;
        let mut unit = || -> Option<u16> {
            let digits = self.text.get(self.at..)?.strip_prefix("\\u")?.get(..4)?;
            self.at += 6;
            digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
        };
        let first = unit();
        let is_high = first.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
        let second = if is_high { unit() } else { None };
        let character = char::decode_utf16(first.into_iter().chain(second)).next();
        match character {
            Some(Ok(character)) => Ok(character),
            _ => Err(ParseFault::Wrong(start, "it escapes no character".to_owned())),
        }
    }

    pub(super) fn literal(&mut self) -> Parsed<String> {
        for word in ["true", "false", "null"] {
            if self.take(word) {
                return Ok(word.to_owned());
            }
        }
        match self.peek() {
            Some(b'\'' | b'"') => Ok(json_string::quoted(&self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(ParseFault::Expected("a value, a query or a function")),
        }
    }

    pub(super) fn number(&mut self) -> Parsed<String> {
        let start = self.at;
        self.take("-");
        let (whole, digits) = (self.at, self.digits());
        if digits == 0 || (digits > 1 && self.text.as_bytes()[whole] == b'0') {
            return Err(ParseFault::Wrong(start, "invalid number".to_owned()));
        }
        if self.take(".") && self.digits() == 0 {
            return Err(ParseFault::Expected("a digit"));
        }
        if self.take("e") || self.take("E") {
            if !self.take("+") {
                self.take("-");
            }
            if self.digits() == 0 {
                return Err(ParseFault::Expected("a digit"));
            }
        }
        Ok(self.text[start..self.at].to_owned())
    }
}
