//! The keys, strings and numbers of a JSON value in which a wanted text occurs, with their places.
//!
//! A place is one step and the number of the step above it. Steps are made where something is found, and hits in one
//! array or object share those that lead to it, so what is kept does not grow with depth or with long keys. A pointer is
//! written when its hit is shown.

use std::ops::ControlFlow;

use toolshape_json::{MemberName, OpenValue, Seeker};

use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::base::work::{COMPARISON, Going, MAX_MATCHES, Work};
use crate::value::json_text::JsonText;

use super::prefilter::Prefilter;
use super::search::clip;
use super::sought::Sought;

/// What was found in a JSON value.
pub(super) struct HitValues<'a> {
    base: &'a str,
    steps: Vec<HitStep<'a>>,
    hits: Vec<HitValue<'a>>,
}

/// A key, a string or a number that matches.
struct HitValue<'a> {
    /// The last step to it; none if it is the whole value.
    place: Option<usize>,
    /// As JSON text.
    span: &'a str,
    /// Where the match begins in its text.
    at: usize,
    is_key: bool,
}

/// One step of a place.
struct HitStep<'a> {
    above: Option<usize>,
    name: MemberName<'a>,
}

impl<'a> HitValues<'a> {
    /// Searches a value; `base` is the pointer to it. Also whether the search stopped early.
    pub fn find(value: &JsonText<'a>, mut sought: Sought, base: &'a str, work: &Work) -> (Self, bool) {
        let mut found = Self { base, steps: Vec::new(), hits: Vec::new() };
        let end = found.read(value, &mut sought, work);
        (found, end.is_break())
    }

    fn read(&mut self, value: &JsonText<'a>, sought: &mut Sought, work: &Work) -> Going {
        let text = value.span();
        let mut prefilter = sought.prefilter(text);
        work.spend(prefilter.as_ref().map_or(0, Prefilter::work))?;
        let (mut seeker, mut from) = (Seeker::new(text, value.steps(0)), 0);
        loop {
            let unread = seeker.unread();
            let place = prefilter.as_mut().map_or(Some(from), |prefilter| prefilter.next(from));
            let Some(leaf) = place.and_then(|place| seeker.seek(place)) else { return ControlFlow::Continue(()) };
            work.spend(COMPARISON + (leaf.end - from).saturating_sub(seeker.unread() - unread))?;
            from = leaf.end;
            let span = &text[leaf.start..leaf.end];
            if matches!(span.as_bytes()[0], b't' | b'f' | b'n') {
                continue;
            }
            let literal = Quoted::of(span).map_or(span, Quoted::literal);
            let at = match literal.contains('\\') {
                true => sought.first(&json_string::unescape(literal), work)?,
                false => sought.first(literal, work)?,
            };
            if let Some(at) = at {
                if self.hits.len() == MAX_MATCHES {
                    return ControlFlow::Break(());
                }
                let known = self.steps.len();
                let place = self.place(&mut seeker.open);
                work.keep(1 + self.steps.len() - known)?;
                self.hits.push(HitValue { place, span, at, is_key: leaf.is_key });
            }
        }
    }

    /// The step to the member that is being read; makes those steps to it that are not there yet.
    fn place(&mut self, open: &mut [OpenValue<'a>]) -> Option<usize> {
        let known = open.iter().rposition(|open| open.note.is_some()).map_or(0, |last| last + 1);
        let mut above = known.checked_sub(1).and_then(|last| open[last].note);
        for open in &mut open[known..] {
            self.steps.push(HitStep { above, name: open.name });
            above = Some(self.steps.len() - 1);
            open.note = above;
        }
        above
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    fn pointer(&self, mut place: Option<usize>) -> String {
        let mut names = Vec::new();
        while let Some(at) = place {
            names.push(self.steps[at].name);
            place = self.steps[at].above;
        }
        names.iter().rev().fold(self.base.to_owned(), |pointer, name| match name {
            MemberName::Key(key) => pointer + "/" + &json_pointer::escape(&Quoted::new(key).text()),
            MemberName::Index(index) => pointer + "/" + &index.to_string(),
        })
    }

    pub fn row(&self, hit: usize, chars: usize) -> Members {
        let HitValue { place, span, at, is_key } = self.hits[hit];
        let mut row = Members::new();
        row.text("pointer", &self.pointer(place));
        if chars == 0 {
            return row;
        }
        if span.len() <= chars {
            row.json(if is_key { "key" } else { "value" }, span);
        } else {
            let text = json_string::unescape(Quoted::of(span).map_or(span, Quoted::literal));
            row.text("excerpt", &clip(&text, chars, at));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of a document of all kinds of escapes and scripts, and pieces of them.
    const TEXTS: [&str; 12] = [
        "Needle", "a/needle\"", "NEEDLE\\u", "né\nedle", "straße", "İstanbul", "\u{212a}elvin", "ΑΣ", "Москва", "\t",
        "🙂 needle", "",
    ];
    const PARTS: [&str; 20] = [
        "needle", "e", "/", "\"", "\\", "a/n", "ß", "i", "istanbul", "kel", "k", "σ", "моск", "\t", "🙂", "dle\"", "1",
        "-1.5", "none", "édle",
    ];

    fn hits(json: &str, text: &str) -> Vec<(String, bool)> {
        let (work, value) = (Work::over(json.len()), JsonText::parse(json).unwrap());
        let (found, stopped) = HitValues::find(&value, Sought::new(text), "", &work);
        assert!(!stopped);
        found.hits.iter().map(|hit| (found.pointer(hit.place), hit.is_key)).collect()
    }

    #[test]
    fn what_is_passed_over_has_no_match() {
        // Each text as a key and as a value, as it is and with every character escaped.
        let escaped = |text: &str| {
            let escapes: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!("\"{escapes}\"")
        };
        let spellings: [&dyn Fn(&str) -> String; 2] = [&|text| json_string::quoted(text), &escaped];
        let (mut rows, mut wanted) = (Vec::new(), Vec::new());
        for spelled in spellings {
            for text in TEXTS {
                let pointer = format!("/{}", rows.len());
                let key = format!("{pointer}/{}", json_pointer::escape(text));
                rows.push(format!(
                    r#"{{{}:[{},1,null,{{"x":-1.5}}],"pad":"{}"}}"#,
                    spelled(text),
                    spelled(text),
                    "_".repeat(600)
                ));
                wanted.extend([(key.clone(), true, text), (format!("{key}/0"), false, text)]);
                wanted.push((format!("{key}/1"), false, "1"));
                wanted.extend([(format!("{key}/3/x"), true, "x"), (format!("{key}/3/x"), false, "-1.5")]);
            }
        }
        let json = format!("[{}]", rows.join(" , "));
        for part in PARTS {
            let lower = part.to_lowercase();
            let of = |matches: &dyn Fn(&str) -> bool| -> Vec<(String, bool)> {
                let hits = wanted.iter().filter(|(_, _, text)| matches(text));
                hits.map(|(pointer, is_key, _)| (pointer.clone(), *is_key)).collect()
            };
            assert_eq!(hits(&json, part), of(&|text| text.to_lowercase().contains(&lower)), "{part:?}");
        }
    }
}
