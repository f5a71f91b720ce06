//! XML as data: attributes and elements are members, elements that repeat are a list, also without one around them. The report of a test run in the format of
//! JUnit is a list of its cases, those that failed first.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use quick_xml::{Error, XmlVersion};
use toolshape_text::rows::head::Head;

use crate::base::json_string;
use crate::base::members::Members;
use crate::value::json_in_text::SharedJson;

use super::cell;
use super::structure::{Body, Skipped, Structure, TextFormat};

/// The most bytes of data that are copied, each once for each level around it; an element costs as much as 256 bytes.
const MOST_COPIED: usize = 1 << 27;
const ELEMENT_BYTES: usize = 1 << 8;
const MOST_LEVELS: usize = 64;
/// Of data at most 1/n of the elements have text next to them: more are a document.
const MIXED: usize = 8;
/// What XML that is cut begins with, and the longest tag without an end.
const DECLARATION: &str = "<?xml";
const DOCTYPE: &str = "<!DOCTYPE";
const MOST_CUT: usize = 1 << 10;
/// Roots of pages and pictures, which are read as such.
const OTHER_ROOTS: [&str; 2] = ["html", "svg"];
/// The root of a report of JUnit, and what is in a report.
const REPORTS: [&str; 2] = ["testsuites", "testsuite"];
const SUITE: &str = "testsuite";
const CASE: &str = "testcase";
/// The attribute of a case that says whose it is; without it the suite does.
const CLASS: &str = "classname";
/// The elements of a case that failed, and of one that was skipped.
const OUTCOMES: [&[&str]; 2] = [&["failure", "error"], &["skipped"]];
/// The member with the text of an element that has other members.
const TEXT: &str = "text";

/// Whether a text may begin so.
pub(super) fn may_begin(head: &str) -> bool {
    let start = head.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    start.starts_with(DECLARATION)
        || start
            .strip_prefix(DOCTYPE)
            .is_some_and(|name| !OTHER_ROOTS.iter().any(|root| begins(name.trim_start(), root)))
        || start.strip_prefix('<').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether a text begins with a word, in any case.
fn begins(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// The data of a text that is one well-formed element, or several with one name, with what may be before and after it.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !may_begin(head.text) {
        return None;
    }
    let read = XmlReader { repeated: repeated(text), ..XmlReader::default() }.read(text)?;
    let body = Body::Literal(SharedJson::of(read.json)?);
    let (after, is_cut) = (read.end..text.len(), read.is_cut);
    Some(Structure { after, is_cut, ..Structure::of_all(TextFormat::Xml, read.skipped, body) })
}

/// The names of elements that occur several times in an element, by its name: they are lists wherever they occur in such elements,
/// so that one and several are read alike.
type Repeated = HashMap<String, HashSet<String>>;

/// A reader to which `&` that begins no reference is a character.
fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    reader
}

fn repeated(text: &str) -> Repeated {
    let (mut out, mut open) = (Repeated::new(), Vec::<(String, HashSet<String>)>::new());
    let mut reader = reader(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut begin = |open: &mut Vec<(String, HashSet<String>)>, name: String| {
        if let Some((parent, seen)) = open.last_mut()
            && !seen.insert(name.clone())
        {
            out.entry(parent.clone()).or_default().insert(name.clone());
        }
        open.push((name, HashSet::new()));
    };
    let mut elements = 0;
    while open.len() <= MOST_LEVELS && elements <= MOST_COPIED / ELEMENT_BYTES {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                elements += 1;
                begin(&mut open, tag.name().as_ref().to_owned());
            }
            Ok(Event::Empty(tag)) => {
                elements += 1;
                begin(&mut open, tag.name().as_ref().to_owned());
                open.pop();
            }
            Ok(Event::End(_)) => {
                open.pop();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    out
}

/// An element that is open.
#[derive(Default)]
struct Element {
    name: String,
    /// The values of its attributes and elements, by name, in the order of their first one.
    members: Vec<(String, Vec<String>)>,
    places: HashMap<String, usize>,
    attributes: usize,
    text: String,
}

impl Element {
    /// An element with its attributes.
    fn of(tag: &BytesStart<'_>) -> Option<Self> {
        let mut element = Self { name: tag.name().as_ref().to_owned(), ..Self::default() };
        for attribute in tag.attributes() {
            let attribute = attribute.ok()?;
            let value = match attribute.normalized_value(XmlVersion::Implicit1_0) {
                Ok(value) => value,
                Err(_) => unescaped(&attribute.value)?.into(),
            };
            element.add(attribute.key.as_ref(), cell::value(&value).into_owned());
        }
        element.attributes = element.members.len();
        Some(element)
    }

    fn add(&mut self, name: &str, json: String) {
        let next = self.members.len();
        let at = *self.places.entry(name.to_owned()).or_insert(next);
        if at == next {
            self.members.push((name.to_owned(), Vec::new()));
        }
        self.members[at].1.push(json);
    }

    fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    fn attributes(&self) -> Members {
        let mut out = Members::new();
        for (name, values) in &self.members[..self.attributes] {
            out.json_under(&json_string::quoted(name), &values[0]);
        }
        out
    }

    /// Whether it has text next to elements.
    fn is_mixed(&self) -> bool {
        self.members.len() > self.attributes && !self.text.trim().is_empty()
    }

    fn into_json(mut self, repeated: &Repeated) -> String {
        let text = self.text.trim().to_owned();
        if self.members.is_empty() {
            return if text.is_empty() { "null".to_owned() } else { cell::value(&text).into_owned() };
        }
        if !text.is_empty() {
            self.add(TEXT, json_string::quoted(&text));
        }
        let mut out = Members::new();
        let lists = repeated.get(&self.name);
        for (at, (name, values)) in self.members.iter().enumerate() {
            let is_list = at >= self.attributes && lists.is_some_and(|lists| lists.contains(name));
            let name = json_string::quoted(name);
            match &values[..] {
                [value] if !is_list => out.json_under(&name, value),
                values => out.json_under(&name, &format!("[{}]", values.join(","))),
            }
        }
        out.into_object()
    }
}

struct AsJson {
    json: String,
    skipped: Skipped,
    is_cut: bool,
    /// Where what is cut begins, or the text ends.
    end: usize,
}

#[derive(Default)]
struct XmlReader {
    open: Vec<Element>,
    /// How many of these are open since an element ended.
    opened: usize,
    elements: usize,
    mixed: usize,
    copied: usize,
    is_report: bool,
    repeated: Repeated,
    /// Elements before the last one, with the same name.
    before: Vec<String>,
    /// The cases of a report that failed, those that were skipped, and the others.
    cases: [Vec<String>; 3],
    /// The attributes of its suites.
    suites: Vec<String>,
}

impl XmlReader {
    fn read(mut self, text: &str) -> Option<AsJson> {
        let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        let mut reader = reader(&text[start..]);
        let (mut root, mut end) = (None, 0);
        loop {
            let event = match reader.read_event() {
                Ok(event) => event,
                // A tag without an end is cut.
                Err(Error::Syntax(_)) if text.len() - start - reader.error_position() as usize <= MOST_CUT => {
                    Event::Eof
                }
                Err(_) => return None,
            };
            match event {
                Event::Start(tag) => self.start(&tag, &mut root)?,
                Event::Empty(tag) => {
                    self.start(&tag, &mut root)?;
                    root = self.end()?.or(root);
                    end = start + reader.buffer_position() as usize;
                }
                Event::End(_) => {
                    root = self.end()?.or(root);
                    end = start + reader.buffer_position() as usize;
                }
                Event::Text(text) => self.text(&text)?,
                Event::CData(text) => self.text(&text)?,
                Event::GeneralRef(reference) => self.text(&resolved(&reference)?)?,
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        let is_cut = !self.open.is_empty();
        if is_cut {
            // What has no whole element in it is left out.
            self.open.truncate(self.open.len() - self.opened);
            if end * 2 < text.len() || !text[start..].starts_with(DECLARATION) {
                return None;
            }
        }
        while !self.open.is_empty() {
            root = self.end()?.or(root);
        }
        let root = root.filter(|_| self.mixed * MIXED <= self.elements)?;
        let end = if is_cut { end } else { text.len() };
        Some(match self.is_report {
            true => AsJson { json: self.report(root), skipped: Skipped::OfReport, is_cut, end },
            false => AsJson { json: self.data(root), skipped: Skipped::OfXml, is_cut, end },
        })
    }

    fn start(&mut self, tag: &BytesStart<'_>, root: &mut Option<Element>) -> Option<()> {
        let element = Element::of(tag)?;
        if self.open.is_empty() {
            self.is_report = REPORTS.contains(&&*element.name);
            if OTHER_ROOTS.iter().any(|root| element.name.eq_ignore_ascii_case(root)) {
                return None;
            }
            if let Some(before) = root.take() {
                // Paragraphs are no records.
                if before.name != element.name || before.members.is_empty() || self.is_report {
                    return None;
                }
                let json = self.json_of(before)?;
                self.before.push(json);
            }
        }
        self.elements += 1;
        self.opened += 1;
        self.copied += ELEMENT_BYTES;
        self.open.push(element);
        (self.open.len() <= MOST_LEVELS && self.copied <= MOST_COPIED).then_some(())
    }

    /// Closes an element; the root is returned.
    fn end(&mut self) -> Option<Option<Element>> {
        let mut element = self.open.pop()?;
        self.opened = 0;
        if element.is_mixed() {
            self.mixed += element.members[element.attributes..].iter().map(|(_, values)| values.len()).sum::<usize>();
        }
        if self.is_report && element.name == SUITE && !self.open.is_empty() {
            self.suites.push(element.attributes().into_object());
        }
        let Some(parent) = self.open.last_mut() else { return Some(Some(element)) };
        if self.is_report && element.name == CASE {
            if let Some((_, names)) = parent
                .members
                .iter()
                .find(|(name, _)| name == "name")
                .filter(|_| parent.name == SUITE && !element.has(CLASS))
            {
                element.add(SUITE, names[0].clone());
            }
            let outcome = OUTCOMES.iter().position(|names| names.iter().any(|name| element.has(name)));
            let json = self.json_of(element)?;
            self.cases[outcome.unwrap_or(OUTCOMES.len())].push(json);
            return Some(None);
        }
        if !(self.is_report && (element.name == SUITE || parent.name != CASE)) {
            let name = element.name.clone();
            let json = self.json_of(element)?;
            self.open.last_mut()?.add(&name, json);
        }
        Some(None)
    }

    /// An element as JSON; `None` if that would copy too much.
    fn json_of(&mut self, element: Element) -> Option<String> {
        let json = element.into_json(&self.repeated);
        self.copied += json.len();
        (self.copied <= MOST_COPIED).then_some(json)
    }

    fn text(&mut self, text: &str) -> Option<()> {
        match self.open.last_mut() {
            Some(element) => element.text += text,
            None => return text.trim().is_empty().then_some(()),
        }
        Some(())
    }

    fn data(mut self, root: Element) -> String {
        let mut out = Members::new();
        let name = json_string::quoted(&root.name);
        let json = root.into_json(&self.repeated);
        if self.before.is_empty() {
            out.json_under(&name, &json);
        } else {
            self.before.push(json);
            out.json_under(&name, &format!("[{}]", self.before.join(",")));
        }
        out.into_object()
    }

    /// The attributes of a report, its cases by how they went, and the attributes of its suites.
    fn report(self, root: Element) -> String {
        let mut out = root.attributes();
        for (name, cases) in ["failed", "skipped", "passed"].into_iter().zip(&self.cases) {
            out.list(&format!("{name}Cases"), cases);
        }
        // Those of the only one say little that the root does not.
        if self.suites.len() > 1 {
            out.list("suites", &self.suites);
        }
        out.into_object()
    }
}

/// A value in which references to nothing, and to what a document declares, stay as they are.
fn unescaped(raw: &str) -> Option<String> {
    let mut known = String::with_capacity(raw.len());
    for (at, part) in raw.split('&').enumerate() {
        if at > 0 {
            let name = part.split_once(';').map_or("", |(name, _)| name);
            known += if unescape(&format!("&{name};")).is_ok() { "&" } else { "&amp;" };
        }
        known += part;
    }
    unescape(&known).ok().map(Cow::into_owned)
}

/// The character that a reference means; a name that XML does not have itself stays as it is.
fn resolved(reference: &BytesRef<'_>) -> Option<String> {
    if let Some(character) = reference.resolve_char_ref().ok()? {
        return Some(character.to_string());
    }
    Some(resolve_predefined_entity(reference).map_or_else(|| format!("&{};", &**reference), str::to_owned))
}
