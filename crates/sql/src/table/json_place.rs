//! Where a value is in checked JSON: the members of one, and the value that a path or a JSON Pointer leads to.

use toolshape_json::{next_member, skip_space, skip_string, skip_value, string};

/// A member of an object or an item of a list: its key with quotes, empty for an item, and its value.
#[derive(Clone, Copy)]
pub struct Member {
    pub key: (usize, usize),
    pub value: (usize, usize),
}

/// The members of the checked object or list that begins at a place.
pub struct Members<'t> {
    bytes: &'t [u8],
    at: usize,
    is_object: bool,
}

impl<'t> Members<'t> {
    pub fn of(text: &'t str, start: usize) -> Self {
        let bytes = text.as_bytes();
        Self { bytes, at: skip_space(bytes, start + 1), is_object: bytes[start] == b'{' }
    }
}

impl Iterator for Members<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let Self { bytes, at, .. } = *self;
        if matches!(bytes[at], b'}' | b']') {
            return None;
        }
        let key_end = if self.is_object { skip_string(bytes, at) } else { at };
        let start = if self.is_object { skip_space(bytes, skip_space(bytes, key_end) + 1) } else { at };
        let end = skip_value(bytes, start);
        self.at = next_member(bytes, end);
        Some(Member { key: (at, key_end), value: (start, end) })
    }
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    Key(Box<str>),
    Item(usize),
    /// The last item is 1.
    ItemFromEnd(usize),
    /// Behind the last item.
    End,
}

impl PathStep {
    /// The item with a number; below 0 it counts from the end.
    pub fn item(number: i64) -> Self {
        let distance = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
        if number < 0 { Self::ItemFromEnd(distance) } else { Self::Item(distance) }
    }
}

/// The steps of a path of SQLite, such as `$.a."b c"[0][#-1]`; `None` if it is none.
pub fn path(written: &str) -> Option<Vec<PathStep>> {
    let (mut steps, mut rest) = (Vec::new(), written.strip_prefix('$')?);
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (number, after) = inside.split_once(']')?;
            steps.push(match number.strip_prefix('#') {
                Some("") => PathStep::End,
                Some(distance) => PathStep::ItemFromEnd(distance.strip_prefix('-')?.parse().ok()?),
                None => PathStep::Item(number.parse().ok()?),
            });
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('.')?;
        let (key, after) = match name.strip_prefix('"') {
            Some(quoted) => {
                let end = skip_quoted(quoted)?;
                (string::text(&quoted[..end]).into(), &quoted[end + 1..])
            }
            None => {
                let (key, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
                (key.into(), after)
            }
        };
        if rest.len() == after.len() + 1 {
            return None;
        }
        steps.push(PathStep::Key(key));
        rest = after;
    }
    Some(steps)
}

/// Where the quote is that ends a quoted name.
fn skip_quoted(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// Where the value begins and ends that steps lead to, in the checked value at a place.
pub fn follow(text: &str, whole: (usize, usize), steps: &[PathStep]) -> Option<(usize, usize)> {
    steps.iter().try_fold(whole, |(start, _), step| {
        let is_list = match text.as_bytes()[start] {
            b'[' => true,
            b'{' => false,
            _ => return None,
        };
        let mut members = Members::of(text, start);
        let found = match step {
            PathStep::Key(key) if !is_list => members.find(|member| is_key(&text[member.key.0..member.key.1], key)),
            PathStep::Item(at) if is_list => members.nth(*at),
            PathStep::ItemFromEnd(distance) if is_list && *distance > 0 => {
                let count = Members::of(text, start).count();
                members.nth(count.checked_sub(*distance)?)
            }
            _ => None,
        };
        found.map(|member| member.value)
    })
}

/// Whether a literal with its quotes is a key.
fn is_key(literal: &str, key: &str) -> bool {
    let literal = &literal[1..literal.len() - 1];
    literal == key || literal.contains('\\') && string::text(literal) == key
}

/// Where the value at a JSON Pointer begins, in the checked value at a place.
pub fn at(text: &str, whole: (usize, usize), pointer: &str) -> Option<usize> {
    let found = pointer.split('/').skip(1).try_fold(whole, |found, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        let step = match text.as_bytes()[found.0] {
            b'[' => PathStep::Item(token.parse().ok()?),
            _ => PathStep::Key(token.into()),
        };
        follow(text, found, &[step])
    });
    found.map(|(start, _)| start)
}

/// Writes a text as a token of a JSON Pointer (RFC 6901).
pub fn pointer_token(key: &str, out: &mut String) {
    out.push('/');
    out.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

#[cfg(test)]
mod tests {
    use super::{PathStep, path};

    #[test]
    fn paths_are_read() {
        let key = |name: &str| PathStep::Key(name.into());
        for (written, steps) in [
            ("$", vec![]),
            ("$.a", vec![key("a")]),
            (r#"$.a b."c.[d]"."\"e""#, vec![key("a b"), key("c.[d]"), key("\"e")]),
            ("$[0].x[#-1][#]", vec![PathStep::Item(0), key("x"), PathStep::ItemFromEnd(1), PathStep::End]),
            (r#"$.""[1]"#, vec![key(""), PathStep::Item(1)]),
        ] {
            assert_eq!(path(written), Some(steps), "{written}");
        }
        for written in ["", "a", "$a", "$.", "$..a", "$[", "$[x]", "$[-1]", "$[#+1]", "$.\"a", "$.a."] {
            assert_eq!(path(written), None, "{written}");
        }
    }
}
