//! A value as the branches of a schema are tried on it: what they ask about it is read once for all of them.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use serde_json::Value;

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::once::once;
use crate::base::sorting::order_of;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

/// Why a schema does not accept a value.
#[derive(Clone)]
pub(super) enum Exclusion {
    /// It does not accept it, whatever is removed.
    Firmly,
    /// It does not accept it while the value has this member.
    ByMember(String),
}

/// A value, its members, and which schemas do not accept it.
pub(super) struct Candidate<'v> {
    value: AnySource<'v>,
    /// In the value's order.
    members: Vec<(String, AnySource<'v>)>,
    /// The indices of the members, sorted by name.
    sorted: Vec<usize>,
    scalar: OnceCell<Value>,
    /// By the address of the schema; while a schema is tried, it does not exclude the value.
    known: RefCell<BTreeMap<usize, Option<Exclusion>>>,
}

impl<'v> Candidate<'v> {
    pub fn new(value: &AnySource<'v>) -> Result<Self, Error> {
        let members: Vec<(String, AnySource<'v>)> =
            value.entries()?.into_iter().map(|(key, value)| (Quoted::new(&key).text().into_owned(), value)).collect();
        let sorted = order_of(members.len(), &|a, b| members[a].0.cmp(&members[b].0));
        let (scalar, known) = (OnceCell::new(), RefCell::default());
        Ok(Self { value: value.clone(), members, sorted, scalar, known })
    }

    pub fn kind(&self) -> Kind {
        self.value.kind()
    }

    /// The names of the members, in the value's order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The member of a name; of several, the first.
    pub fn member(&self, name: &str) -> Option<&AnySource<'v>> {
        let place = self.sorted.partition_point(|&at| self.members[at].0.as_str() < name);
        let (known, value) = &self.members[*self.sorted.get(place)?];
        (known == name).then_some(value)
    }

    /// The value itself, if it is neither an array nor an object.
    pub fn scalar(&self) -> Result<&Value, Error> {
        once(&self.scalar, || Ok(serde_json::from_str(&self.value.json()?).unwrap_or_default()))
    }

    /// Whether a schema excludes the value; `find_out` is asked once for each schema.
    pub fn exclusion(
        &self,
        schema: &Value,
        find_out: impl FnOnce() -> Result<Option<Exclusion>, Error>,
    ) -> Result<Option<Exclusion>, Error> {
        let address = std::ptr::from_ref(schema).addr();
        if let Some(known) = self.known.borrow().get(&address) {
            return Ok(known.clone());
        }
        self.known.borrow_mut().insert(address, None);
        let found = find_out()?;
        self.known.borrow_mut().insert(address, found.clone());
        Ok(found)
    }
}
