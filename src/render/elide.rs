//! Elision: which entries of an object stay whole, what replaces the others, and the list of what is left out.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::base::sorting::sort_by;
use crate::base::text_cuts;
use crate::render::excerpt;
use crate::value::source::{Entry, Kind, Source};
use crate::value::token_count::Measure;
use crate::value::token_estimate;

/// Keys that the placeholder of an object names.
const NAMED_KEYS: usize = 10;
const NAMED_KEY_CHARS: usize = 40;
/// A number with more digits may be replaced; a shorter one stays.
const LONG_NUMBER: usize = 64;
/// A string of at most so many characters is no longer than its placeholder.
const SHORT_STRING: usize = 6;
/// After so many entries in a row that are too large, larger ones are not tried.
const TRIES: usize = 8;
/// A shorter start of a string is not worth showing.
const MIN_HEAD_TOKENS: usize = 4;
/// As much of base64 is shown: enough to recognize it.
const BASE64_TOKENS: usize = 16;
/// Characters at a string's start that are checked for base64, including the head of a `data` URI.
const BASE64_PROBE: usize = 160;

/// A value that is shortened or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elision {
    /// JSON Pointer (RFC 6901) to it in the result.
    pub pointer: String,
    pub kind: Kind,
    /// Characters of a string or of a number's text, items of an array, keys of an object.
    pub size: usize,
}

impl Elision {
    pub fn of<S: Source>(value: &S, pointer: String) -> Self {
        Self { pointer: value.place().unwrap_or(pointer), kind: value.kind(), size: size(value) }
    }

    fn json(&self) -> String {
        let mut members = Members::new();
        members.text("pointer", &self.pointer);
        members.text("kind", self.kind.name());
        members.number("size", self.size);
        members.into_object()
    }
}

/// What the policy's default projection leaves out of a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Omitted {
    /// Dotted paths of the fields, as many as the result lists.
    pub names: Vec<String>,
    /// How many keys of the outermost object are left out.
    pub keys: usize,
}

/// What is left out where nothing is.
pub(crate) static NOTHING_OMITTED: Omitted = Omitted { names: Vec::new(), keys: 0 };

/// Writes `omittedFields`, the fields that the policy does not show, if there are any.
pub(crate) fn write_omitted_fields(names: &[String], out: &mut Members) {
    if !names.is_empty() {
        out.texts("omittedFields", names);
    }
}

/// Writes the elisions, if there are any: `elisions`, as many as `limit` tokens hold, and where those are not
/// all, before them `elided`, how many there are.
pub(crate) fn write_elisions(elisions: &[Elision], limit: usize, measure: Measure, out: &mut Members) {
    if elisions.is_empty() {
        return;
    }
    let mut listed: Vec<String> = Vec::new();
    let mut tokens = 2;
    for elision in elisions {
        let json = elision.json();
        tokens += measure.count(&json) + 1;
        if tokens > limit {
            break;
        }
        listed.push(json);
    }
    if listed.len() < elisions.len() {
        out.number("elided", elisions.len());
    }
    out.list("elisions", &listed);
}

/// Entries of an object within a budget.
#[derive(Debug, Default)]
pub(crate) struct Fitted {
    /// `"key":value` of the first entries, in order.
    pub entries: Vec<String>,
    /// The values that are shortened among them.
    pub elisions: Vec<Elision>,
    /// How many entries after those are not shown at all.
    pub omitted: usize,
}

/// Fits entries into `budget` tokens: see [`EntryFitter::fit`].
pub(crate) fn entries<S: Source>(
    entries: &[Entry<S>],
    budget: usize,
    base: &str,
    measure: Measure,
) -> Result<Fitted, Error> {
    EntryFitter::new(entries, measure).fit(budget, base)
}

/// Fits the entries of an object into one budget after another, without reading them again.
pub(crate) struct EntryFitter<'e, S> {
    entries: &'e [Entry<S>],
    read: Vec<ReadEntry>,
    measure: Measure,
}

/// What is known of an entry.
#[derive(Clone, Default)]
struct ReadEntry {
    stub: Option<Slot>,
    weight: Option<usize>,
    /// The whole entry, once it is within a limit that was asked for.
    whole: Option<Slot>,
    /// The whole entry has more tokens than this.
    over: Option<usize>,
}

impl<'e, S: Source> EntryFitter<'e, S> {
    pub fn new(entries: &'e [Entry<S>], measure: Measure) -> Self {
        Self { entries, read: vec![ReadEntry::default(); entries.len()], measure }
    }

    /// Fits entries into `budget` tokens: small ones stay whole, the largest are replaced first, and if not even all
    /// placeholders fit, the last entries are omitted.
    ///
    /// `base` is the pointer to the object.
    pub fn fit(&mut self, budget: usize, base: &str) -> Result<Fitted, Error> {
        // The least cost of each entry: its placeholder, which for small scalars is the value itself.
        let mut slots: Vec<Slot> = Vec::new();
        let mut left = budget;
        for at in 0..self.entries.len() {
            let stub = self.stub(at)?;
            if stub.tokens > left {
                break;
            }
            left -= stub.tokens;
            slots.push(stub.clone());
        }
        let shown = slots.len();
        let mut by_size: Vec<(usize, usize)> = Vec::new();
        for at in (0..shown).filter(|&at| !slots[at].whole) {
            by_size.push((self.weight(at)?, at));
        }
        sort_by(&mut by_size, Ord::cmp);
        let mut failures = 0;
        for &(_, at) in &by_size {
            if failures == TRIES {
                break;
            }
            match self.whole(at, left + slots[at].tokens)? {
                Some(whole) => {
                    failures = 0;
                    left = left + slots[at].tokens - whole.tokens;
                    slots[at] = whole.clone();
                }
                None => failures += 1,
            }
        }
        lengthen_strings(&self.entries[..shown], &mut slots, left, self.measure)?;
        let mut fitted = Fitted { omitted: self.entries.len() - shown, ..Fitted::default() };
        for (slot, (key, value)) in slots.into_iter().zip(self.entries) {
            if !slot.whole {
                fitted.elisions.push(Elision::of(value, child_pointer(base, key)));
            }
            fitted.entries.push(slot.text);
        }
        Ok(fitted)
    }

    fn stub(&mut self, at: usize) -> Result<&Slot, Error> {
        let stub = match self.read[at].stub.take() {
            Some(stub) => stub,
            None => Slot::stub(&self.entries[at].0, &self.entries[at].1, self.measure)?,
        };
        Ok(self.read[at].stub.insert(stub))
    }

    fn weight(&mut self, at: usize) -> Result<usize, Error> {
        let weight = self.read[at].weight.map_or_else(|| token_estimate::chars(&self.entries[at].1), Ok)?;
        Ok(*self.read[at].weight.insert(weight))
    }

    /// The whole entry, if it is at most `limit` tokens.
    fn whole(&mut self, at: usize, limit: usize) -> Result<Option<&Slot>, Error> {
        let ((key, value), measure) = (&self.entries[at], self.measure);
        let read = &mut self.read[at];
        if read.whole.is_none() && read.over.is_none_or(|over| limit > over) {
            let key_tokens = measure.count(key) + 2;
            read.whole = measure.json_within(value, limit.saturating_sub(key_tokens))?.map(|(json, tokens)| Slot {
                text: format!("{key}:{json}"),
                tokens: key_tokens + tokens,
                whole: true,
            });
            read.over = Some(limit);
        }
        Ok(read.whole.as_ref().filter(|whole| whole.tokens <= limit))
    }
}

/// Shows the starts of the strings that were replaced, with equal shares of the unused room.
fn lengthen_strings<S: Source>(
    entries: &[Entry<S>],
    slots: &mut [Slot],
    left: usize,
    measure: Measure,
) -> Result<(), Error> {
    let cut: Vec<usize> =
        (0..slots.len()).filter(|&at| !slots[at].whole && entries[at].1.kind() == Kind::String).collect();
    let share = left / cut.len().max(1);
    if share < MIN_HEAD_TOKENS {
        return Ok(());
    }
    for at in cut {
        let (key, value) = &entries[at];
        let head = excerpt::start(value, (0, value.chars()), head_tokens(value, share)?, false, measure)?;
        slots[at].text = format!("{key}:\"{}…\"", head.literal);
    }
    Ok(())
}

/// How many of `most` tokens the start of a string gets.
fn head_tokens<S: Source>(value: &S, most: usize) -> Result<usize, Error> {
    let start = json_string::unescape(&value.slice(0, BASE64_PROBE)?);
    Ok(if text_cuts::ends_in_base64(&start) { most.min(BASE64_TOKENS) } else { most })
}

/// Shortens a value that is too large by itself. The function that it returns takes a budget, and gives JSON text and
/// what is left out of it.
pub(crate) fn value<'v, S: Source>(
    value: &'v S,
    entries: &'v [Entry<S>],
    pointer: &'v str,
    measure: Measure,
) -> impl FnMut(usize) -> Result<(String, Vec<Elision>), Error> {
    let mut entries = EntryFitter::new(entries, measure);
    move |budget| match value.kind() {
        Kind::Object => {
            let fitted = entries.fit(budget.saturating_sub(2), pointer)?;
            let mut elisions = fitted.elisions;
            if fitted.omitted > 0 {
                elisions.insert(0, Elision::of(value, pointer.to_owned()));
            }
            let mut members = Members::new();
            members.entries(&fitted.entries);
            Ok((members.into_object(), elisions))
        }
        Kind::String => {
            let tokens = head_tokens(value, budget.saturating_sub(3))?;
            let head = excerpt::start(value, (0, value.chars()), tokens, false, measure)?;
            Ok((format!("\"{}…\"", head.literal), vec![Elision::of(value, pointer.to_owned())]))
        }
        _ => Ok((stand_in(value)?, vec![Elision::of(value, pointer.to_owned())])),
    }
}

/// One entry as it is to be written.
#[derive(Clone)]
struct Slot {
    text: String,
    tokens: usize,
    whole: bool,
}

impl Slot {
    /// The shortest form of an entry.
    fn stub<S: Source>(key: &str, value: &S, measure: Measure) -> Result<Self, Error> {
        let (shown, whole) = match value.kind() {
            Kind::String if value.chars() <= SHORT_STRING => (value.json()?.into_owned(), true),
            Kind::Array | Kind::Object if value.len() == 0 => (value.json()?.into_owned(), true),
            Kind::Null | Kind::Bool => (value.json()?.into_owned(), true),
            Kind::Number if size(value) <= LONG_NUMBER => (value.json()?.into_owned(), true),
            _ => (stand_in(value)?, false),
        };
        let text = format!("{key}:{shown}");
        let tokens = measure.count(&text) + 1;
        Ok(Self { text, tokens, whole })
    }
}

/// The placeholder of a value that does not fit, as a JSON string.
fn stand_in<S: Source>(value: &S) -> Result<String, Error> {
    Ok(match value.kind() {
        Kind::Array => format!("\"[Array({})]\"", value.len()),
        Kind::Object => {
            let entries = value.entries_where(&mut |at, _| at <= NAMED_KEYS)?;
            let mut names: Vec<String> = entries.iter().take(NAMED_KEYS).map(|(key, _)| short_key(key)).collect();
            if entries.len() > NAMED_KEYS {
                names.push("...".to_owned());
            }
            format!("\"{{Object: {}}}\"", names.join(", "))
        }
        Kind::String => "\"…\"".to_owned(),
        _ => format!("\"[Number({} digits)]\"", size(value)),
    })
}

/// A key as a literal without quotes, cut if it is long.
pub(crate) fn short_key(key: &str) -> String {
    json_string::clipped(Quoted::new(key).literal(), NAMED_KEY_CHARS).into_owned()
}

fn size<S: Source>(value: &S) -> usize {
    match value.kind() {
        Kind::String => value.chars(),
        Kind::Array | Kind::Object => value.len(),
        _ => value.json().map_or(0, |json| json.len()),
    }
}

/// The pointer to an entry of the object at `base`; `key` has its quotes.
pub(crate) fn child_pointer(base: &str, key: &str) -> String {
    format!("{base}/{}", json_pointer::escape(&Quoted::new(key).text()))
}
