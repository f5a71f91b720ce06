//! The tokens of a statement, and what is beside what: enough to know whether it compares, and what.

/// The operator that gives a member as a text.
pub const MEMBER: &str = "->>";
/// What makes a number of a text: an operator before or behind it, or a function around it.
pub const OPERATORS: [&str; 5] = ["+", "-", "*", "/", "%"];
pub const NUMBERS: [&str; 8] = ["cast", "sum", "avg", "total", "median", "percentile", "abs", "round"];

/// The tokens of a statement, in small letters.
pub struct Tokens<'s>(pub Vec<&'s str>);

impl Tokens<'_> {
    pub fn is(&self, at: usize, token: &str) -> bool {
        self.0.get(at) == Some(&token)
    }

    pub fn is_number(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Where what begins with a token ends: at itself, or at the bracket that closes it.
    pub fn end(&self, at: usize) -> usize {
        let mut depth = 0;
        let closes = |token: &&str| {
            depth += i32::from(*token == "(") - i32::from(*token == ")");
            depth <= 0
        };
        at + self.0.iter().skip(at).position(closes).unwrap_or(0)
    }

    /// Where what is before an operator begins: a column, a call, or what is in brackets, and the way to a member of it.
    pub fn start(&self, operator: usize) -> usize {
        let mut at = operator.saturating_sub(1);
        loop {
            if self.is(at, ")") {
                at = (0..at).rev().find(|&open| self.is(open, "(") && self.end(open) == at).unwrap_or(at);
                let is_call = at > 0 && self.0[at - 1].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                at -= usize::from(is_call);
            }
            match at.checked_sub(2) {
                Some(before) if [".", "->", MEMBER].contains(&self.0[at - 1]) => at = before,
                _ => return at,
            }
        }
    }

    /// Whether a number is made of what is between two tokens.
    pub fn is_made_number(&self, (mut start, mut end): (usize, usize)) -> bool {
        loop {
            let before = start.checked_sub(1).map_or("", |at| self.0[at]);
            let behind = self.0.get(end + 1).copied().unwrap_or_default();
            if OPERATORS.contains(&before) || OPERATORS.contains(&behind) {
                return true;
            }
            let around = start.checked_sub(2).map_or("", |at| self.0[at]);
            if before != "(" || behind != ")" || NUMBERS.contains(&around) {
                return before == "(" && NUMBERS.contains(&around);
            }
            (start, end) = (start - 1, end + 1);
        }
    }

    /// Whether a column, whose name is in any case, is compared or sorted somewhere unchanged, as text.
    pub fn compares_as_text(&self, name: &str) -> bool {
        self.places_of(name).any(|at| self.is_compared_as_text((at, at)))
    }

    /// Whether what is between two tokens is compared or sorted unchanged, there or by its alias.
    pub fn is_compared_as_text(&self, place: (usize, usize)) -> bool {
        let is_text = |place| !self.is_made_number(place) && !self.is_within_number(place.0);
        let is_it = |place| is_text(place) && self.is_compared(place);
        let is_alias = |alias| self.places_of(alias).any(|at| is_it((at, at)));
        is_it(place)
            || is_text(place)
                && self.is(place.1 + 1, "as")
                && self.0.get(place.1 + 2).is_some_and(|alias| is_alias(alias))
    }

    fn places_of(&self, name: &str) -> impl Iterator<Item = usize> {
        let bare = |token: &str| token.trim_matches(['"', '`', '[', ']']).to_ascii_lowercase();
        let name = bare(name);
        self.0.iter().enumerate().filter(move |(_, token)| bare(token) == name).map(|(at, _)| at)
    }

    /// Whether a function that makes a number is around a token, however deep: `CAST(replace(v, ',', '') AS REAL)`.
    fn is_within_number(&self, at: usize) -> bool {
        let mut inside = at;
        while let Some(open) = self.opening(inside) {
            if open.checked_sub(1).is_some_and(|before| NUMBERS.contains(&self.0[before])) {
                return true;
            }
            inside = open;
        }
        false
    }

    /// The bracket that is open before a token.
    pub fn opening(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        (0..at).rev().find(|&at| {
            depth += i32::from(self.is(at, ")")) - i32::from(self.is(at, "("));
            depth < 0
        })
    }

    /// Whether what is between two tokens is sorted, or compared in a way that differs for numbers: by order, or with a number.
    fn is_compared(&self, (start, end): (usize, usize)) -> bool {
        let before = |count: usize| start.checked_sub(count).map_or("", |at| self.0[at]);
        let is_number = |at: usize| self.is_number(at + usize::from(self.is(at, "-") || self.is(at, "(")));
        let behind = end + 1 + usize::from(self.is(end + 1, "not"));
        let compares_behind = match self.0.get(behind).copied().unwrap_or_default() {
            "<" if self.is(behind + 1, ">") => is_number(behind + 2),
            "!" => is_number(behind + 2),
            "=" | "in" => is_number(behind + 1),
            "<" | ">" | "between" => true,
            _ => false,
        };
        let compares_before = match (before(2), before(1)) {
            ("<", ">") | ("!", "=") => start > 2 && self.is_number(start - 3),
            ("<" | ">", "=") => true,
            (_, "=") => start > 1 && self.is_number(start - 2),
            (_, "<" | ">" | "between") => true,
            (outer, "(") => matches!(outer, "min" | "max"),
            _ => false,
        };
        compares_behind || compares_before || self.is_sorted(start)
    }

    /// Whether rows are sorted by a token, or by the number of the column that it is part of.
    fn is_sorted(&self, at: usize) -> bool {
        let clause = (0..at).rev().find(|&token| ["select", "from"].contains(&self.0[token]));
        let mut depth = 0;
        let is_outer = |token: &&&str| {
            depth += i32::from(**token == "(") - i32::from(**token == ")");
            **token == "," && depth == 0
        };
        // Behind FROM nothing is a column of the answer.
        let select = clause.filter(|&clause| self.is(clause, "select"));
        let number = select.map(|select| (self.0[select..at].iter().filter(is_outer).count() + 1).to_string());
        let mut sorts = (0..self.0.len()).filter(|&order| self.is(order, "order") && self.is(order + 1, "by"));
        sorts.any(|order| {
            let by = &self.0[order + 1..];
            let len = by.iter().position(|token| ["limit", "from"].contains(token)).unwrap_or(by.len());
            let mut pairs = by[..len].windows(2);
            let is_numbered = pairs.any(|pair| ["by", ","].contains(&pair[0]) && number.as_deref() == Some(pair[1]));
            order + 1 < at && at <= order + len || is_numbered && at < order
        })
    }
}
