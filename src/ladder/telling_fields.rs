//! The fields by which a reader chooses a row: where few whole rows fit a page, it shows these alone.
//!
//! The fields of the first rows are measured ([`row_fields`]). What names a row comes first, then its title, its state, its
//! time, its owner and an amount; then whatever else distinguishes rows, the small before the large, until a row has its share of the
//! page. A field that is constant is stated once; a hash, the id of something else or an address of the API is never shown.

use crate::base::field_path::FieldPath;
use crate::base::sorting::sort_by_key;
use crate::ladder::field_roles::{self, Role, RoleOfKeys};
use crate::ladder::row_fields::{Measured, RowField, ValueKind, is_of_all_rows};
use crate::render::dense::weight;

/// Where this many whole rows fit, they are shown.
pub(crate) const ENOUGH_ROWS: usize = 10;
/// A shorter list is shown in part, and not by some fields: each row has room.
pub(crate) const FEWEST_ROWS: usize = 4;
/// Fields are shown alone if this many times as many rows fit.
pub(crate) const TIMES: usize = 2;
/// In fewer tokens, with the names of its fields, a row says hardly anything.
pub(crate) const ROW_TOKENS: usize = 30;
/// The most tokens of the field that is shown for a role, of another one with a role, and of any other.
const ROLE_TOKENS: usize = 48;
const KNOWN_TOKENS: usize = 20;
const OTHER_TOKENS: usize = 12;
/// The longest value that is stated once for all rows.
const CONSTANT_BYTES: usize = 40;
/// About the bytes of a token: what is estimated to be longer is not counted.
const TOKEN_BYTES: usize = 5;

/// What a reader needs of a row, with its identity.
const CORE: [Role; 3] = [Role::Name, Role::State, Role::Time];

/// The same of a page in the dense form, which names the fields once, or of any other.
pub(crate) fn row_tokens(is_dense: bool) -> usize {
    if is_dense { ROW_TOKENS / 2 } else { ROW_TOKENS }
}

/// A field that may be shown.
struct Candidate<'f> {
    field: &'f RowField,
    says: RoleOfKeys,
    kind: ValueKind,
    /// Tokens in a row with its key, those that the form of the page leaves of them, and those that are written once.
    tokens: usize,
    in_row: usize,
    once: usize,
    is_filled: bool,
}

impl Candidate<'_> {
    fn is_for(&self, role: Role) -> bool {
        let is_text = matches!(self.kind, ValueKind::Words | ValueKind::Category);
        let kind_suits = match role {
            Role::Identity => return false,
            Role::Time => return self.kind == ValueKind::Time,
            Role::Amount => self.kind == ValueKind::Number,
            Role::State => is_text || self.kind == ValueKind::Flag,
            Role::Name | Role::Owner => is_text,
        };
        kind_suits && self.says.role == Some(role)
    }

    /// How much it says for a role: the lowest rank is the best. Times need no key that says so.
    fn rank(&self, role: Role) -> (bool, bool, bool, usize, usize) {
        let depth = self.field.depth + usize::from(self.field.is_plural());
        // A name that repeats is that of something else.
        let is_repeated = self.says.role == Some(Role::Name) && self.field.repeats();
        let is_poor = self.says.is_of_another || !self.is_filled || is_repeated;
        (is_poor, depth > 3, self.says.role != Some(role), self.says.doubt, depth)
    }

    /// Whether it is the name of its row as programs take it: unique, and without spaces.
    fn is_handle(&self, rows: usize) -> bool {
        let has_space = |value: &String| value.contains(' ') || value.contains('@');
        self.is_for(Role::Name)
            && self.field.depth <= 2
            && self.says.is_exact()
            && self.field.is_unique(rows)
            && !self.field.values.iter().any(has_space)
    }

    /// Whether it says nothing to who chooses a row.
    fn is_noise(&self) -> bool {
        matches!(self.kind, ValueKind::Link | ValueKind::Opaque)
            || self.says.is_of_another
            || is_id_of_another(&self.field.keys)
    }

    /// Whether it is shown before others that are as telling.
    fn is_small(&self) -> bool {
        let is_known = self.says.role.is_some() && self.is_filled;
        let is_own_id = self.field.depth > 1 && self.field.keys.last().is_some_and(|key| field_roles::is_id(key));
        let most = match (is_known, is_own_id) {
            (true, true) => ROLE_TOKENS,
            (true, false) => KNOWN_TOKENS,
            (false, _) => OTHER_TOKENS,
        };
        self.tokens <= most
    }

    /// The same among those that have no place of their own.
    fn rest_rank(&self) -> (usize, usize) {
        let of_kind = match self.kind {
            ValueKind::Words | ValueKind::Category => 0,
            ValueKind::Number | ValueKind::Flag | ValueKind::Time => 1,
            ValueKind::Link | ValueKind::Opaque => 2,
        };
        let doubts = [self.says.role.is_none(), !self.is_filled, self.field.is_plural()];
        let of_kind = of_kind + 2 * doubts.into_iter().filter(|doubt| *doubt).count();
        (of_kind, self.field.depth)
    }
}

/// The measured fields of a list's rows.
pub(crate) struct TellingFields<'f> {
    candidates: Vec<Candidate<'f>>,
    /// The place of the one that names its row.
    identity: Option<usize>,
}

impl<'f> TellingFields<'f> {
    /// Measures the fields of a list's first rows, for a page in the dense form or not; `None` if none of them distinguish rows.
    pub fn measure(measured: &'f Measured, is_dense: bool) -> Option<Self> {
        let &Measured { ref fields, rows: sampled, .. } = measured;
        if sampled < 2 {
            return None;
        }
        let mut candidates = Vec::new();
        for field in fields {
            let Some(kind) = Some(field).filter(|field| is_telling(field, sampled)).and_then(RowField::value_kind)
            else {
                continue;
            };
            let (own, names) = tokens_of(field);
            let tokens = own + names;
            // The form names a field once that is in all rows.
            let is_column = is_dense && !field.is_listed && field.values.len() == sampled;
            let (in_row, once) = if is_column { (own + 1, names) } else { (tokens, 0) };
            let says = field.says();
            let is_filled = field.values.len() * 2 > sampled;
            candidates.push(Candidate { says, kind, tokens, in_row, once, is_filled, field });
        }
        let has_handle = candidates.iter().any(|candidate| candidate.is_handle(sampled));
        let ranked = candidates.iter().enumerate().filter_map(|(at, candidate)| {
            let rank = identity_rank(candidate, sampled)?;
            // A hash or an address is needed only where nothing else names a row.
            let is_last_resort = matches!(candidate.kind, ValueKind::Opaque | ValueKind::Link);
            if is_last_resort && has_handle { None } else { Some((rank, at)) }
        });
        let identity = ranked.min().map(|(_, at)| at);
        (!candidates.is_empty()).then_some(Self { candidates, identity })
    }

    /// Small fields that are equal in the rows that were measured, those with a role first; not those that are empty.
    pub fn constants(&Measured { ref fields, rows, .. }: &'f Measured) -> Vec<&'f RowField> {
        let is_said = |field: &&RowField| {
            let is_short = field.values.first().is_some_and(|value| value.len() <= CONSTANT_BYTES);
            let is_one = field.is_constant(rows) && !field.is_plural() && !field.is_mixed() && !field.is_listed;
            let kind = field.value_kind().filter(|kind| !matches!(kind, ValueKind::Link | ValueKind::Opaque));
            is_short && is_one && kind.is_some() && is_of_all_rows(&field.keys)
        };
        let mut found: Vec<&RowField> = fields.iter().filter(is_said).collect();
        sort_by_key(&mut found, |field| {
            let says = field.says();
            (says.is_of_another, says.role.is_none(), field.depth)
        });
        found
    }

    /// About the tokens of a row with its identity, name, state and time.
    pub fn core_tokens(&self) -> usize {
        let chosen = self.chosen(usize::MAX, &CORE);
        2 + chosen.taken.iter().map(|&at| self.candidates[at].in_row).sum::<usize>()
    }

    /// The identity, and the best field for each of these roles that has room.
    fn chosen(&self, tokens: usize, roles: &[Role]) -> Chosen<'_> {
        let mut chosen = Chosen { all: &self.candidates, left: tokens.saturating_sub(2), taken: Vec::new() };
        self.identity.into_iter().for_each(|at| chosen.take(at));
        for &role in roles {
            let fitting = || (0..self.candidates.len()).filter(|&at| chosen.has_room(at, ROLE_TOKENS));
            let is_for = |at: &usize| self.candidates[*at].is_for(role);
            let best = fitting().filter(is_for).min_by_key(|&at| self.candidates[at].rank(role));
            // What a row is called may have another name: its first text that differs, or list of texts.
            let is_text = |&at: &usize| {
                let Candidate { kind, field, .. } = &self.candidates[at];
                role == Role::Name && (*kind == ValueKind::Words || *kind == ValueKind::Category && !field.repeats())
            };
            let best = best.or_else(|| fitting().find(is_text));
            best.into_iter().for_each(|at| chosen.take(at));
        }
        chosen
    }

    /// The fields that are shown in about this many tokens of a row, the most telling first.
    pub fn within(&self, tokens: usize) -> Choice {
        let mut chosen = self.chosen(tokens, &[&CORE[..], &[Role::Owner, Role::Amount]].concat());
        // What is small comes first, then all else that has room.
        let mut others: Vec<usize> = (0..self.candidates.len()).filter(|&at| !self.candidates[at].is_noise()).collect();
        sort_by_key(&mut others, |&at| (!self.candidates[at].is_small(), self.candidates[at].rest_rank()));
        for at in others {
            if chosen.has_room(at, usize::MAX) && !chosen.says_the_same(at) {
                chosen.take(at);
            }
        }
        // By ids or by a single state nobody chooses a row.
        let is_telling = |at: &usize| self.identity != Some(*at) && self.candidates[*at].kind == ValueKind::Words;
        let says_nothing = chosen.taken.len() == 1 && !chosen.taken.iter().any(is_telling);
        // Nor by rows that have no room for what they are called.
        let names = self.chosen(usize::MAX, &[Role::Name]).taken;
        let says_nothing = says_nothing || names.iter().any(|at| !chosen.taken.contains(at));
        let taken = if says_nothing { &[][..] } else { &chosen.taken };
        let taken = || taken.iter().map(|&at| &self.candidates[at]);
        Choice {
            fields: taken().map(|candidate| candidate.field.field()).collect(),
            in_row: 2 + taken().map(|candidate| candidate.in_row).sum::<usize>(),
            once: taken().map(|candidate| candidate.once).sum(),
        }
    }
}

/// The fields that rows show, and about the tokens that they take in each row and once.
pub(crate) struct Choice {
    pub fields: Vec<FieldPath>,
    pub in_row: usize,
    pub once: usize,
}

struct Chosen<'a> {
    all: &'a [Candidate<'a>],
    /// Tokens of a row that are left.
    left: usize,
    taken: Vec<usize>,
}

impl Chosen<'_> {
    fn take(&mut self, at: usize) {
        self.left = self.left.saturating_sub(self.all[at].in_row);
        self.taken.push(at);
    }

    fn has_room(&self, at: usize, most: usize) -> bool {
        let Candidate { tokens, in_row, .. } = self.all[at];
        tokens <= most && in_row <= self.left && !self.taken.contains(&at)
    }

    /// Whether a field says the same as one that is taken.
    fn says_the_same(&self, at: usize) -> bool {
        self.taken.iter().any(|&taken| self.all[taken].field.values == self.all[at].field.values)
    }
}

/// Whether a field may be shown at all.
fn is_telling(field: &RowField, rows: usize) -> bool {
    field.values.len() * 4 >= rows
        && field.long * 4 <= rows
        && !field.is_constant(rows)
        && !field.is_mixed()
        && field.bytes() <= ROLE_TOKENS * TOKEN_BYTES
        && is_of_all_rows(&field.keys)
}

/// The id of something that the row refers to.
fn is_id_of_another(keys: &[String]) -> bool {
    let Some((key, outer)) = keys.split_last() else { return false };
    let is_own = match outer.last() {
        // `instances.instanceId`
        Some(outer) => field_roles::is_id_of(key, outer),
        None => field_roles::is_own_id(key),
    };
    field_roles::is_id(key) && !is_own
}

/// How well a field names its row; `None` if it does not. An address names a page that has no id.
fn identity_rank(candidate: &Candidate<'_>, rows: usize) -> Option<(bool, usize, usize)> {
    let Candidate { field, says, kind, .. } = candidate;
    if !field.is_unique(rows) || field.is_plural() || field.depth > 2 {
        return None;
    }
    let doubt = match (says.role, kind) {
        (_, ValueKind::Time) if !says.is_identity() => return None,
        (_, ValueKind::Link) if !says.is_of_another && !is_of_api(field) => 200,
        (_, ValueKind::Link) => return None,
        (_, ValueKind::Opaque) if field.depth == 1 && says.is_identity() => field_roles::HASHED,
        (Some(Role::Identity), ValueKind::Opaque) => 100 + says.doubt,
        (_, ValueKind::Opaque) => return None,
        (Some(Role::Identity), _) if field.depth == 1 || !says.is_of_another => says.doubt,
        _ if field.depth == 1 && is_id_of_another(&field.keys) => 50,
        _ => return None,
    };
    Some((doubt >= 100, field.depth, doubt))
}

/// Whether links lead to an API, which only programs read.
fn is_of_api(field: &RowField) -> bool {
    field.values.iter().any(|value| value.contains("://api.") || value.contains("/api/") || value.contains("/rest/"))
}

/// About the tokens of a field in a row: of its values, and of its keys.
fn tokens_of(field: &RowField) -> (usize, usize) {
    let keys = &field.keys;
    let own: usize = field.values.iter().map(|value| weight(value.trim_matches('"')) as usize).sum();
    let (filled, items) = (field.values.len().max(1), field.items_per_value());
    let names = keys.last().map_or(0, |key| weight(key) as usize + 3) + 2 * (keys.len() - 1);
    (own.div_ceil(filled) * items, names * items)
}
