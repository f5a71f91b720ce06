//! What a field is to someone who chooses a row, as far as its keys say so: what the row is called, its state, its owner.
//!
//! A key such as `name` or `login` is that of what it is in: `status.name` is a state, `user.login` an owner.

/// What a field is to someone who chooses a row, in the order in which a reader needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Identity,
    Name,
    State,
    Time,
    Owner,
    Amount,
}

/// The role of a field, and how well its key says so: 0 is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoleOfKeys {
    pub role: Option<Role>,
    pub doubt: usize,
    /// Whether it describes something that the row only refers to: the type of the user of an issue.
    pub is_of_another: bool,
}

impl RoleOfKeys {
    /// Whether a key is exactly that of an identity.
    pub fn is_identity(self) -> bool {
        self.role == Some(Role::Identity) && self.doubt < IDENTITY.len()
    }

    /// Whether a key is exactly one that names rows.
    pub fn is_exact(self) -> bool {
        let is_part = (TITLES..2 * TITLES).contains(&self.doubt);
        self.role == Some(Role::Name) && !is_part && self.doubt < TITLES + NAME.len()
    }
}

/// The doubt of an identity that is a hash: after all other keys of identities, before ids of other things.
pub(crate) const HASHED: usize = IDENTITY.len() - 1;
const IDENTITY: &[&str] = &[
    "number", "key", "iid", "sku", "symbol", "slug", "ticker", "isbn", "id", "uuid", "guid", "uid", "identifier",
    "sid", "doi", "issn", "sha", "code", "ref",
];
const NAME: &[&str] = &[
    "title", "name", "subject", "headline", "summary", "label", "filename", "path", "text", "message", "snippet",
    "question", "word", "content", "username", "login", "email", "place", "city", "description",
];
/// The first of them are titles: one in a longer key, as in `ruleName`, is better than a text.
const TITLES: usize = 7;
const STATE: &[&str] = &[
    "status", "state", "phase", "lifecycle", "stage", "severity", "level", "priority", "conclusion", "result",
    "outcome", "resolution", "category", "type", "kind", "genre", "visibility", "draft", "active", "enabled", "tags",
    "labels",
];
const TIME: &[&str] = &[
    "start", "launch", "updated", "update", "modified", "seen", "date", "time", "created", "create", "due",
    "submitted", "submit", "started", "published", "timestamp", "edited", "at", "when", "day", "end", "closed", "ts",
    "pubdate", "on",
];
const OWNER: &[&str] = &[
    "assignee", "author", "owner", "user", "creator", "reporter", "customer", "sender", "from", "company", "team",
    "organization", "org", "repository", "repo", "project", "by", "actor", "vendor", "account", "artist", "brand",
    "merchant", "member", "publisher", "channel", "committer", "uploader", "seller", "client",
];
const AMOUNT: &[&str] = &[
    "amount", "total", "price", "score", "count", "quantity", "balance", "cost", "value", "rating", "stars", "points",
    "votes", "magnitude", "mag", "population", "size", "duration", "downloads", "views", "likes", "percent", "salary",
    "revenue", "budget", "comments", "replicas", "weight", "distance", "temperature", "temp", "speed", "forks",
    "additions", "deletions", "changes", "sum", "bytes", "stock", "age", "height", "discount", "subtotal", "fee",
    "qty",
];
const ROLES: [(Role, &[&str]); 6] = [
    (Role::Identity, IDENTITY),
    (Role::Name, NAME),
    (Role::State, STATE),
    (Role::Time, TIME),
    (Role::Owner, OWNER),
    (Role::Amount, AMOUNT),
];
/// Keys that name what they are in.
const GENERIC: &[&str] = &[
    "name", "login", "displayname", "username", "title", "label", "value", "text", "plaintext", "content", "email",
    "fullname", "key", "slug",
];
/// Keys that say of a time only that it is one.
const CLOCK: &[&str] = &["date", "time", "timestamp", "datetime", "ts", "at", "on"];
/// Numbers whose mean says nothing.
const CODES: &[&str] = &[
    "code", "zip", "zipcode", "postal", "date", "year", "month", "day", "port", "phone", "version", "index",
    "position", "rank", "page", "line", "order", "lat", "lon", "lng", "latitude", "longitude", "number", "seq",
    "sequence", "status", "level", "priority", "pid", "row", "offset", "color", "hour", "minute", "second",
    "microsecond", "ts", "time", "timestamp", "ms", "x", "y",
];

/// Things whose ids are written as one word, such as `userid`.
const JOINED: &[&str] =
    &["rev", "parent", "page", "user", "post", "item", "order", "product", "account", "customer", "group", "thread"];

/// The longest name that is used in a question: one with a longer name is hard to read.
const NAME_BYTES: usize = 40;

/// The role of the field that these keys lead to.
pub(crate) fn of_keys(keys: &[String]) -> RoleOfKeys {
    let Some((last, outer)) = keys.split_last() else {
        return RoleOfKeys { role: None, doubt: 0, is_of_another: false };
    };
    let of_outer = outer.iter().rev().find_map(|key| of_key(key).filter(|(role, ..)| is_thing(*role)));
    let words = Words::of(last);
    let is_generic = GENERIC.contains(&&*words.text);
    let of_last = of_words(&words);
    let is = |found: Option<(Role, usize)>, role| found.is_some_and(|(found, _)| found == role);
    let (found, is_of_another) = match (of_outer, is_generic) {
        (Some(found), true) => (Some(found), false),
        // `name.common` is a name.
        (Some((Role::Name, doubt)), _) if of_last.is_none() => (Some((Role::Name, doubt)), false),
        // `status.description` describes the state.
        (of_outer, _) => (of_last, is(of_outer, Role::Owner) || is(of_outer, Role::State) && is(of_last, Role::Name)),
    };
    // `created.dateTime` is when it was created.
    let outer_time = || outer.last().and_then(|key| of_key(key)).filter(|found| found.0 == Role::Time);
    let time = if is(found, Role::Time) { outer_time() } else { None };
    // A time without one is of something in the row.
    let is_clock = || words.iter().all(|word| CLOCK.contains(&word));
    let later = if is(found, Role::Time) && !outer.is_empty() && is_clock() { TIME.len() } else { 0 };
    let found = time.or(found.map(|(role, doubt)| (role, doubt + later)));
    RoleOfKeys { role: found.map(|(role, _)| role), doubt: found.map_or(0, |(_, doubt)| doubt), is_of_another }
}

/// Whether an object under a key of this role is a thing with a name.
fn is_thing(role: Role) -> bool {
    matches!(role, Role::State | Role::Owner | Role::Name)
}

/// Whether the mean of such numbers says nothing, or whether they name the rows.
pub(crate) fn is_code(keys: &[String]) -> bool {
    keys.last().is_some_and(|key| Words::of(key).iter().any(|word| CODES.contains(&word)) || is_id(key))
}

/// Whether a key is that of an id: `id`, `userId`, `parent_id`.
pub(crate) fn is_id(key: &str) -> bool {
    Words::of(key).last().is_some_and(|word| {
        let is_joined = || JOINED.iter().any(|thing| word.strip_suffix("id") == Some(thing));
        matches!(word, "id" | "ids" | "uuid" | "guid" | "uid" | "gid") || is_joined()
    })
}

/// Whether a key is that of an id or of an address: `folderId`, `folderUrl`.
pub(crate) fn is_reference(key: &str) -> bool {
    is_id(key) || matches!(Words::of(key).last(), Some("url" | "uri" | "href" | "link" | "links"))
}

/// Whether a key is that of the id of what is under another key: `instanceId` in `instances`.
pub(crate) fn is_id_of(key: &str, outer: &str) -> bool {
    let words = Words::of(key);
    let thing = words.before_last();
    !thing.is_empty() && Words::of(outer).text.starts_with(thing)
}

/// Whether a key is that of the id of what it is in.
pub(crate) fn is_own_id(key: &str) -> bool {
    Words::of(key).iter().count() == 1
}

/// Whether a key is a plain name that needs no pointer. One of more than four words may be a sentence.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '$' | '%' | '#' | '@' | '(' | ')');
    (1..=NAME_BYTES).contains(&name.len())
        && name.chars().all(is_plain)
        && !name.starts_with(['-', ' '])
        && !name.ends_with(' ')
        && name.split(' ').count() <= 4
}

fn of_key(key: &str) -> Option<(Role, usize)> {
    of_words(&Words::of(key))
}

fn of_words(words: &Words) -> Option<(Role, usize)> {
    let (whole, last) = (&words.text, words.last()?);
    let outer: Vec<&str> = words.iter().take(words.starts.len() - 1).collect();
    let at = |known: &[&str], wanted: &str| known.iter().position(|known| *known == wanted);
    let exact = || {
        ROLES.iter().find_map(|(role, known)| {
            let place = at(known, whole)?;
            Some((*role, if *role == Role::Name && place >= TITLES { TITLES + place } else { place }))
        })
    };
    // `lastModifiedTime` is when it was modified.
    let event = || outer.iter().filter_map(|word| at(TIME, word)).min();
    let of_event = || event().map(|doubt| (Role::Time, doubt + 1));
    // `creator_name` is an owner.
    let thing = || {
        let outer = outer.iter().rev().filter(|_| GENERIC.contains(&last));
        let found = |word: &&str| {
            let of = |(role, known): &(Role, &[&str])| Some((*role, at(known, word)? + known.len()));
            [(Role::State, STATE), (Role::Owner, OWNER)].iter().find_map(of)
        };
        outer.filter_map(found).next()
    };
    let by_last = || {
        let found = ROLES.iter().find_map(|(role, known)| {
            let place = at(known, last)?;
            let after = if *role == Role::Name && place < TITLES { TITLES } else { TITLES + known.len() };
            Some((*role, place + after))
        });
        match found {
            // The `…_at` and `…On` of times say less than what is before them.
            Some((Role::Time, _)) if !outer.is_empty() => of_event().or(found),
            found => thing().or(found),
        }
    };
    let by_end = || {
        let ends = |known: &&&str| known.len() >= 4 && whole.ends_with(**known);
        let suffix = |known: &[&str]| known.iter().position(|known| ends(&known));
        [(Role::State, STATE), (Role::Name, NAME), (Role::Amount, AMOUNT), (Role::Time, TIME)]
            .iter()
            .find_map(|(role, known)| Some((*role, suffix(known)? + 3 * known.len())))
    };
    exact().or_else(by_last).or_else(by_end)
}

/// The words of a key, in lower case: those of `createdAt` and of `created_at` are the same.
struct Words {
    /// The letters and digits of the key.
    text: String,
    /// Where each word begins.
    starts: Vec<usize>,
}

impl Words {
    fn of(key: &str) -> Self {
        let (mut text, mut starts) = (String::with_capacity(key.len()), Vec::new());
        let (mut was_lower, mut is_inside) = (false, false);
        for c in key.chars() {
            is_inside &= c.is_alphanumeric() && !(was_lower && c.is_uppercase());
            was_lower = c.is_lowercase() || c.is_ascii_digit();
            if c.is_alphanumeric() {
                if !is_inside {
                    starts.push(text.len());
                }
                is_inside = true;
                text.extend(c.to_lowercase());
            }
        }
        Self { text, starts }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let ends = self.starts.iter().skip(1).copied().chain([self.text.len()]);
        self.starts.iter().zip(ends).map(|(&start, end)| &self.text[start..end])
    }

    fn last(&self) -> Option<&str> {
        self.starts.last().map(|&start| &self.text[start..])
    }

    /// The words before the last one, without spaces.
    fn before_last(&self) -> &str {
        &self.text[..self.starts.last().copied().unwrap_or_default()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_what_a_field_is() {
        for (path, role) in [
            ("id", Some(Role::Identity)),
            ("title", Some(Role::Name)),
            ("fields.summary", Some(Role::Name)),
            ("fields.status.name", Some(Role::State)),
            ("fields.issuetype.name", Some(Role::State)),
            ("metadata.name", Some(Role::Name)),
            ("name.common", Some(Role::Name)),
            ("properties.Name.title.plain_text", Some(Role::Name)),
            ("properties.Status.select.name", Some(Role::State)),
            ("user.login", Some(Role::Owner)),
            ("assignee.displayName", Some(Role::Owner)),
            ("createdBy", Some(Role::Owner)),
            ("updated_at", Some(Role::Time)),
            ("lastModified", Some(Role::Time)),
            ("start.dateTime", Some(Role::Time)),
            ("stage_name", Some(Role::State)),
            ("creator_name", Some(Role::Owner)),
            ("ruleName", Some(Role::Name)),
            ("stargazers_count", Some(Role::Amount)),
            ("country", None),
        ] {
            let keys: Vec<String> = path.split('.').map(str::to_owned).collect();
            assert_eq!(of_keys(&keys).role, role, "{path}");
        }
        let of = |path: &str| of_keys(&path.split('.').map(str::to_owned).collect::<Vec<_>>());
        assert!(of("user.type").is_of_another && of("issuetype.description").is_of_another);
        assert!(of("ruleName").doubt < of("description").doubt && of("name").doubt < of("jobTitle").doubt);
        assert!(
            of("created.timestamp").doubt < of("indexed.date").doubt && of("date").doubt < of("indexed.date").doubt
        );
        assert!(of("name").is_exact() && of("message").is_exact() && !of("ruleName").is_exact());
        assert!(
            is_code(&["statusCode".to_owned()]) && is_code(&["parentid".to_owned()]) && !is_code(&["price".to_owned()])
        );
    }
}
