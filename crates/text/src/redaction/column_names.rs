//! Secret names that stand apart from their values in JSON: columns and rows, a header row, a name and a value.

use std::collections::{HashMap, HashSet};

use toolshape_json::{skip_space, skip_string, skip_value};

use super::names::{Fields, NAME};
use super::unquoted;

/// Where names are apart from what they name.
pub(super) struct ColumnNames {
    /// By the start of a list, in their order: which of `items` are those of it that are secret.
    lists: Vec<(u32, u32)>,
    /// Items that are secret together. Rows that follow each other have the same.
    items: Vec<Vec<u32>>,
    /// Where the objects begin that have a secret name as a value.
    named: HashSet<usize>,
}

/// The places of secret names in lists of names, in their order once they are sorted.
#[derive(Default)]
struct Places {
    /// Of all lists.
    all: Vec<u32>,
    /// By the names in a list.
    by_length: Vec<(u32, u32)>,
}

impl Places {
    fn add(&mut self, length: u32, at: &[u32]) {
        self.all.extend(at);
        self.by_length.extend(at.iter().map(|at| (length, *at)));
    }

    fn sort(&mut self) {
        self.all.sort_unstable();
        self.all.dedup();
        self.by_length.sort_unstable();
        self.by_length.dedup();
    }
}

/// What the first walk finds.
#[derive(Default)]
struct Found {
    /// By the start of an object that is in no other: the lists of names in it.
    scopes: HashMap<usize, Places>,
    /// By the start of a list of lists: the first of them, if it has names.
    headers: HashMap<usize, Vec<u32>>,
    /// Lists of a name and a value.
    pairs: HashSet<usize>,
    named: HashSet<usize>,
}

#[derive(Default)]
struct Open {
    start: usize,
    is_object: bool,
    items: u32,
    /// Whether all items may be names, and which are secret ones.
    has_others: bool,
    secrets: Vec<u32>,
    lists: Vec<(u32, Vec<u32>)>,
    is_named: bool,
    /// Of the second walk: the object in which lists of names are, and whether a list is around this in it.
    scope: Option<usize>,
    is_in_list: bool,
}

impl ColumnNames {
    /// `None` if the text, which has less than 4 GB, has none.
    pub fn of(json: &str, fields: &Fields) -> Option<Self> {
        if !has_secret_value(json, fields) {
            return None;
        }
        let mut found = Found::default();
        walk(json, &mut |_, _| {}, &mut |open, parents| found.close(open, parents), &mut |open, text| {
            let is_secret = text.len() <= NAME && fields.has(&unquoted(text));
            match open.is_object {
                true => open.is_named |= is_secret,
                false if is_secret => open.secrets.push(open.items - 1),
                false => {}
            }
        });
        if found.scopes.is_empty() && found.headers.is_empty() && found.pairs.is_empty() && found.named.is_empty() {
            return None;
        }
        found.scopes.values_mut().for_each(Places::sort);
        let (mut lists, mut items) = (Vec::new(), Vec::<Vec<u32>>::new());
        let mut secret = Vec::new();
        let enter = &mut |open: &mut Open, parents: &[Open]| {
            let parent = parents.last();
            open.scope = parent
                .and_then(|parent| parent.scope)
                .or(Some(open.start).filter(|start| found.scopes.contains_key(start)));
            open.is_in_list = parent.is_some_and(|parent| parent.is_in_list || !parent.is_object);
        };
        let leave = &mut |open: Open, parents: &mut [Open]| {
            if open.is_object {
                return;
            }
            let parent = parents.last().filter(|parent| !parent.is_object);
            let header = parent.and_then(|parent| found.headers.get(&parent.start));
            // A list has no more secrets than items, however many its header has.
            let is_item = |at: &u32| *at < open.items;
            secret.clear();
            secret.extend(header.into_iter().flatten().copied().take_while(is_item));
            if found.pairs.contains(&open.start) {
                secret.push(1);
            }
            if let Some(places) = open.scope.and_then(|scope| found.scopes.get(&scope)) {
                if parent.is_some() {
                    secret.extend(places.all.iter().copied().take_while(is_item));
                } else if open.is_in_list && open.items > 1 {
                    let first = places.by_length.partition_point(|(length, _)| *length < open.items);
                    let of_length = places.by_length[first..].iter().take_while(|(length, _)| *length == open.items);
                    secret.extend(of_length.map(|(_, at)| *at));
                }
            }
            if !secret.is_empty() {
                secret.sort_unstable();
                if items.last() != Some(&secret) {
                    items.push(secret.clone());
                }
                lists.push((open.start as u32, (items.len() - 1) as u32));
            }
        };
        walk(json, enter, leave, &mut |_, _| {});
        lists.sort_unstable();
        Some(Self { lists, items, named: found.named })
    }

    /// The items that are secret of the list that begins here.
    pub fn of_list(&self, start: usize) -> &[u32] {
        let found = self.lists.binary_search_by_key(&(start as u32), |(start, _)| *start);
        found.map_or(&[], |at| &self.items[self.lists[at].1 as usize])
    }

    /// Whether the object that begins here has a secret name as a value.
    pub fn is_named(&self, start: usize) -> bool {
        self.named.contains(&start)
    }
}

/// Whether a secret name is a value: most JSON has none.
fn has_secret_value(json: &str, fields: &Fields) -> bool {
    let (bytes, mut at) = (json.as_bytes(), 0);
    while let Some(found) = memchr::memchr(b'"', &bytes[at..]) {
        let start = at + found;
        at = skip_string(bytes, start);
        let is_key = || bytes.get(skip_space(bytes, at)) == Some(&b':');
        if at - start <= NAME && fields.has(&unquoted(&json[start..at])) && !is_key() {
            return true;
        }
    }
    false
}

impl Found {
    fn close(&mut self, mut open: Open, parents: &mut [Open]) {
        let parent = parents.last_mut();
        if open.is_object {
            if open.is_named {
                self.named.insert(open.start);
            }
            match parent {
                Some(parent) if parent.is_object => {
                    // The order does not matter, and the fewer are moved.
                    if parent.lists.len() < open.lists.len() {
                        std::mem::swap(&mut parent.lists, &mut open.lists);
                    }
                    parent.lists.append(&mut open.lists);
                }
                parent => {
                    if let Some(parent) = parent.filter(|_| open.is_named) {
                        parent.secrets.push(parent.items - 1);
                    }
                    let places = self.scopes.entry(open.start);
                    let lists = std::mem::take(&mut open.lists);
                    if !lists.is_empty() {
                        let places = places.or_default();
                        lists.iter().for_each(|(length, at)| places.add(*length, at));
                    }
                }
            }
            return;
        }
        let is_names = !open.has_others && !open.secrets.is_empty();
        match parent {
            Some(parent) if parent.is_object && is_names => parent.lists.push((open.items, open.secrets)),
            Some(parent) if !parent.is_object && is_names => {
                if open.items == 2 && open.secrets == [0] {
                    self.pairs.insert(open.start);
                }
                if parent.items == 1 {
                    self.headers.insert(parent.start, open.secrets);
                }
                parent.has_others = true;
            }
            Some(parent) => parent.has_others |= !parent.is_object,
            None => {}
        }
    }
}

type Enter<'f> = dyn FnMut(&mut Open, &[Open]) + 'f;
type Leave<'f> = dyn FnMut(Open, &mut [Open]) + 'f;
type Text<'f> = dyn FnMut(&mut Open, &str) + 'f;

/// Calls these at the begin and the end of each list and object, with what is around it, and for each string that is a value.
fn walk(json: &str, enter: &mut Enter<'_>, leave: &mut Leave<'_>, text: &mut Text<'_>) {
    let bytes = json.as_bytes();
    let (mut open, mut at, mut is_key) = (Vec::<Open>::new(), 0, false);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        let begins = matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') && !is_key;
        if begins && let Some(around) = open.last_mut() {
            around.items += u32::from(!around.is_object);
            around.has_others |= matches!(byte, b'-' | b'0'..=b'9' | b't' | b'f');
        }
        match byte {
            b'{' | b'[' => {
                is_key = *byte == b'{';
                let mut inside = Open { start, is_object: is_key, ..Open::default() };
                enter(&mut inside, &open);
                open.push(inside);
            }
            b'}' | b']' => {
                is_key = false;
                if let Some(closed) = open.pop() {
                    leave(closed, &mut open);
                }
            }
            b',' => is_key = open.last().is_some_and(|open| open.is_object),
            b'"' => {
                at = skip_string(bytes, start);
                if !std::mem::take(&mut is_key)
                    && let Some(around) = open.last_mut()
                {
                    text(around, &json[start..at]);
                }
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => at = skip_value(bytes, start),
            _ => {}
        }
    }
}
