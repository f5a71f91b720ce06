//! The sums of a ledger: the tokens of results without toolshape, less their tokens with it, less what was read back, less definitions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolshape_proxy::CountedKind;

use crate::entry::{Entry, day_of};

/// By what entries are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Day,
    Server,
    Tool,
}

pub(crate) const ALL: [(By, &str); 3] = [(By::Day, "day"), (By::Server, "server"), (By::Tool, "tool")];

/// Tokens of some entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub results: u64,
    /// What hosts would have shown, and what they were sent.
    pub without: u64,
    pub with: u64,
    pub reads: u64,
    pub read_back: u64,
    /// What the definitions of tools take more than without toolshape; less than nothing where they take less.
    pub definitions: i64,
    handles: BTreeSet<String>,
    opened: BTreeSet<String>,
}

impl Sum {
    /// The tokens that were saved; less than nothing if toolshape took more.
    #[must_use]
    pub fn saved(&self) -> i64 {
        self.without as i64 - self.with as i64 - self.read_back as i64 - self.definitions
    }

    /// How many results may be read back, and how many of these were.
    #[must_use]
    pub fn handles(&self) -> (usize, usize) {
        (self.handles.len(), self.opened.intersection(&self.handles).count())
    }

    fn add(&mut self, entry: &Entry) {
        match entry.kind {
            CountedKind::Definitions => self.definitions += entry.with as i64 - entry.without as i64,
            CountedKind::Result => {
                (self.results, self.without, self.with) =
                    (self.results + entry.times, self.without + entry.without, self.with + entry.with);
                self.handles.extend(entry.handles.iter().cloned());
            }
            CountedKind::Read => {
                (self.reads, self.read_back) = (self.reads + 1, self.read_back + entry.with);
                self.opened.extend(entry.handles.iter().cloned());
            }
        }
    }

    fn to_json(&self) -> Value {
        let (handles, read) = self.handles();
        json!({
            "results": self.results, "without": self.without, "with": self.with, "reads": self.reads,
            "readBack": self.read_back, "definitions": self.definitions, "saved": self.saved(), "handles": handles,
            "handlesRead": read,
        })
    }
}

/// The sums of entries.
#[derive(Clone, Debug, Default)]
pub struct Savings {
    pub all: Sum,
    by: [BTreeMap<String, Sum>; ALL.len()],
}

impl Savings {
    /// The sums. A read counts for the server and the tool whose result it opens.
    ///
    /// ```
    /// use toolshape_account::{By, Entry, Savings};
    /// let line = r#"{"at":0,"door":"relay","host":"","server":"git","tool":"log","kind":"result","without":9000,"with":700}"#;
    /// let savings = Savings::of(&[Entry::read(line).unwrap()]);
    /// assert_eq!(savings.all.saved(), 8300);
    /// assert_eq!(savings.by(By::Tool).next().unwrap().0, "git/log");
    /// ```
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut savings = Self::default();
        let mut owners = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.kind == CountedKind::Result) {
            owners.extend(entry.handles.iter().map(|handle| (handle.as_str(), (&*entry.server, &*entry.tool))));
        }
        for entry in entries {
            let owner = entry.handles.iter().find_map(|handle| owners.get(handle.as_str()).copied());
            let of_read = owner.filter(|_| entry.kind == CountedKind::Read);
            let (server, tool) = of_read.unwrap_or((&entry.server, &entry.tool));
            savings.all.add(entry);
            for ((by, _), sums) in ALL.iter().zip(&mut savings.by) {
                let key = match by {
                    By::Day => day_of(entry.at),
                    By::Server if server.is_empty() => format!("({})", entry.door),
                    By::Server => server.to_owned(),
                    By::Tool if entry.kind == CountedKind::Definitions => continue,
                    By::Tool if tool.is_empty() => "(unknown)".to_owned(),
                    By::Tool if server.is_empty() => tool.to_owned(),
                    By::Tool => format!("{server}/{tool}"),
                };
                sums.entry(key).or_default().add(entry);
            }
        }
        savings
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by.iter().all(BTreeMap::is_empty)
    }

    /// The sums by name, in the order of the names.
    pub fn by(&self, by: By) -> impl Iterator<Item = (&str, &Sum)> {
        let at = ALL.iter().position(|(one, _)| *one == by).unwrap_or_default();
        self.by[at].iter().map(|(name, sum)| (name.as_str(), sum))
    }

    /// As JSON: `all`, and by `day`, `server`, `tool`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let of = |by: By| self.by(by).map(|(name, sum)| (name.to_owned(), sum.to_json())).collect::<Map<_, _>>();
        let mut json = json!({ "all": self.all.to_json() });
        for (by, name) in ALL {
            json[name] = Value::Object(of(by));
        }
        json
    }
}
