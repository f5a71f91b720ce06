//! Whether rows are only one page of what the tool has: what is next to the list of an envelope says so.
//!
//! A name says something about pages if all of its words are words of pages, or of the list: `hasMore`, `next_page_token`,
//! `totalIssues`. Its value then counts as evidence: a flag of more, the way to the next page, or a number above the rows
//! that came. A field of that name in a row says nothing, because it is not beside the list.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::value::source::{Entry, Kind, Source};

/// The most members of an object beside the list that are read, and how deeply.
const MOST_MEMBERS: usize = 24;
const LEVELS: usize = 3;
/// The most characters of a text that are read, and the least of a text that can only be a token.
const READ_CHARS: usize = 512;
const TOKEN_CHARS: usize = 12;

/// Words that say what is paged, and add nothing.
const THINGS: &[&str] = &[
    "available",
    "data",
    "documents",
    "elements",
    "entries",
    "has",
    "hits",
    "is",
    "items",
    "list",
    "matches",
    "objects",
    "odata",
    "of",
    "output",
    "page",
    "pages",
    "record",
    "records",
    "response",
    "result",
    "results",
    "rows",
    "search",
    "there",
    "are",
];
/// Words of a flag that is set where there is more, and of one that is set where there is no more.
const MORE: &[&str] = &["exceeded", "incomplete", "more", "next", "partial", "reached", "truncated"];
const MORE_OF: &[&str] = &["limit", "transfer"];
const END: &[&str] = &["end", "final", "last"];
/// Words of the way to the next page: those that suffice, those that need another one, and what they are of.
const NEXT: &[&str] = &["continuation", "continue", "cursor", "evaluated", "next", "resumption"];
const WAYS: &[&str] = &[
    "after", "batch", "end", "href", "id", "index", "info", "key", "last", "link", "links", "marker", "offset", "path",
    "query", "start", "token", "uri", "url",
];
/// Words of a way that is not a way forward.
const BACK: &[&str] = &["before", "current", "first", "prev", "previous", "self"];
/// Words of members that hold what is about pages.
const HOLDERS: &[&str] =
    &["cursor", "cursors", "link", "links", "meta", "metadata", "page", "pagination", "pager", "pages", "paging"];
/// Words of a number of all rows: those that suffice, and those that go with them.
const ALL: &[&str] = &["count", "found", "total"];
const ALL_OF: &[&str] = &["all", "nb", "num", "number", "value"];
/// Words of numbers that may are next to a bare total: the total of an invoice has others.
const BESIDE: &[&str] = &[
    "at", "code", "count", "duration", "elapsed", "from", "limit", "max", "ms", "number", "offset", "page", "pages",
    "per", "seconds", "size", "skip", "start", "status", "time", "took", "total", "version",
];
/// Words of a place in all rows, of a number of a page, and of an argument that takes a token.
const OFFSETS: &[&str] = &["from", "offset", "skip", "start"];
const TOKENS: &[&str] = &["after", "continuation", "cursor", "marker", "token"];

/// One object on the path to a list, without the member that continues.
pub(crate) struct OwnLevel<'a, S> {
    pub pointer: &'a str,
    pub beside: Vec<&'a Entry<S>>,
    /// The key that continues, as a JSON string or as text.
    pub key: &'a str,
}

/// That rows are one page of what the tool has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnPage {
    /// How many rows the tool has, if it says so.
    pub total: Option<u64>,
    /// Ways to the next page, the surest first.
    ways: Vec<Way>,
    /// The number of the next page, and of the first row after those that came, if there can be one.
    next_page: Option<u64>,
    next_row: Option<u64>,
}

/// A value that leads to the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    pointer: String,
    words: Vec<String>,
    number: Option<u64>,
}

/// What an argument of the tool takes for the next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextValue<'a> {
    Number(u64),
    /// What is at a JSON Pointer.
    At(&'a str),
}

impl OwnPage {
    /// What the members beside a list of `rows` rows say; `None` if they do not say that it is a part.
    ///
    /// # Errors
    /// Whatever reading them reports.
    pub fn read<S: Source>(levels: &[OwnLevel<'_, S>], rows: usize) -> Result<Option<Self>, Error> {
        let mut facts = Facts { list: Vec::new(), found: Vec::new() };
        for level in levels {
            facts.list.extend(words(level.key));
        }
        for level in levels {
            for (key, value) in &level.beside {
                let name = Quoted::new(key).text();
                let pointer = format!("{}/{}", level.pointer, json_pointer::escape(&name));
                facts.add(value, &Place { name: &name, pointer, within: level.pointer, holders: &[], depth: 0 })?;
            }
        }
        Ok(facts.judge(rows as u64))
    }

    /// What the head of an HTTP response says that comes before data in a text: a `Link` with `rel="next"`.
    pub fn of_head(head: &str) -> Option<Self> {
        let is_next = |line: &str| {
            let (name, links) = line.split_once(':')?;
            let is_link = name.trim_start_matches(['<', '>', ' ']).eq_ignore_ascii_case("link");
            let next = links.contains("rel=\"next\"") || links.contains("rel=next");
            (is_link && next).then_some(())
        };
        head.lines().take(MOST_MEMBERS * 4).find_map(is_next).map(|()| Self::default())
    }

    /// JSON Pointer to what leads to the next page.
    pub fn next(&self) -> Option<&str> {
        self.ways.first().map(|way| &*way.pointer)
    }

    /// The argument among `names` that takes the next page, and what it takes.
    pub fn argument<'a>(&'a self, names: &'a [String]) -> Option<(&'a str, NextValue<'a>)> {
        let mut best: Option<(usize, &str, NextValue<'_>)> = None;
        for name in names {
            let of_name = words(name);
            let mut offer = |rank: usize, value: NextValue<'a>| {
                if best.is_none_or(|(known, ..)| rank > known) {
                    best = Some((rank, name, value));
                }
            };
            for way in &self.ways {
                let forward = |word: &&String| !["next", "end", "last"].contains(&word.as_str());
                let bare: Vec<&String> = way.words.iter().filter(forward).collect();
                let value = way.number.map_or(NextValue::At(&way.pointer), NextValue::Number);
                if of_name == way.words {
                    offer(5, value);
                } else if of_name.iter().eq(bare.iter().copied()) {
                    offer(4, value);
                } else if way.number.is_none()
                    && has(&of_name, TOKENS)
                    && !has(&of_name, BACK)
                    && has(&way.words, &["after", "continuation", "continue", "cursor", "evaluated", "marker", "token"])
                {
                    offer(3, value);
                }
            }
            if let Some(page) =
                self.next_page.filter(|_| of_name.iter().all(|word| ["number", "page"].contains(&&**word)))
            {
                offer(2, NextValue::Number(page));
            }
            if let Some(row) = self.next_row.filter(|_| has(&of_name, OFFSETS) && of_name.len() <= 2) {
                offer(1, NextValue::Number(row));
            }
        }
        best.map(|(_, name, value)| (name, value))
    }
}

/// Whether an argument of this name may take a page.
pub(crate) fn may_take_page(name: &str) -> bool {
    let words = words(name);
    let size = ["per", "size", "limit"];
    (has(&words, TOKENS) || has(&words, OFFSETS) || has(&words, &["page", "next"]))
        && !has(&words, &size)
        && words.len() <= 4
}

/// Where a value is.
struct Place<'a> {
    name: &'a str,
    pointer: String,
    within: &'a str,
    holders: &'a [String],
    /// Objects beside the list that it is in.
    depth: usize,
}

/// A value beside the list.
struct Fact {
    words: Vec<String>,
    /// Words of the objects that it is in, beside the list.
    holders: Vec<String>,
    pointer: String,
    /// The object that it is in.
    within: String,
    value: Scalar,
}

enum Scalar {
    Flag(bool),
    Number(Option<u64>),
    Text {
        start: String,
        is_long: bool,
    },
    /// A list or an object that is not empty.
    Container,
}

struct Facts {
    /// The words of the keys on the path to the list.
    list: Vec<String>,
    found: Vec<Fact>,
}

impl Facts {
    fn add<S: Source>(&mut self, value: &S, place: &Place<'_>) -> Result<(), Error> {
        let words = words(place.name);
        let scalar = match value.kind() {
            Kind::Null => return Ok(()),
            Kind::Bool => Scalar::Flag(value.json()? == "true"),
            Kind::Number => Scalar::Number(value.json_up_to(READ_CHARS)?.and_then(|json| json.parse().ok())),
            Kind::String => Scalar::Text { start: value.slice(0, READ_CHARS)?, is_long: value.chars() > READ_CHARS },
            Kind::Array | Kind::Object if value.len() == 0 => return Ok(()),
            Kind::Array => {
                self.add_links(value, &place.pointer)?;
                Scalar::Container
            }
            Kind::Object => {
                self.add_members(value, place, &words)?;
                Scalar::Container
            }
        };
        let (holders, pointer, within) = (place.holders.to_vec(), place.pointer.clone(), place.within.to_owned());
        self.found.push(Fact { words, holders, pointer, within, value: scalar });
        Ok(())
    }

    fn add_members<S: Source>(&mut self, object: &S, place: &Place<'_>, words: &[String]) -> Result<(), Error> {
        if place.depth + 1 >= LEVELS || object.len() > MOST_MEMBERS {
            return Ok(());
        }
        let holders = [place.holders, words].concat();
        for (key, member) in object.entries()? {
            let name = Quoted::new(&key).text();
            let pointer = format!("{}/{}", place.pointer, json_pointer::escape(&name));
            let inside =
                Place { name: &name, pointer, within: &place.pointer, holders: &holders, depth: place.depth + 1 };
            self.add(&member, &inside)?;
        }
        Ok(())
    }

    /// A list of links, as of FHIR and HATEOAS: `[{"rel":"next","href":"…"}]`.
    fn add_links<S: Source>(&mut self, list: &S, pointer: &str) -> Result<(), Error> {
        if list.len() > MOST_MEMBERS {
            return Ok(());
        }
        for (at, item) in list.items(0, MOST_MEMBERS)?.iter().enumerate() {
            if item.kind() != Kind::Object || item.len() > MOST_MEMBERS {
                continue;
            }
            let members = item.entries()?;
            let is_relation = |(key, value): &Entry<S>| {
                matches!(&*Quoted::new(key).text(), "rel" | "relation")
                    && value.json_up_to(READ_CHARS).is_ok_and(|json| json.as_deref() == Some("\"next\""))
            };
            if members.iter().any(is_relation) {
                let way =
                    members.iter().find(|(key, _)| has(&words(&Quoted::new(key).text()), &["href", "uri", "url"]));
                let Some((key, value)) = way else { continue };
                let name = Quoted::new(key).text();
                let pointer = format!("{pointer}/{at}/{}", json_pointer::escape(&name));
                let value = Scalar::Text { start: value.slice(0, READ_CHARS)?, is_long: false };
                let words = vec!["next".to_owned(), "link".to_owned()];
                self.found.push(Fact { words, holders: Vec::new(), pointer, within: String::new(), value });
            }
        }
        Ok(())
    }

    /// Whether each word is of one of these lists, of things that are paged, or of the list's name.
    fn only(&self, words: &[String], lists: &[&[&str]]) -> bool {
        let known = |word: &String| {
            THINGS.contains(&&**word) || lists.iter().any(|list| list.contains(&&**word)) || self.list.contains(word)
        };
        words.iter().all(known)
    }

    fn judge(&self, rows: u64) -> Option<OwnPage> {
        let (mut says_more, mut says_end, mut is_sure, mut ways) = (false, false, false, Vec::new());
        let (mut total, mut is_all) = (None, false);
        for fact in &self.found {
            let words = &fact.words;
            match &fact.value {
                Scalar::Flag(flag) if has(words, MORE) && self.only(words, &[MORE, MORE_OF]) => {
                    says_more |= flag;
                    says_end |= !flag && !has(words, &["incomplete", "partial"]);
                }
                Scalar::Flag(flag) if has(words, END) && self.only(words, &[END]) => {
                    says_more |= !flag;
                    says_end |= flag;
                }
                Scalar::Flag(_) => {}
                value => {
                    if let Some(is_evidence) = self.is_way(fact) {
                        is_sure |= is_evidence;
                        let number = if let Scalar::Number(number) = value { *number } else { None };
                        let way = Way { pointer: fact.pointer.clone(), words: words.clone(), number };
                        ways.push((is_evidence, way));
                    } else if let Some(count) = self.count(fact) {
                        total = total.max(Some(count));
                        is_all |= count == rows && has(words, &["total"]);
                    }
                }
            }
        }
        ways.sort_by_key(|(is_evidence, _)| !is_evidence);
        let offset = self.place(OFFSETS);
        let page = self.page();
        let before = offset.unwrap_or(0);
        // A flag that there is no more outweighs a number of something else, unless there are rows before these.
        let is_above = total.is_some_and(|total| total > rows)
            && (!says_end || before > 0 || page.is_some_and(|(page, _)| page > 1));
        let is_page = page.is_some_and(|(_, pages)| pages > 1);
        if !(says_more || is_above || is_page || is_sure && !says_end && !is_all) {
            return None;
        }
        let total = total.filter(|&total| total > rows);
        let is_last = says_end || offset.zip(total).is_some_and(|(offset, total)| offset + rows >= total);
        let next_page = page.filter(|&(page, pages)| page < pages || pages == 0).map(|(page, _)| page + 1);
        let mut ways: Vec<Way> = ways.into_iter().map(|(_, way)| way).collect();
        if is_last {
            ways.clear();
        }
        let next_row = total.filter(|_| !is_last).map(|_| before + rows);
        Some(OwnPage { total, ways, next_page: next_page.filter(|_| !is_last), next_row })
    }

    /// Whether a value leads to the next page, and if so whether it is there only where there is one.
    fn is_way(&self, fact: &Fact) -> Option<bool> {
        let Fact { words, holders, value, .. } = fact;
        if has(words, BACK) || has(holders, BACK) || has(words, &["start"]) && has(words, &["cursor"]) {
            return None;
        }
        let is_held = holders.iter().all(|word| self.only(std::slice::from_ref(word), &[HOLDERS, NEXT, WAYS]));
        if !is_held || !self.only(words, &[NEXT, WAYS]) {
            return None;
        }
        let (is_token, is_some) = match value {
            Scalar::Text { start, is_long } => {
                let is_way = start.contains(['/', '?', '=', '&'])
                    || !start.contains(' ') && start.chars().count() >= TOKEN_CHARS;
                (*is_long || is_way, !start.is_empty() && start != "0")
            }
            Scalar::Number(number) => (true, number.is_some_and(|number| number > 0)),
            Scalar::Container => (true, has(words, &["continue", "evaluated", "after"])),
            Scalar::Flag(_) => return None,
        };
        let is_pages = has(holders, HOLDERS) || words.len() > 1;
        let is_next = has(words, &["next", "continuation", "continue", "resumption"]) || has(holders, &["next"]);
        let is_next = is_next && (is_pages || is_token || has(words, &["continuation", "continue", "resumption"]));
        let is_number = matches!(value, Scalar::Number(_));
        let is_other = has(words, &["evaluated"])
            || !is_number && has(words, &["page"]) && has(words, &["token"])
            || words.len() == 1 && words[0] == "cursor" && !is_number
            || words.len() == 1
                && words[0] == "offset"
                && matches!(value, Scalar::Text { start, .. } if start.parse::<u64>().is_err());
        let is_weak = has(words, &["after", "cursor"]) || has(words, &["page"]) && has(words, &["info"]);
        match (is_some, is_next || is_other, is_weak && !is_number) {
            (true, true, _) => Some(true),
            (true, false, true) => Some(false),
            _ => None,
        }
    }

    /// The number of all rows, if a value is that.
    fn count(&self, fact: &Fact) -> Option<u64> {
        let mut all: Vec<String> = fact.words.clone();
        if fact.words == ["value"] {
            all.splice(..0, fact.holders.last().cloned());
        }
        let is_count = has(&all, ALL) || has(&all, &["nb", "num"]) && has(&all, &["hits", "results", "found"]);
        if !is_count || has(&all, &["page", "pages", "size"]) || !self.only(&all, &[ALL, ALL_OF]) {
            return None;
        }
        let number = match &fact.value {
            Scalar::Number(number) => (*number)?,
            Scalar::Text { start, .. } => start.parse().ok()?,
            _ => return None,
        };
        // A total that does not say of what may be a sum of money, or of something else.
        let is_bare = all.iter().all(|word| ["count", "total"].contains(&&**word));
        let is_foreign = |other: &Fact| {
            other.within == fact.within
                && matches!(other.value, Scalar::Number(_))
                && !other.words.iter().any(|word| BESIDE.contains(&&**word))
                && self.is_way(other).is_none()
                && !(has(&other.words, ALL) && self.only(&other.words, &[ALL, ALL_OF]))
        };
        (!is_bare || !self.found.iter().any(is_foreign)).then_some(number)
    }

    /// A number whose name says a place in all rows.
    fn place(&self, names: &[&str]) -> Option<u64> {
        self.found.iter().find_map(|fact| match fact.value {
            Scalar::Number(number) if has(&fact.words, names) && self.only(&fact.words, &[names, &["at", "index"]]) => {
                number
            }
            _ => None,
        })
    }

    /// The number of the page and of all pages; 0 for a number that is not known.
    fn page(&self) -> Option<(u64, u64)> {
        let number = |is_it: &dyn Fn(&[String]) -> bool| {
            self.found.iter().find_map(|fact| match fact.value {
                Scalar::Number(number) if is_it(&fact.words) => number.map(|number| (number, &fact.within)),
                _ => None,
            })
        };
        let all_of = |words: &[String], known: &[&str]| words.iter().all(|word| known.contains(&&**word));
        let current = number(&|words| {
            all_of(words, &["current", "index", "no", "number", "page"])
                && (has(words, &["page"]) || words == ["number"])
        });
        let pages = number(&|words| {
            let counts = has(words, &["pages"]) || has(words, &["page"]) && has(words, &["count", "last", "total"]);
            counts && all_of(words, &["count", "last", "max", "nb", "num", "number", "of", "page", "pages", "total"])
        });
        match (current, pages) {
            (Some((page, at)), Some((pages, beside))) if at == beside => Some((page, pages)),
            (Some((page, _)), None) => Some((page, 0)),
            _ => None,
        }
    }
}

fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&&**word))
}

/// The words of a name, in small letters: `nextPage_token` has three.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for character in name.chars().take(READ_CHARS) {
        let is_new = character.is_uppercase() && before.is_lowercase();
        if (is_new || !character.is_alphanumeric()) && !out.last().is_some_and(String::is_empty) {
            out.push(String::new());
        }
        if character.is_alphanumeric() {
            out.last_mut().expect("it has one").extend(character.to_lowercase());
        }
        before = character;
    }
    out.retain(|word| !word.is_empty());
    out
}
