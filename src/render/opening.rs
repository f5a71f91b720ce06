//! Opening: which parts of a value are shown within a number of tokens. Small values stay whole wherever they are, and the
//! largest are shortened.
//!
//! The tree is opened level by level: of each array and object a few children first, small ones whole, the others with a
//! short start. The tokens that are left then go in equal shares to what is cut, the smallest first: strings become longer,
//! arrays and objects show more children. No more is read than can be shown, so a large value is not walked.
//!
//! A string that is the JSON text of an object or an array is opened like these where it does not fit as it is, and says so; so
//! is what a page or a log says. Of another text of several lines the start, the end, and notable lines are shown.

mod children;
mod ends;
mod json_texts;
mod written;

use std::collections::VecDeque;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::sorting::sort_by;
use crate::base::text_cuts;
use crate::render::elide::{Elision, stand_in};
use crate::request::context::Context;
use crate::value::source::{Entry, Kind, Source};
use crate::value::structured_text::TextFormat;
use crate::value::token_count::Measure;
use crate::value::token_estimate;

use ends::TextEnds;
pub(crate) use json_texts::TextBytes;

/// A value of at most this many tokens is small: it is shown whole, or not at all.
const SMALL: usize = 40;
/// A value of more bytes is not small.
const SMALL_BYTES: usize = 8 * SMALL;
/// The start of a larger string has at first this many tokens.
const START: usize = 6;
/// Children that are shown at first: of the outermost object, of an object in it, and of an array; and how many of these may
/// be large, so that there is room for what is in them.
const OUTERMOST_ENTRIES: usize = 64;
const FIRST_ENTRIES: usize = 16;
const FIRST_ITEMS: usize = 12;
const FIRST_LARGE: usize = 8;
/// Items that are read at once.
const CHUNK: usize = 16;
/// The tokens of the placeholder for the children that are not shown.
const MORE: usize = 8;
/// What a string's quotes, its ellipsis and a comma take.
const AROUND_START: usize = 3;
/// How often the tokens that are left are shared.
const ROUNDS: usize = 12;
/// A key may have one character for this many tokens of the budget.
const LONGEST_KEY: usize = 4;
/// A smaller share is not worth a longer start.
const MIN_SHARE: usize = 4;
/// As much of base64 is shown: enough to recognize it.
const BASE64_TOKENS: usize = 16;
/// Characters at a string's start that are checked for base64, including the head of a `data` URI.
const BASE64_PROBE: usize = 160;

/// Values within a budget.
#[derive(Debug, Default)]
pub(crate) struct ShownValues {
    /// The first of the values, in order: `"key":value` of an entry, or a value.
    pub parts: Vec<String>,
    /// What is shortened in them.
    pub elisions: Vec<Elision>,
    /// How many values after those are not shown at all.
    pub omitted: usize,
    /// How many keys are shortened; no pointer leads to their values.
    pub shortened_keys: usize,
}

/// Opens values within one budget after another, without reading them again.
pub(crate) struct Opening<S> {
    nodes: Vec<OpeningNode<S>>,
    /// JSON Pointer to the object whose entries the values are, or to the one value.
    base: String,
    measure: Measure,
    /// A key of more characters is shortened.
    longest_key: usize,
    /// Whether values that do not fit are shown by another call, so that a short form of them is not worth its tokens.
    goes_on: bool,
    /// How much of strings is read to find JSON in them.
    text_bytes: TextBytes,
    /// The outermost entries whose key an entry before the first of them has.
    repeated: Vec<usize>,
}

/// The place of the node above the values, which is not a value itself.
const ROOT: usize = 0;

/// A value that was read, and how it is shown.
struct OpeningNode<S> {
    /// `"key":` of an entry; empty for an item.
    key: String,
    key_tokens: usize,
    has_short_key: bool,
    /// `None` for the root.
    value: Option<S>,
    /// Of a string the object or the array that it is the JSON text of, once it was looked for.
    data: Option<Option<S>>,
    /// Of a long text of several lines, which of them matter.
    ends: Option<Rc<TextEnds>>,
    /// What the string is, if its data is what a page or a log says.
    reading: Option<TextFormat>,
    parent: usize,
    /// The index of an item.
    index: usize,
    /// How many children there are, those that were read, and of an object those that are still to become nodes.
    len: usize,
    children: Vec<usize>,
    entries: Option<VecDeque<Entry<S>>>,
    /// The whole value, once it was found to be within some limit.
    whole: Option<WrittenPart>,
    /// The whole value has more tokens than this.
    over: Option<usize>,
    stub: Option<WrittenPart>,
    chars: Option<usize>,
    form: ValueForm,
    /// The tokens that it takes, without those of its children.
    cost: usize,
    /// The children that are shown.
    shown: usize,
}

/// Text and its tokens, with the key and a comma.
#[derive(Clone)]
struct WrittenPart {
    text: String,
    tokens: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    Hidden,
    Whole,
    Stub,
    /// The start of a string, in this many tokens.
    Start(usize),
    Open,
}

impl<S: Source> Opening<S> {
    /// Opens the entries of an object; `base` is the pointer to it.
    pub fn of_entries(entries: Vec<Entry<S>>, base: &str, ctx: &Context<'_>) -> Self {
        let mut root = OpeningNode::new(String::new(), None, ROOT, 0);
        root.len = entries.len();
        root.entries = Some(entries.into());
        Self {
            nodes: vec![root],
            base: base.to_owned(),
            measure: ctx.measure,
            longest_key: ctx.budget / LONGEST_KEY,
            goes_on: false,
            text_bytes: TextBytes::of(ctx),
            repeated: Vec::new(),
        }
    }

    /// The same for an object whose next entries another call shows: few of them in full are better than all in short.
    pub fn of_part(entries: Vec<Entry<S>>, base: &str, ctx: &Context<'_>) -> Self {
        Self { goes_on: true, ..Self::of_entries(entries, base, ctx) }
    }

    /// Opens one value; `pointer` is the pointer to it.
    pub fn of_value(value: S, pointer: &str, ctx: &Context<'_>) -> Self {
        Self::of_entries(vec![(String::new(), value)], pointer, ctx)
    }

    /// The same where an entry before the first has the key of these.
    pub fn repeating(self, repeated: Vec<usize>) -> Self {
        Self { repeated, ..self }
    }

    /// The same with the bytes that other openings of the same result may read too.
    pub fn sharing(self, text_bytes: &TextBytes) -> Self {
        Self { text_bytes: text_bytes.clone(), ..self }
    }

    /// Shows what fits into `budget` tokens. The values that do not fit at all are the last ones.
    ///
    /// # Errors
    /// Whatever reading the values reports.
    pub fn within(&mut self, budget: usize) -> Result<ShownValues, Error> {
        let mut left = budget;
        self.open_levels(&mut left)?;
        for _ in 0..ROUNDS {
            let before = left;
            self.share(&mut left)?;
            if left == before {
                break;
            }
        }
        self.written()
    }

    /// The tokens with which every small value that can be found is shown, and of the others a short start, but at most
    /// `budget`.
    pub fn least(&mut self, budget: usize) -> Result<usize, Error> {
        let mut left = budget;
        self.open_levels(&mut left)?;
        // While a container is opened, there is room for the placeholder of the children that are not shown.
        Ok(budget - left + MORE)
    }

    /// Shows nothing but that there is a first value, whatever it takes.
    ///
    /// # Errors
    /// As [`within`](Self::within).
    pub fn smallest(&mut self) -> Result<ShownValues, Error> {
        self.open_levels(&mut 0)?;
        if let Some(first) = self.child(ROOT, 0, 0)? {
            self.nodes[first].form = ValueForm::Start(0);
            self.nodes[ROOT].shown = 1;
        }
        self.written()
    }

    /// Shows the first children of each array and object, level by level.
    fn open_levels(&mut self, left: &mut usize) -> Result<(), Error> {
        for node in &mut self.nodes {
            (node.form, node.cost, node.shown) = (ValueForm::Hidden, 0, 0);
        }
        self.nodes[ROOT].form = ValueForm::Open;
        let mut waiting = VecDeque::from([ROOT]);
        while let Some(at) = waiting.pop_front() {
            let most = match self.inside_kind(at) {
                Kind::Array => FIRST_ITEMS,
                _ if self.is_outermost(at) => OUTERMOST_ENTRIES,
                _ => FIRST_ENTRIES,
            };
            self.open(at, most, left, &mut waiting)?;
        }
        Ok(())
    }

    /// Shows up to this many children of a node in place of its stub; the containers among them wait to be opened.
    fn open(&mut self, at: usize, most: usize, left: &mut usize, waiting: &mut VecDeque<usize>) -> Result<(), Error> {
        let stub = self.nodes[at].cost;
        let mut room = *left;
        if at != ROOT {
            let brackets = self.nodes[at].key_tokens + self.sign_tokens(at) + 3 + MORE;
            let Some(rest) = (room + stub).checked_sub(brackets) else { return Ok(()) };
            room = rest;
            self.nodes[at].cost = brackets;
        }
        let (mut shown, mut large) = (0, 0);
        while shown < most.min(self.nodes[at].len) && large < FIRST_LARGE {
            let Some(child) = self.child(at, shown, room)? else { break };
            let is_left_out = at != ROOT || (self.goes_on && shown > 0);
            let Some(is_container) = self.place_first(child, is_left_out, &mut room)? else { break };
            waiting.extend(is_container.then_some(child));
            shown += 1;
            large += usize::from(is_container);
        }
        if shown == 0 && at != ROOT {
            self.nodes[at].cost = stub;
            return Ok(());
        }
        let node = &mut self.nodes[at];
        if shown == node.len && at != ROOT {
            node.cost -= MORE;
            room += MORE;
        }
        (node.form, node.shown, *left) = (ValueForm::Open, shown, room);
        Ok(())
    }

    /// Shows a node as it is at first, if there is room, and says whether it is a container that can be opened. What can be
    /// left out is not shown by a stub that stays one, unless it is large.
    fn place_first(&mut self, at: usize, is_left_out: bool, room: &mut usize) -> Result<Option<bool>, Error> {
        if self.value(at).min_bytes(SMALL_BYTES) <= SMALL_BYTES
            && let Some(tokens) = self.whole(at, SMALL)?
            && self.is_small(at)
            && (is_left_out || *room >= tokens)
        {
            return Ok(self.place(at, ValueForm::Whole, tokens, room).then_some(false));
        }
        let stub = self.stub(at)?;
        let kind = self.value(at).kind();
        let is_first_level = is_left_out && self.nodes[at].parent == ROOT;
        let is_opened = kind.is_container() || self.has_data(at)?;
        if kind == Kind::String && !is_opened {
            let tokens = self.nodes[at].key_tokens + AROUND_START + START;
            if is_first_level || *room >= tokens {
                return Ok(self.place(at, ValueForm::Start(START), tokens, room).then_some(false));
            }
        }
        if is_first_level && is_opened && *room < stub + SMALL {
            return Ok(None);
        }
        Ok(self.place(at, ValueForm::Stub, stub, room).then_some(is_opened))
    }

    fn place(&mut self, at: usize, form: ValueForm, tokens: usize, room: &mut usize) -> bool {
        let Some(rest) = room.checked_sub(tokens) else { return false };
        *room = rest;
        (self.nodes[at].form, self.nodes[at].cost) = (form, tokens);
        true
    }

    /// Shares the tokens that are left among what is cut, the smallest first.
    fn share(&mut self, left: &mut usize) -> Result<(), Error> {
        let mut cut = Vec::new();
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            let is_cut = match node.form {
                ValueForm::Hidden | ValueForm::Whole => false,
                ValueForm::Open => node.shown < node.len || self.data(at).is_some(),
                ValueForm::Stub | ValueForm::Start(_) => true,
            };
            if is_cut {
                cut.push((if at == ROOT { usize::MAX } else { self.chars(at)? }, at));
            }
        }
        sort_by(&mut cut, Ord::cmp);
        let count = cut.len();
        for (nth, (_, at)) in cut.into_iter().enumerate() {
            let mut share = *left / (count - nth);
            if share < MIN_SHARE {
                continue;
            }
            *left -= share;
            match self.nodes[at].form {
                // It is in a text that is shown as it is by now.
                ValueForm::Hidden => {}
                ValueForm::Open => {
                    if !self.close(at, &mut share)? && self.nodes[at].shown < self.nodes[at].len {
                        self.show_more(at, &mut share)?;
                    }
                }
                form => self.lengthen(at, form, &mut share)?,
            }
            *left += share;
        }
        Ok(())
    }

    /// Shows a cut string or a stub whole, or more of the string, within some more tokens.
    fn lengthen(&mut self, at: usize, form: ValueForm, share: &mut usize) -> Result<(), Error> {
        let room = self.nodes[at].cost + *share;
        if let Some(tokens) = self.whole(at, room)? {
            *share = room - tokens;
            (self.nodes[at].form, self.nodes[at].cost) = (ValueForm::Whole, tokens);
            return Ok(());
        }
        if form == ValueForm::Stub && (self.value(at).kind().is_container() || self.data(at).is_some()) {
            let mut waiting = VecDeque::from([at]);
            while let Some(at) = waiting.pop_front() {
                self.open(at, FIRST_ITEMS, share, &mut waiting)?;
            }
            if self.nodes[at].form == ValueForm::Open {
                return Ok(());
            }
        }
        match form {
            ValueForm::Start(_) | ValueForm::Stub if self.value(at).kind() == Kind::String => {
                let around = self.nodes[at].key_tokens + AROUND_START;
                let Some(tokens) = room.checked_sub(around) else { return Ok(()) };
                let tokens = if self.nodes[at].ends.is_some() { tokens } else { start_tokens(self.value(at), tokens)? };
                *share = room - around - tokens;
                (self.nodes[at].form, self.nodes[at].cost) = (ValueForm::Start(tokens), around + tokens);
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows more children of an opened node within some more tokens.
    fn show_more(&mut self, at: usize, share: &mut usize) -> Result<(), Error> {
        let mut waiting = VecDeque::new();
        while self.nodes[at].shown < self.nodes[at].len {
            let Some(child) = self.child(at, self.nodes[at].shown, *share)? else { break };
            let is_container = match self.whole(child, *share)? {
                Some(tokens) if self.place(child, ValueForm::Whole, tokens, share) => false,
                _ => match self.place_first(child, true, share)? {
                    Some(is_container) => is_container,
                    None => break,
                },
            };
            waiting.extend(is_container.then_some(child));
            self.nodes[at].shown += 1;
        }
        if at != ROOT && self.nodes[at].shown == self.nodes[at].len {
            self.nodes[at].cost -= MORE;
            *share += MORE;
        }
        while let Some(child) = waiting.pop_front() {
            self.open(child, FIRST_ITEMS, share, &mut waiting)?;
        }
        Ok(())
    }

    /// Whether a node is the object that is opened: the root, or the one value in it.
    fn is_outermost(&self, at: usize) -> bool {
        at == ROOT || (self.nodes[at].parent == ROOT && self.nodes[ROOT].len == 1)
    }

    fn value(&self, at: usize) -> &S {
        self.nodes[at].value.as_ref().expect("only the root has no value, and it is not a child")
    }

    fn chars(&mut self, at: usize) -> Result<usize, Error> {
        let chars = self.nodes[at].chars.map_or_else(|| token_estimate::chars(self.value(at)), Ok)?;
        Ok(*self.nodes[at].chars.insert(chars))
    }

    /// The tokens of the shortest form of a node.
    fn stub(&mut self, at: usize) -> Result<usize, Error> {
        if self.nodes[at].stub.is_none() {
            let text = format!("{}{}", self.nodes[at].key, stand_in(self.value(at))?);
            let tokens = self.measure.count(&text) + 1;
            self.nodes[at].stub = Some(WrittenPart { text, tokens });
        }
        Ok(self.nodes[at].stub.as_ref().map_or(0, |stub| stub.tokens))
    }

    /// Whether a value that was written has few bytes, which is more than the lower bound of a host says.
    fn is_small(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        node.whole.as_ref().is_some_and(|whole| whole.text.len() - node.key.len() <= SMALL_BYTES)
    }

    /// The tokens of a whole node, if they are at most `limit`.
    fn whole(&mut self, at: usize, limit: usize) -> Result<Option<usize>, Error> {
        let measure = self.measure;
        let node = &mut self.nodes[at];
        if node.whole.is_none() && node.over.is_none_or(|over| limit > over) {
            let value = node.value.as_ref().expect("only the root has no value, and it is never whole");
            let key = node.key_tokens + 1;
            node.whole = measure
                .json_within(value, limit.saturating_sub(key))?
                .map(|(json, tokens)| WrittenPart { text: format!("{}{json}", node.key), tokens: key + tokens });
            node.over = Some(limit);
        }
        Ok(node.whole.as_ref().map(|whole| whole.tokens).filter(|&tokens| tokens <= limit))
    }
}

impl<S: Source> OpeningNode<S> {
    fn new(key: String, value: Option<S>, parent: usize, index: usize) -> Self {
        Self {
            key,
            key_tokens: 0,
            has_short_key: false,
            len: value.as_ref().map_or(0, Source::len),
            value,
            data: None,
            reading: None,
            ends: None,
            parent,
            index,
            children: Vec::new(),
            entries: None,
            whole: None,
            over: None,
            stub: None,
            chars: None,
            form: ValueForm::Hidden,
            cost: 0,
            shown: 0,
        }
    }
}

/// How many of `most` tokens the start of a string gets.
fn start_tokens<S: Source>(value: &S, most: usize) -> Result<usize, Error> {
    let start = json_string::unescape(&value.slice(0, BASE64_PROBE)?);
    Ok(if text_cuts::ends_in_base64(&start) { most.min(BASE64_TOKENS) } else { most })
}
