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
        self.0.get(at).is_some_and(|token| token.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
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

    /// Whether a column, whose name is in any case, is compared or sorted somewhere unchanged.
    pub fn compares_as_text(&self, name: &str) -> bool {
        let is_it = |token: &&str| token.trim_matches(['"', '`', '[', ']']).eq_ignore_ascii_case(name);
        let mut places = self.0.iter().enumerate().filter(|(_, token)| is_it(token)).map(|(at, _)| at);
        places.any(|at| self.is_compared(at) && !self.is_made_number((at, at)) && !self.is_within_number(at))
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

    /// Whether a token is next to a comparison, in `min` or `max`, or in what rows are sorted by, which may be its place.
    pub fn is_compared(&self, at: usize) -> bool {
        const COMPARISONS: [&str; 7] = ["<", ">", "=", "!", "between", "in", "not"];
        let is_comparison = |at: usize| self.0.get(at).is_some_and(|token| COMPARISONS.contains(token));
        let is_extreme = at >= 2 && self.is(at - 1, "(") && (self.is(at - 2, "min") || self.is(at - 2, "max"));
        let sorts = |by: usize| {
            let end = self
                .0
                .iter()
                .skip(by)
                .position(|token| ["limit", "from"].contains(token))
                .map_or(usize::MAX, |len| by + len);
            by >= 1 && self.is(by - 1, "order") && self.is(by, "by") && (by < at && at < end || self.is_number(by + 1))
        };
        at >= 1 && is_comparison(at - 1) || is_comparison(at + 1) || is_extreme || (0..self.0.len()).any(sorts)
    }

    /// Whether they sort, or compare which is more, or with a number.
    pub fn compare(&self) -> bool {
        let equals = |at: usize, next: usize| {
            let sign = usize::from(self.is(next, "-") || self.is(next, "("));
            self.is_number(next + sign) || at > 0 && self.is_number(at - 1)
        };
        self.0.iter().enumerate().any(|(at, &token)| match token {
            "order" => self.is(at + 1, "by"),
            "min" | "max" => self.is(at + 1, "("),
            "between" => true,
            "=" | "in" => equals(at, at + 1),
            "<" if self.is(at + 1, ">") => equals(at, at + 2),
            "<" | ">" => at == 0 || !self.is(at - 1, "<"),
            _ => false,
        })
    }
}
