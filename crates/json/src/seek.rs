//! Keys and scalars at given places of checked JSON text, each with the members that lead to it, found in one pass.
//!
//! What ends before a wanted place is skipped as a whole; of the bytes that are read to find its end, few are read again.

use crate::outline::Steps;
use crate::scan::{is_space, skip_string};

/// A key, or a value that is neither an array nor an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub start: usize,
    pub end: usize,
    pub is_key: bool,
}

/// What a member of an array or an object is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberName<'t> {
    /// A key with its quotes.
    Key(&'t str),
    Index(usize),
}

/// An open array or object: the member that is being read, and what the caller noted of that.
#[derive(Debug)]
pub struct OpenValue<'t> {
    pub name: MemberName<'t>,
    pub note: Option<usize>,
}

/// Goes through a text to one place after another.
pub struct Seeker<'s, 't> {
    text: &'t str,
    steps: Steps<'s>,
    at: usize,
    /// Whether the next string is a key.
    at_key: bool,
    /// Bytes that were read and have to be read again.
    again: usize,
    /// What is open, from the outside in.
    pub open: Vec<OpenValue<'t>>,
}

impl<'s, 't> Seeker<'s, 't> {
    /// Begins at the start of a checked text; `steps` are those from there.
    pub fn new(text: &'t str, steps: Steps<'s>) -> Self {
        Self { text, steps, at: 0, at_key: false, again: 0, open: Vec::new() }
    }

    /// The first key or scalar that ends after `place`, which is not before those of earlier calls; none after the last.
    pub fn seek(&mut self, place: usize) -> Option<Leaf> {
        let bytes = self.text.as_bytes();
        loop {
            // Their positions are checked already.
            while bytes.get(self.at).is_some_and(|&byte| is_space(byte) || matches!(byte, b',' | b':')) {
                self.at += 1;
            }
            let start = self.at;
            match *bytes.get(start)? {
                b'}' | b']' => {
                    self.open.pop();
                    self.end_value(start + 1);
                    continue;
                }
                b'"' if self.at_key => {
                    self.at = skip_string(bytes, start);
                    self.at_key = false;
                    if let Some(object) = self.open.last_mut() {
                        *object = OpenValue { name: MemberName::Key(&self.text[start..self.at]), note: None };
                    }
                    if self.at > place {
                        return Some(Leaf { start, end: self.at, is_key: true });
                    }
                    continue;
                }
                _ => {}
            }
            if let Some(OpenValue { name: MemberName::Index(index), note }) = self.open.last_mut() {
                *index = index.wrapping_add(1);
                *note = None;
            }
            match bytes[start] {
                bracket @ (b'{' | b'[') => match self.end_before(place) {
                    Some(end) => self.end_value(end),
                    None => {
                        self.at_key = bracket == b'{';
                        let name = if self.at_key { MemberName::Key("\"\"") } else { MemberName::Index(usize::MAX) };
                        self.open.push(OpenValue { name, note: None });
                        self.at += 1;
                    }
                },
                _ => {
                    let end = self.steps.skip_value(start);
                    self.end_value(end);
                    if end > place {
                        return Some(Leaf { start, end, is_key: false });
                    }
                }
            }
        }
    }

    /// The bytes that were stepped over and not read.
    pub fn unread(&self) -> usize {
        self.steps.unread()
    }

    /// The end of the array or object that begins here, if it is not after a place; else it has to be gone into.
    fn end_before(&mut self, place: usize) -> Option<usize> {
        if let Some(end) = self.steps.enter(self.at) {
            return (end <= place).then(|| self.steps.leave(self.at, end));
        }
        // However values nest, no more is read again than was read at all.
        if place <= self.at || self.again > self.at {
            return None;
        }
        let mut ahead = self.steps.clone();
        let end = ahead.skip_value(self.at);
        if end <= place {
            self.steps = ahead;
            return Some(end);
        }
        self.again += end - self.at - (ahead.unread() - self.steps.unread());
        None
    }

    /// Goes on after a value.
    fn end_value(&mut self, end: usize) {
        self.at = end;
        self.at_key = matches!(self.open.last(), Some(OpenValue { name: MemberName::Key(_), .. }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    /// The pointer to what was found last.
    fn pointer(seeker: &Seeker<'_, '_>) -> String {
        seeker.open.iter().fold(String::new(), |pointer, open| match open.name {
            MemberName::Key(key) => pointer + "/" + key.trim_matches('"'),
            MemberName::Index(index) => format!("{pointer}/{index}"),
        })
    }

    /// Every key and scalar of a text with its pointer, by going from each to the next.
    fn all(text: &str) -> Vec<(Leaf, String)> {
        let outline = check(text, 100).unwrap().outline;
        let mut seeker = Seeker::new(text, outline.steps(text.as_bytes(), 0, 0));
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(leaf) = seeker.seek(from) {
            from = leaf.end;
            found.push((leaf, pointer(&seeker)));
        }
        found
    }

    #[test]
    fn each_part_has_its_place() {
        let text = r#" { "a" : [ 1 , "b" , [ ] , [ true ] ] , "c" : null , "d" : { "e\"" : -2 } } "#.trim();
        let found: Vec<String> = all(text)
            .iter()
            .map(|(leaf, pointer)| {
                format!("{pointer} {}{}", if leaf.is_key { "key " } else { "" }, &text[leaf.start..leaf.end])
            })
            .collect();
        let wanted = [
            "/a key \"a\"", "/a/0 1", "/a/1 \"b\"", "/a/3/0 true", "/c key \"c\"", "/c null", "/d key \"d\"",
            "/d/e\\ key \"e\\\"\"", "/d/e\\ -2",
        ];
        assert_eq!(found.iter().map(|found| found.replace("/e\\\"", "/e\\")).collect::<Vec<_>>(), wanted);
        assert_eq!(all("7")[0].0, Leaf { start: 0, end: 1, is_key: false });
        assert!(all("[]").is_empty());
    }

    #[test]
    fn skipping_leads_where_reading_all_does() {
        let long = "x{}[]\\\"".repeat(200);
        let row = format!(r#"{{"pad":"{long}","a":[[1,{{"k":[2,"{long}"]}},3],{{}}],"b":{{"c":"d"}}}}"#);
        let text = format!("[{row},7,[[[[{row}]]],{row}],{{\"rows\":[{row},{row}]}},[[[[[[1],2],3],4],5],6]]");
        let wanted = all(&text);
        let outline = check(&text, 100).unwrap().outline;
        let mut unread = 0;
        for stride in [1, 2, 3, 7, 11, wanted.len() - 1] {
            let mut seeker = Seeker::new(&text, outline.steps(text.as_bytes(), 0, 0));
            for (leaf, at) in wanted.iter().step_by(stride) {
                assert_eq!(seeker.seek(leaf.start), Some(*leaf));
                assert_eq!(pointer(&seeker), *at);
            }
            assert!(seeker.again <= seeker.at + crate::LARGE, "{} of {}", seeker.again, seeker.at);
            unread = seeker.unread();
        }
        // Whoever looks at the first leaf and the last alone reads little of the text.
        assert!(text.len() - unread < text.len() / 10, "{} of {}", text.len() - unread, text.len());
    }
}
