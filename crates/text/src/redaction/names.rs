//! The names of secret fields, and the paths that end with them.

use super::Marks;

/// The names of secret fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields {
    /// The last names of paths, each normalized.
    paths: Vec<Vec<String>>,
    /// The bytes with which a name of them may end: most names of data end with another one.
    ends: Marks,
}

impl Fields {
    pub fn new(fields: &[&str]) -> Self {
        let paths: Vec<Vec<String>> = fields.iter().map(|field| field.split('.').map(normalized).collect()).collect();
        let is_end = |byte: &u8| {
            let is_last = |path: &Vec<String>| {
                last_letters(path).bytes().last().is_none_or(|last| last == byte.to_ascii_lowercase())
            };
            // What is not ASCII may be written in another way.
            !byte.is_ascii() || is_apart(byte) || paths.iter().any(is_last)
        };
        let ends = (0..=u8::MAX).filter(is_end).collect();
        Self { paths, ends }
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The most names of a path.
    pub fn most_names(&self) -> usize {
        self.paths.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether a name alone is not enough for some of them.
    pub fn have_paths(&self) -> bool {
        self.most_names() > 1
    }

    /// Whether a value with this path is secret.
    pub fn end(&self, path: &[String]) -> bool {
        self.paths.iter().any(|field| {
            let ends = path.iter().rev().zip(field.iter().rev());
            field.len() <= path.len() && ends.into_iter().all(|(name, pattern)| is_named(name, pattern))
        })
    }

    /// Whether a value with this name, which may be a path, is secret.
    pub fn has(&self, name: &str) -> bool {
        name.len() <= NAME && self.may_end(name, 0) && (self.is_one(name) || self.end(&path(name)))
    }

    /// Whether a name is one of theirs as it is written: most are.
    pub fn is_one(&self, name: &str) -> bool {
        let is_whole = |field: &&Vec<String>| field.len() == 1 && !field[0].contains(['*', '/', '[', ']', ':']);
        self.paths.iter().filter(is_whole).any(|field| field[0].eq_ignore_ascii_case(name))
    }

    /// Whether a path that ends with this name may be that of a secret. Most names of data are not, and are not normalized.
    pub fn may_have(&self, name: &str) -> bool {
        self.may_end(name, self.most_names())
    }

    /// The same of a path in which that many names are above it.
    pub fn may_end(&self, name: &str, above: usize) -> bool {
        if name.bytes().last().is_some_and(|last| !self.ends.has(last)) {
            return false;
        }
        let ends = |field: &Vec<String>| {
            ends_with(name, last_letters(field))
                && (field.len() <= above + 1 || name.bytes().any(|byte| is_apart(&byte)))
        };
        !name.is_ascii() || self.paths.iter().any(ends)
    }
}

/// The letters with which a name ends that a path is for.
fn last_letters(path: &[String]) -> &str {
    let last = path.last().map_or("", |pattern| pattern);
    &last[memchr::memrchr(b'*', last.as_bytes()).map_or(0, |star| star + 1)..]
}

/// Whether a name ends with some letters, whatever is behind and between them.
fn ends_with(name: &str, letters: &str) -> bool {
    let name = name.as_bytes();
    let mut end = name.iter().rposition(|byte| !is_apart(byte)).map_or(0, |last| last + 1);
    letters.bytes().rev().all(|letter| {
        while end > 0 && is_between(&name[end - 1]) {
            end -= 1;
        }
        let last = name[..end].last().map(u8::to_ascii_lowercase);
        end = end.saturating_sub(1);
        last == Some(letter)
    })
}

fn is_between(byte: &u8) -> bool {
    matches!(byte, b'_' | b'-' | b' ')
}

fn is_apart(byte: &u8) -> bool {
    is_between(byte) || matches!(byte, b'.' | b'/' | b'[' | b']' | b':')
}

/// The most bytes of a name.
pub(super) const NAME: usize = 128;

/// A name that is the same however words are joined: `apiKey`, `api_key`, `API-Key`.
pub(super) fn normalized(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The names of a path that is written as one: `user.email`, `user/email`, `user[email]`, `user__email`.
pub(super) fn path(name: &str) -> Vec<String> {
    let names = name.split(['.', '/', '[', ']', ':']).flat_map(|name| name.split("__"));
    names.map(normalized).filter(|name| !name.is_empty()).collect()
}

/// Whether a pattern, in which `*` is any text, is for a name.
fn is_named(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(place) = name.find(part) else { return false };
        name = &name[place + part.len()..];
    }
    true
}
