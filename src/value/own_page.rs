//! Whether rows are only one page of what the tool has: what is next to the list of an envelope says so.
//!
//! Three things are evidence, each by what a name means and by what its value is:
//! - a flag, whose name has a word of more or of an end, and otherwise words of pages or of the list: `hasMore`, `isLast`;
//! - a way to the next page, which is a link, an opaque text or a number, under a name of what comes next: `next_page_token`;
//! - a number above the rows that came, whose name counts: `totalIssues`. Numbers in the same object explain it (`pages` is as many
//!   pages as it makes, `limit` is the rows that came) or deny it: the `total` of an invoice is beside its `tax`.
//!
//! Words may say so too, in a text beside the list or around rows in a text (`stated.rs`). A field of such a name in a row says
//! nothing, because it is not beside the list.

mod stated;

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::value::source::{Entry, Kind, Source};

use stated::{Stated, stated};

/// The most members of an object beside the list that are read, and how deeply.
const MOST_MEMBERS: usize = 24;
const LEVELS: usize = 3;
/// The most lines around rows that are read.
const MOST_LINES: usize = 96;
/// The most characters of a text that are read, and the least bytes of a token that nothing else calls one.
const READ_CHARS: usize = 512;
const TOKEN_BYTES: usize = 8;

/// What words of names mean where they are about pages.
mod means {
    /// What is paged, what holds facts about pages, and words that add nothing.
    pub const THING: &str = "are available by collection data document element entries entry has header in info is \
        item list match matches meta metadata object odata of output pager pagination paging record response result row \
        search summary there transfer";
    /// That there is more, and that a limit was met.
    pub const MORE: &str = "additional incomplete more next partial truncated";
    pub const MET: &str = "exceeded hit reached";
    pub const END: &str = "end final last";
    /// The way forward, and the ways back, or to what changes later.
    pub const NEXT: &str = "continuation continue evaluated next resumption";
    pub const BACK: &str = "backward before current delta first prev previous self sync";
    /// What a way is: an opaque text, or a link.
    pub const TOKEN: &str = "after batch continuation cursor key mark marker token";
    pub const LINK: &str = "href id link path query uri url";
    /// A row's place in all rows, and the number of a page.
    pub const PLACE: &str = "from offset skip start";
    pub const PAGE: &str = "index page";
    /// What an argument takes that leads to the next page.
    pub const TAKEN: &str = "after continuation cursor marker token";
    /// What such an argument takes.
    pub const OPAQUE: &str = "after batch continuation continue cursor evaluated mark marker token";
    /// How many rows a page may have, or has.
    pub const SIZE: &str = "len length limit max per returned size";
    /// How many there are.
    pub const COUNT: &str = "count found hit matched nb num remaining total";
    pub const COUNTED: &str = "all at number out to value";
    /// Facts about the answer and not about the data.
    pub const ANSWER: &str = "code duration elapsed ms second status time took version";
    /// All of them that names about pages may have.
    pub const ALL: &[&str] = &[THING, MORE, MET, END, NEXT, BACK, TOKEN, LINK, PLACE, PAGE, SIZE, COUNT, COUNTED];
}

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
    /// Empty for what is in a text.
    pointer: String,
    /// Names, and what an argument of such a name takes: of the value, or of each part of a link's query.
    leads: Vec<(Vec<String>, Lead)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Lead {
    Number(u64),
    Text(String),
    /// The value itself.
    Value,
}

/// What an argument of the tool takes for the next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextValue<'a> {
    Number(u64),
    Text(&'a str),
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
                // Items of a short list have no names.
                let name = if level.key.is_empty() { "" } else { &*name };
                facts.add(value, &Place { name, pointer, within: level.pointer, holders: &[], depth: 0 })?;
            }
        }
        Ok(facts.judge(rows as u64))
    }

    /// Whether nothing but a number says so.
    pub fn is_of_total_alone(&self) -> bool {
        self.total.is_some() && self.ways.is_empty() && self.next_page.is_none()
    }

    /// What the text before and behind `rows` rows says: headers of an HTTP response, sentences.
    pub fn of_text(around: [&str; 2], rows: usize) -> Option<Self> {
        let mut facts = Facts { list: Vec::new(), found: Vec::new() };
        for line in around.iter().flat_map(|text| text.lines()).take(MOST_LINES) {
            let start: String = line.trim_start_matches(['<', '>', ' ']).chars().take(READ_CHARS).collect();
            let header = start.split_once(':').map(|(name, value)| (words(name), value.trim()));
            // A sum has a name as short as that of all rows.
            let is_named = |words: &Vec<String>| words.len() > 1 || words == &["link"] || start.starts_with(['x', 'X']);
            let (words, text) = header.filter(|(words, _)| is_named(words)).unwrap_or((Vec::new(), &start));
            let value = match (text.parse(), text) {
                (Ok(number), _) => Scalar::Number(Some(number)),
                (_, "true" | "false") => Scalar::Flag(text == "true"),
                _ => Scalar::Text { start: text.to_owned(), is_long: false },
            };
            facts.push(Fact { words, holders: Vec::new(), pointer: String::new(), within: String::new(), value });
        }
        facts.judge(rows as u64)
    }

    /// JSON Pointer to what leads to the next page.
    pub fn next(&self) -> Option<&str> {
        self.ways.first().map(|way| &*way.pointer).filter(|pointer| !pointer.is_empty())
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
            let leads = self.ways.iter().flat_map(|way| way.leads.iter().map(move |lead| (way, lead)));
            for (way, (words, lead)) in leads {
                let forward = |word: &&String| !["next", "end", "last"].contains(&word.as_str());
                let bare: Vec<&String> = words.iter().filter(forward).collect();
                let (value, is_number) = match lead {
                    Lead::Number(number) => (NextValue::Number(*number), true),
                    Lead::Text(text) => (NextValue::Text(text), false),
                    Lead::Value => (NextValue::At(&way.pointer), false),
                };
                if of_name == *words {
                    offer(5, value);
                } else if of_name.iter().eq(bare.iter().copied()) || is_number && is_page(&of_name) && is_page(words) {
                    offer(4, value);
                } else if !is_number
                    && has(&of_name, means::TAKEN)
                    && !has(&of_name, means::BACK)
                    && has(words, means::OPAQUE)
                {
                    offer(3, value);
                }
            }
            if let Some(page) = self.next_page.filter(|_| is_page(&of_name)) {
                offer(2, NextValue::Number(page));
            }
            if let Some(row) = self.next_row.filter(|_| has(&of_name, means::PLACE) && of_name.len() <= 2) {
                offer(1, NextValue::Number(row));
            }
        }
        best.map(|(_, name, value)| (name, value))
    }
}

/// Whether a name is that of a page's number.
fn is_page(words: &[String]) -> bool {
    words.iter().all(|word| ["number", "page"].contains(&&**word))
}

/// What arguments take by the query of a link.
fn leads(link: &str) -> Vec<(Vec<String>, Lead)> {
    let query = link.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let lead = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (decoded(name), decoded(value));
        let lead = value.parse().map_or(Lead::Text(value), Lead::Number);
        may_take_page(&name).then(|| (words(&name), lead))
    };
    query.split('&').filter_map(lead).collect()
}

/// A part of a query as it is meant: `%5B` is a bracket.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = &more[if byte.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The link to the next page in a header `Link`.
fn next_link(header: &str) -> Option<&str> {
    // In JSON its quotes are escaped.
    let is_next = |link: &&str| link.replace(['\\', '"'], "").contains("rel=next");
    header.split('<').skip(1).find(is_next)?.split('>').next()
}

/// Whether an argument of this name may take a page.
pub(crate) fn may_take_page(name: &str) -> bool {
    let words = words(name);
    let takes = [means::TAKEN, means::PLACE, "page next"];
    takes.iter().any(|list| has(&words, list)) && !has(&words, means::SIZE) && words.len() <= 4
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
    Null,
    Flag(bool),
    Number(Option<u64>),
    Text {
        start: String,
        is_long: bool,
    },
    /// A list or an object that is not empty.
    Container,
}

impl Scalar {
    /// A number, which some write as a text.
    fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => *number,
            Self::Text { start, .. } => start.parse().ok(),
            _ => None,
        }
    }
}

impl Fact {
    fn is_null(&self, name: &str) -> bool {
        matches!(self.value, Scalar::Null) && self.words == [name]
    }
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
            Kind::Null => Scalar::Null,
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
        self.push(Fact { words, holders, pointer, within, value: scalar });
        Ok(())
    }

    fn push(&mut self, mut fact: Fact) {
        if let Scalar::Text { start, is_long: false } = &mut fact.value
            && let Some(link) = next_link(start)
        {
            (*start, fact.words) = (link.to_owned(), vec!["next".to_owned(), "link".to_owned()]);
        }
        self.found.push(fact);
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
                let way = members.iter().find(|(key, _)| has(&words(&Quoted::new(key).text()), "href uri url"));
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

    /// Whether a word is one about pages, or of the list's name.
    fn is_known(&self, word: &str) -> bool {
        means::ALL.iter().any(|list| means(word, list)) || self.list.iter().any(|of_list| of_list == word)
    }

    /// Whether a word is of the list's name, or is one of what that is many of.
    fn is_of_list(&self, word: &str) -> bool {
        self.list.iter().any(|of_list| singular(of_list) == singular(word))
    }

    fn are_known(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.is_known(word))
    }

    fn judge(&self, rows: u64) -> Option<OwnPage> {
        let said = self.found.iter().find_map(|fact| match &fact.value {
            Scalar::Text { start, .. } => stated(start, rows),
            _ => None,
        });
        let (mut says_more, mut says_end, mut is_sure, mut ways) = (false, false, false, Vec::new());
        let (mut total, mut likely, mut is_all) = (None, None, false);
        let offset = self.place().or(if let Some(Stated::Total(_, before)) = said { before } else { None });
        let before = offset.unwrap_or(0);
        for fact in &self.found {
            let words = &fact.words;
            match &fact.value {
                Scalar::Flag(flag) => match self.more(words) {
                    Some(is_more) if is_more == *flag => says_more = true,
                    Some(_) => says_end |= !has(words, "incomplete partial"),
                    None => {}
                },
                // Some write 1 for true.
                Scalar::Number(Some(1)) if has(words, "additional more") && self.are_known(words) => says_more = true,
                value => {
                    if let Some(is_evidence) = self.is_way(fact) {
                        is_sure |= is_evidence;
                        let mut leads =
                            if let Scalar::Text { start, is_long: false } = value { leads(start) } else { Vec::new() };
                        let lead = match value {
                            Scalar::Number(Some(number)) => Lead::Number(*number),
                            Scalar::Text { start, .. } if fact.pointer.is_empty() => Lead::Text(start.clone()),
                            _ => Lead::Value,
                        };
                        leads.push((words.clone(), lead));
                        ways.push((is_evidence, Way { pointer: fact.pointer.clone(), leads }));
                    } else if let Some((count, is_certain)) = self.count(fact, before, rows) {
                        let kept = if is_certain { &mut total } else { &mut likely };
                        *kept = (*kept).max(Some(count));
                        is_all |= count == rows && has(words, "total");
                    }
                }
            }
        }
        ways.sort_by_key(|(is_evidence, _)| !is_evidence);
        let mut page = self.page();
        match said {
            Some(Stated::Total(all, _)) => total = Some(all),
            Some(Stated::More(more)) => total = Some(before + rows + more),
            Some(Stated::Page(number, pages)) => page = page.or(Some((number, pages))),
            None => {}
        }
        // A flag that there is no more outweighs a number of something else, unless there are rows before these.
        let is_above = total.is_some_and(|total| total > rows)
            && (!says_end || before > 0 || page.is_some_and(|(page, _)| page > 1));
        let is_page = page.is_some_and(|(_, pages)| pages > 1);
        if !(says_more || is_above || is_page || is_sure && !says_end && !is_all) {
            return None;
        }
        let total = total.or(likely).filter(|&total| total > rows);
        let is_last = says_end || offset.zip(total).is_some_and(|(offset, total)| offset + rows >= total);
        let next_page = page.filter(|&(page, pages)| page < pages || pages == 0).map(|(page, _)| page + 1);
        let mut ways: Vec<Way> = ways.into_iter().map(|(_, way)| way).collect();
        if is_last {
            ways.clear();
        }
        let next_row = total.filter(|_| !is_last).map(|_| before + rows);
        Some(OwnPage { total, ways, next_page: next_page.filter(|_| !is_last), next_row })
    }

    /// The value of a flag that says that there is more.
    fn more(&self, words: &[String]) -> Option<bool> {
        if !self.are_known(words) {
            None
        } else if has(words, means::MORE) || has(words, means::MET) && has(words, means::SIZE) {
            Some(true)
        } else {
            has(words, means::END).then_some(false)
        }
    }

    /// Whether a value leads to the next page, and if so whether it is there only where there is one.
    fn is_way(&self, fact: &Fact) -> Option<bool> {
        let Fact { words, holders, value, .. } = fact;
        if has(words, means::BACK) || has(holders, means::BACK) || has(words, "start") && has(words, "cursor") {
            return None;
        }
        let is_token_name = has(words, means::NEXT) && has(words, means::TOKEN);
        // `more_topics_url` is a way, `more_info_url` is none.
        let is_more = has(words, "more") && words.iter().any(|word| self.list.contains(word));
        let is_about = |word: &String| self.is_known(word) && !has(std::slice::from_ref(word), means::COUNT);
        if !self.are_known(holders) || !is_token_name && (!words.iter().all(is_about) || words.is_empty()) {
            return None;
        }
        let (is_token, is_some) = match value {
            Scalar::Text { start, is_long } => (*is_long || is_opaque(start), !start.is_empty() && start != "0"),
            Scalar::Number(number) => (true, number.is_some_and(|number| number > 0)),
            Scalar::Container => (true, has(words, "continue evaluated after")),
            Scalar::Null | Scalar::Flag(_) => return None,
        };
        let is_pages = !holders.is_empty() || words.len() > 1;
        let is_next = has(words, means::NEXT) || has(holders, "next") || is_more;
        let is_next = is_next && (is_pages || is_token);
        let is_number = matches!(value, Scalar::Number(_));
        let is_sole = |name: &str| words.len() == 1 && words[0] == name && is_token;
        let is_other = !is_number
            && (has(words, "page") && has(words, "token")
                || is_sole("cursor")
                || is_sole("offset") && matches!(value, Scalar::Text { start, .. } if start.parse::<u64>().is_err())
                || words == &["after"] && self.beside(fact).any(|other| other.is_null("before")));
        let is_weak = has(words, "after cursor") || has(words, "page") && has(words, "info");
        match (is_some, is_next || is_other, is_weak && !is_number) {
            (true, true, _) => Some(true),
            (true, false, true) => Some(false),
            _ => None,
        }
    }

    /// The others in the same object.
    fn beside<'f>(&'f self, fact: &'f Fact) -> impl Iterator<Item = &'f Fact> {
        self.found.iter().filter(move |other| other.within == fact.within && other.pointer != fact.pointer)
    }

    /// The number of all rows, if a value is that, and whether it is even where nothing else says that there are more.
    fn count(&self, fact: &Fact, before: u64, rows: u64) -> Option<(u64, bool)> {
        let number = fact.value.number()?;
        let mut name: Vec<String> = fact.words.clone();
        if fact.words == ["value"] {
            name.splice(..0, fact.holders.last().cloned());
        }
        // Rows are counted, and not pages, tokens or links.
        let of_rows = [means::THING, means::MET, means::SIZE, means::COUNT, means::COUNTED];
        let is_of_rows = |word: &String| of_rows.iter().any(|list| means(word, list)) || self.is_of_list(word);
        let are_rows = name.iter().all(is_of_rows);
        if name.is_empty() || has(&name, means::PAGE) || !are_rows && !has(&name, "total") {
            return None;
        }
        let numbers = || self.beside(fact).filter_map(|other| Some((other, other.value.number()?)));
        // As many pages as the number makes; a number of rows that came.
        let pages = number.div_ceil(rows.max(1));
        let makes_pages =
            |(other, of_pages): (&Fact, u64)| number > rows && of_pages == pages && has(&other.words, means::PAGE);
        let is_divided = numbers().any(makes_pages)
            || number > rows && has(&name, means::COUNT) && numbers().any(|(_, other)| pages > 2 && other == pages);
        if is_divided {
            return Some((number, true));
        }
        if !are_rows {
            return None;
        }
        let came = |is_of: &dyn Fn(&Fact) -> bool| {
            let is_other = |other: &Fact| has(&other.words, means::PLACE) || has(&other.words, means::ANSWER);
            numbers().any(|(other, of_rows)| of_rows == rows && is_of(other) && !is_other(other))
        };
        let counts = has(&name, means::COUNT) && !has(&name, "limit max per");
        let is_sure = if counts {
            came(&|other| other.words.iter().any(|word| self.is_known(word)))
        } else if name == ["size"] {
            came(&|other| has(&other.words, means::PAGE) || has(&other.words, means::SIZE))
        } else {
            has(&name, "of") && came(&|_| true)
        };
        if is_sure {
            return Some((number, true));
        }
        if !counts || !self.are_known(&fact.holders) {
            return None;
        }
        // A total that does not say of what may be a sum of money, or of something else.
        let is_bare = name.iter().all(|word| has(std::slice::from_ref(word), "count hit remaining total"));
        let is_foreign = |other: &Fact| {
            let about = [means::ANSWER, means::COUNT, means::PLACE, means::PAGE, means::SIZE];
            matches!(other.value, Scalar::Number(_))
                && !about.iter().any(|list| has(&other.words, list))
                && self.is_way(other).is_none()
        };
        if is_bare && self.beside(fact).any(is_foreign) {
            return None;
        }
        Some(match has(&name, "remaining") {
            true => (before.saturating_add(rows).saturating_add(number), number > 0),
            false => (number, !has(&name, means::SIZE)),
        })
    }

    /// The place of the first row in all rows.
    fn place(&self) -> Option<u64> {
        let is_place = |words: &[String]| {
            words.iter().all(|word| has(std::slice::from_ref(word), "at from index offset skip start"))
                && !words.is_empty()
                && words != ["index"]
        };
        self.found.iter().filter(|fact| is_place(&fact.words)).find_map(|fact| match fact.value {
            Scalar::Number(number) => number,
            _ => None,
        })
    }

    /// The number of the page and of all pages; 0 for a number that is not known.
    fn page(&self) -> Option<(u64, u64)> {
        let number = |is_it: &dyn Fn(&[String]) -> bool| {
            let mut of_it = self.found.iter().filter(|fact| is_it(&fact.words));
            of_it.find_map(|fact| Some((fact.value.number()?, &fact.within)))
        };
        let all_of =
            |words: &[String], known: &str| words.iter().all(|word| known.split(' ').any(|known| known == word));
        let current = number(&|words| {
            all_of(words, "current index no number page") && (has(words, "page") || words == ["number"])
        });
        let pages = number(&|words| {
            let is_many = words.iter().any(|word| word == "pages");
            let counts = is_many || has(words, "page") && has(words, "count last total");
            words == ["of"] || counts && all_of(words, "count last max nb num number of page pages total")
        });
        match (current, pages) {
            (Some((page, at)), Some((pages, beside))) if at == beside => Some((page, pages)),
            (Some((page, _)), None) => Some((page, 0)),
            _ => None,
        }
    }
}

fn has(words: &[String], list: &str) -> bool {
    words.iter().any(|word| means(word, list))
}

/// Whether a word, or what it is many of, is one of a list.
fn means(word: &str, list: &str) -> bool {
    let (word, one) = (word.as_bytes(), singular(word).as_bytes());
    list.as_bytes().split(|&byte| byte == b' ').any(|known| known == word || known == one)
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|one| one.len() > 2).unwrap_or(word)
}

/// Whether a text is a link or a token.
fn is_opaque(text: &str) -> bool {
    let is_link = text.contains(['/', '?', '=', '&']);
    let is_mixed = text.bytes().any(|byte| byte.is_ascii_digit()) || text.chars().skip(1).any(char::is_uppercase);
    !text.contains(' ') && (is_link || is_mixed && text.len() >= TOKEN_BYTES)
}

/// The words of a name, in small letters: `nextPage_token` has three.
fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    // What is before a colon is a namespace.
    let name = name.rsplit(':').next().unwrap_or(name);
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
    // Headers outside of standards begin with it.
    if out.len() > 1 && out[0] == "x" {
        out.remove(0);
    }
    out.into_iter().flat_map(|word| divided(&word).unwrap_or_else(|| vec![word])).collect()
}

/// The two words about pages that are written as one: `totalhits`, `nextpage`.
fn divided(word: &str) -> Option<Vec<String>> {
    let is_known = |word: &str| word.len() > 2 && means::ALL.iter().any(|list| means(word, list));
    let is_two = |at: &usize| is_known(&word[..*at]) && is_known(&word[*at..]);
    // These words are of small letters, and numbers are looked up no further.
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || is_known(word) {
        return None;
    }
    let at = word.char_indices().map(|(at, _)| at).find(is_two)?;
    Some(vec![word[..at].to_owned(), word[at..].to_owned()])
}
