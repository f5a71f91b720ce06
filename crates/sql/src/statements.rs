//! The statements of a text of SQL, and the tables that it may name.

use std::ops::Range;

/// Letters of a handle.
const HANDLE_LETTERS: usize = 16;

/// A piece of SQL that is not divided further.
enum Lexeme {
    Word,
    Semicolon,
    /// Quoted names and texts, comments, white space, other signs.
    Other,
    Blank,
}

/// The place of each statement, without its semicolon; statements without words are left out.
pub fn split(sql: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut is_empty) = (Vec::new(), 0, true);
    for (place, lexeme) in (Lexemes { sql, at: 0 }) {
        match lexeme {
            Lexeme::Semicolon => {
                if !is_empty {
                    found.push(start..place.start);
                }
                (start, is_empty) = (place.end, true);
            }
            Lexeme::Blank => {}
            Lexeme::Word | Lexeme::Other => is_empty = false,
        }
    }
    if !is_empty {
        found.push(start..sql.len());
    }
    found
}

/// The handles that a text of SQL may name as tables, each once: words of 16 small letters, and those with `_doc` behind them.
///
/// ```
/// let sql = "SELECT 'abcdefghijklmnop' FROM satytrfebjvszehh a JOIN \"qwertyuiopasdfgh\" b USING (id)";
/// assert_eq!(toolshape_sql::table_names(sql), ["satytrfebjvszehh", "qwertyuiopasdfgh"]);
/// ```
pub fn table_names(sql: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (place, lexeme) in (Lexemes { sql, at: 0 }) {
        let word = match lexeme {
            Lexeme::Word => &sql[place],
            Lexeme::Other => sql[place].trim_matches(['"', '`', '[', ']']),
            _ => continue,
        };
        let name = word.strip_suffix("_doc").unwrap_or(word);
        if name.len() == HANDLE_LETTERS && name.bytes().all(|byte| byte.is_ascii_lowercase()) && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// The words, quoted texts and signs of a statement; `->` and `->>` are one sign each.
pub fn tokens(sql: &str) -> Vec<&str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (place, lexeme) in (Lexemes { sql, at: 0 }) {
        match found.last_mut() {
            _ if matches!(lexeme, Lexeme::Blank) => {}
            Some(last) if last.end == place.start && ["->", "->>"].contains(&&sql[last.start..place.end]) => {
                last.end = place.end;
            }
            _ => found.push(place),
        }
    }
    found.into_iter().map(|place| &sql[place]).collect()
}

/// The statement with other names in place of some, in quotes or not.
pub fn renamed(sql: &str, new_name: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(sql.len());
    for (place, lexeme) in (Lexemes { sql, at: 0 }) {
        let text = &sql[place];
        let name = match lexeme {
            Lexeme::Word => Some(text),
            Lexeme::Other if text.starts_with(['"', '`', '[']) => Some(text.trim_matches(['"', '`', '[', ']'])),
            _ => None,
        };
        match name.and_then(&new_name) {
            Some(new) => out += &format!("\"{}\"", new.replace('"', "\"\"")),
            None => out += text,
        }
    }
    out
}

struct Lexemes<'s> {
    sql: &'s str,
    at: usize,
}

impl Iterator for Lexemes<'_> {
    type Item = (Range<usize>, Lexeme);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let rest = &self.sql[start..];
        let first = rest.chars().next()?;
        let until = |mark: &str, from: usize| rest[from..].find(mark).map_or(rest.len(), |at| from + at + mark.len());
        let run = |is_in: fn(char) -> bool| rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        let (len, lexeme) = match first {
            ';' => (1, Lexeme::Semicolon),
            c if c.is_whitespace() => (run(char::is_whitespace), Lexeme::Blank),
            '-' if rest.starts_with("--") => (until("\n", 2), Lexeme::Blank),
            '/' if rest.starts_with("/*") => (until("*/", 2), Lexeme::Blank),
            '\'' | '"' | '`' => (quoted(rest, first as u8), Lexeme::Other),
            '[' => (until("]", 1), Lexeme::Other),
            c if c.is_ascii_digit() || c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                (number(rest), Lexeme::Other)
            }
            c if is_word(c) => (run(is_word), Lexeme::Word),
            other => (other.len_utf8(), Lexeme::Other),
        };
        self.at = start + len;
        Some((start..self.at, lexeme))
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// The bytes of the number at the start, with its fraction and its power.
fn number(text: &str) -> usize {
    let run = |at: usize| text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at);
    let whole = run(0);
    let end = if text[whole..].starts_with('.') { whole + 1 + run(whole + 1) } else { whole };
    let is_power = text[..end].ends_with(['e', 'E']) && text[end..].starts_with(['+', '-']);
    if is_power && !text.starts_with("0x") { end + 1 + run(end + 1) } else { end }
}

/// The bytes of what is in quotes at the start; two quotes are one of its characters.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr(quote, &bytes[at..]) {
        at += found + 1;
        if bytes.get(at) != Some(&quote) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_token() {
        let all = tokens("SELECT t.v+1.5e-3, .5 FROM t1 WHERE 12.>v AND a.b1=-2e+10 AND c=0x1e-1");
        let wanted = "SELECT t . v + 1.5e-3 , .5 FROM t1 WHERE 12. > v AND a . b1 = - 2e+10 AND c = 0x1e - 1";
        assert_eq!(all.join(" "), wanted);
    }

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes_and_comments() {
        let all = |sql: &'static str| -> Vec<&str> { split(sql).into_iter().map(|place| sql[place].trim()).collect() };
        assert_eq!(all("SELECT 1; SELECT ';' ; ;\n"), ["SELECT 1", "SELECT ';'"]);
        assert_eq!(
            all("SELECT 'it''s;' -- a; b\n; SELECT [a;b] /* ; */"),
            ["SELECT 'it''s;' -- a; b", "SELECT [a;b] /* ; */"]
        );
        assert_eq!(all("SELECT 'open; "), ["SELECT 'open;"]);
        assert!(all(" ; -- x").is_empty());
    }
}
