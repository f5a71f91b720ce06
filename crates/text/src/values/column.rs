//! The printed values of a column: what all of them can be read as.

use std::borrow::Cow;

use super::blank::is_blank;
use super::moment::{self, Moment};
use super::quantity::{self, Quantity, spelling};

/// After this many texts of which most are not numbers, nobody looks for more.
const ENOUGH: usize = 64;
/// How many numbers at the start of a text say how it sorts.
const LEADS: usize = 3;

/// How the values of a column are read. Marks of a missing value are not values, except where all is text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Unchanged.
    #[default]
    Text,
    /// Numbers with one spelling, and with one unit or none.
    Number { spelling: u8, unit: Box<str> },
    /// Sizes with several units: bytes.
    Size { spelling: u8 },
    /// Durations with several units: seconds.
    Duration { spelling: u8 },
    /// Numbers with several units of one base.
    Scaled { spelling: u8, base: Box<str> },
    /// Times that sort as text.
    Time,
    /// Times that do not: with several offsets, or with names of months.
    Instant,
    /// Dates whose year is behind day and month, in one of the orders.
    Dates { order: u8 },
    /// Times of a clock that do not sort as text.
    Clocks,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// A mark of a missing one.
    Blank,
    /// A number as JSON spells it.
    Number(Cow<'t, str>),
    Double(f64),
    Text(Cow<'t, str>),
}

impl Reading {
    /// Numbers without separators and units.
    pub fn plain() -> Self {
        Self::Number { spelling: spelling::PLAIN, unit: Box::default() }
    }

    /// Numbers that may have commas between thousands.
    pub fn thousands() -> Self {
        Self::Number { spelling: spelling::THOUSANDS, unit: Box::default() }
    }

    /// Whether the values are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number { .. } | Self::Size { .. } | Self::Duration { .. } | Self::Scaled { .. })
    }

    /// Whether the values are times, of the calendar or of a clock.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::Time | Self::Instant | Self::Dates { .. } | Self::Clocks)
    }

    /// The value of a text of the column.
    pub fn value<'t>(&self, text: Cow<'t, str>) -> Value<'t> {
        if *self == Self::Text || *self == Self::Time && !is_blank(&text) {
            return Value::Text(text);
        }
        if is_blank(&text) {
            return Value::Blank;
        }
        let scaled = |factor: f64, spelling| Quantity::parse(&text).map(|quantity| quantity.value(spelling) * factor);
        let unit = || Quantity::parse(&text).map_or("", |quantity| quantity.unit);
        let read = match self {
            Self::Number { spelling, .. } => {
                let json = match &text {
                    Cow::Borrowed(text) => Quantity::parse(text).map(|quantity| quantity.json(*spelling)),
                    Cow::Owned(text) => {
                        Quantity::parse(text).map(|quantity| quantity.json(*spelling).into_owned().into())
                    }
                };
                json.map(Value::Number)
            }
            Self::Size { spelling } => {
                quantity::bytes_of(unit()).and_then(|factor| scaled(factor, *spelling)).map(Value::Double)
            }
            Self::Duration { spelling } => {
                let of_one = || quantity::seconds_of(unit()).or(Some(1.0)).and_then(|factor| scaled(factor, *spelling));
                quantity::seconds(&text).or_else(of_one).map(Value::Double)
            }
            Self::Scaled { spelling, base } => {
                let factor = quantity::bases_of(unit()).find(|(of, _)| *of == &**base).map(|(_, factor)| factor);
                // Zero needs no unit.
                let factor = factor.or_else(|| unit().is_empty().then_some(1.0));
                factor.and_then(|factor| scaled(factor, *spelling)).map(Value::Double)
            }
            Self::Dates { order } => Moment::in_order(&text, *order).map(|moment| Value::Text(moment.written().into())),
            Self::Instant => {
                let other = Moment::parse(&text).filter(|moment| !moment.is_iso && moment.is_dated());
                other.map(|moment| Value::Text(moment.written().into()))
            }
            Self::Text | Self::Time | Self::Clocks => None,
        };
        read.unwrap_or(Value::Text(text))
    }
}

impl Reading {
    /// The number, as JSON spells it, that a text with separators or a unit is in a column with this reading; `None` if it is
    /// none, or has a unit that does not convert.
    pub fn number(&self, text: &str) -> Option<String> {
        let quantity = Quantity::parse(text);
        match self {
            Self::Number { spelling, unit } => {
                let quantity = quantity.filter(|quantity| quantity.spellings & spelling > 0)?;
                match quantity::ratio(quantity.unit, unit)? {
                    1.0 => Some(quantity.json(*spelling).into_owned()),
                    ratio => Some((quantity.value(*spelling) * ratio).to_string()),
                }
            }
            Self::Size { .. } | Self::Duration { .. } | Self::Scaled { .. } => match self.value(text.into()) {
                Value::Double(number) => Some(number.to_string()),
                _ => None,
            },
            Self::Text | Self::Time | Self::Instant | Self::Dates { .. } | Self::Clocks => None,
        }
    }
}

/// What the texts of a column are, one after another.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// How many texts are values.
    pub values: usize,
    /// How many values are numbers with or without a unit, or durations.
    numbers: usize,
    /// How many are times.
    times: usize,
    /// How many numbers are bounds, as `<0.1`.
    pub bounds: usize,
    spellings: Option<u8>,
    /// The unit of the first number that is not zero, and the bases that all units have.
    unit: Option<Box<str>>,
    bases: Vec<Box<str>>,
    /// Whether numbers are below zero because they are in brackets, and whether others are in none.
    has_brackets: bool,
    pub has_bare: bool,
    has_units: bool,
    has_parts: bool,
    not_sizes: bool,
    not_durations: bool,
    /// The least and the most digits behind a point, and whether they end with a zero that counts.
    decimals: Option<(usize, usize)>,
    has_zeros: bool,
    /// Whether a number has zeros before it, as codes have.
    pub has_codes: bool,
    /// The first time; others must be spelled alike to sort as text.
    time: Option<Box<str>>,
    has_other_times: bool,
    /// How many of the times are dates whose year is last, in which orders all of them may be, and how many are those of a clock.
    dates: usize,
    orders: Option<u8>,
    clocks: usize,
    /// The least and the most digits of each of the numbers that values begin with.
    leads: [Option<(usize, usize)>; LEADS],
}

impl Survey {
    /// Takes the next text into account, and returns the number that it is.
    pub fn note<'t>(&mut self, text: &'t str) -> Option<Quantity<'t>> {
        for (lead, digits) in self.leads.iter_mut().zip(leading_digits(text)) {
            let (least, most) = lead.unwrap_or((digits, digits));
            *lead = Some((least.min(digits), most.max(digits)));
        }
        let is_text = self.numbers < self.values && self.times < self.values;
        if is_text && self.values >= ENOUGH && self.numbers * 2 < self.values {
            return None;
        }
        if is_blank(text) {
            return None;
        }
        self.values += 1;
        let number = Quantity::parse(text);
        if let Some(number) = &number {
            self.numbers += 1;
            self.number(number);
        } else if self.times + 1 == self.values && self.is_time(text) {
            self.times += 1;
        } else if quantity::seconds(text).is_some() {
            self.numbers += 1;
            (self.has_parts, self.not_sizes) = (true, true);
        } else {
            self.has_codes |= is_code(text.trim_ascii());
        }
        number
    }

    fn number(&mut self, number: &Quantity<'_>) {
        *self.spellings.get_or_insert(u8::MAX) &= number.spellings;
        self.bounds += usize::from(number.is_bound);
        (self.has_brackets, self.has_bare) =
            (self.has_brackets || number.is_in_brackets, self.has_bare || !number.is_in_brackets);
        if let Some(fraction) = number.fraction().filter(|_| number.unit.is_empty()) {
            self.note_decimals(fraction.len(), fraction.len());
            self.has_zeros |= fraction.len() > 1 && fraction.ends_with('0');
        }
        if number.is_zero() && number.unit.is_empty() {
            return;
        }
        match self.unit.as_deref() {
            Some(unit) if !quantity::are_same(unit, number.unit) => {
                if !self.has_units {
                    self.bases = quantity::bases_of(unit).map(|(base, _)| base.into()).collect();
                }
                self.has_units = true;
                self.bases.retain(|base| quantity::bases_of(number.unit).any(|(of, _)| of == &**base));
            }
            _ => {}
        }
        self.not_sizes |= quantity::bytes_of(number.unit).is_none();
        self.not_durations |= quantity::seconds_of(number.unit).is_none();
        if self.unit.is_none() {
            self.unit = Some(number.unit.into());
        }
    }

    fn is_time(&mut self, text: &str) -> bool {
        if let Some(first) = &self.time
            && self.dates + self.clocks == 0
            && are_spelled_alike(first, text)
        {
            return true;
        }
        let Some(moment) = Moment::parse(text).map(Some).or_else(|| self.is_other_time(text).then_some(None)) else {
            return false;
        };
        let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        self.has_other_times |= match (&moment, &self.time) {
            (Some(moment), None) => !moment.is_iso,
            (None, Some(first)) => has_letters || !are_spelled_alike(first, text),
            (None, None) => has_letters,
            (Some(_), Some(_)) => true,
        };
        self.time.get_or_insert_with(|| text.into());
        true
    }

    /// Whether a text is a date whose year is last, or a time of a clock.
    fn is_other_time(&mut self, text: &str) -> bool {
        let orders = moment::orders(text);
        let is_clock = orders == 0 && moment::clock_seconds(text).is_some();
        if orders > 0 {
            *self.orders.get_or_insert(u8::MAX) &= orders;
        }
        (self.dates, self.clocks) = (self.dates + usize::from(orders > 0), self.clocks + usize::from(is_clock));
        orders > 0 || is_clock
    }

    /// Whether the values are dates of which nobody knows if the day or the month is first.
    pub fn has_unclear_dates(&self) -> bool {
        self.values > 0 && self.dates == self.values && self.orders.is_some_and(|orders| !orders.is_power_of_two())
    }

    /// Takes into account that beside the texts there are numbers with this many digits behind their points.
    pub fn note_decimals(&mut self, least: usize, most: usize) {
        let (known_least, known_most) = self.decimals.unwrap_or((usize::MAX, 0));
        self.decimals = Some((known_least.min(least), known_most.max(most)));
    }

    /// What all of them can be read as, in a column of this name.
    pub fn reading(&self, name: &str) -> Reading {
        if self.values == 0 {
            return Reading::Text;
        }
        if self.times == self.values {
            return match (self.dates, self.clocks) {
                (0, 0) if self.has_other_times => Reading::Instant,
                (0, 0) => Reading::Time,
                (dates, 0) if dates == self.values => match self.orders {
                    Some(order) if order.is_power_of_two() => Reading::Dates { order },
                    _ => Reading::Text,
                },
                (0, clocks) if clocks == self.values && self.has_other_times => Reading::Clocks,
                (0, clocks) if clocks == self.values => Reading::Time,
                _ => Reading::Text,
            };
        }
        if self.numbers < self.values || self.are_versions(name) || self.has_brackets && !self.has_bare {
            return Reading::Text;
        }
        let of = |wanted: u8| self.spellings.is_none_or(|all| all & wanted > 0);
        let spellings = [spelling::PLAIN, spelling::THOUSANDS, spelling::COMMA];
        let Some(spelling) = spellings.into_iter().find(|&spelling| of(spelling)) else { return Reading::Text };
        if !self.has_units && !self.has_parts {
            return Reading::Number { spelling, unit: self.unit.clone().unwrap_or_default() };
        }
        match (self.not_durations, self.not_sizes) {
            (false, _) => Reading::Duration { spelling },
            (true, false) => Reading::Size { spelling },
            (true, true) => match self.bases.iter().min_by_key(|base| base.len()) {
                Some(base) if !self.has_parts => Reading::Scaled { spelling, base: base.clone() },
                _ => Reading::Text,
            },
        }
    }

    /// Whether the last digit of a number counts even if it is zero: `3.9` and `3.10` are two versions.
    pub fn are_versions(&self, name: &str) -> bool {
        let differ = self.decimals.is_some_and(|(least, most)| least != most);
        self.has_zeros && differ || self.decimals.is_some() && is_version(name)
    }

    /// Whether texts sort otherwise than the numbers that they begin with: `12 (5h ago)` before `9 (3d ago)`, `1.10` before `1.9`.
    pub fn sorts_unlike_numbers(&self) -> bool {
        self.leads.iter().flatten().any(|(least, most)| least < most)
    }
}

/// How many digits each of the numbers has that a text begins with. What has letters among its digits is a name.
fn leading_digits(text: &str) -> impl Iterator<Item = usize> {
    let text = text.trim_start().trim_start_matches(['+', '-', '$', '€', '£', '~', '<', '>']);
    text.split(|c: char| !c.is_alphanumeric()).map_while(|word| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && !word[digits..].bytes().any(|byte| byte.is_ascii_digit())).then_some(digits)
    })
}

/// Whether a text is a number behind zeros.
fn is_code(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the last word of a name is `version`.
fn is_version(name: &str) -> bool {
    let name = name.strip_suffix('s').unwrap_or(name);
    let Some(before) = name.len().checked_sub("version".len()).filter(|&at| name.is_char_boundary(at)) else {
        return false;
    };
    let (before, word) = name.split_at(before);
    let is_whole = !before.ends_with(|c: char| c.is_ascii_alphabetic())
        || word.starts_with('V') && !before.ends_with(|c: char| c.is_ascii_uppercase());
    word.eq_ignore_ascii_case("version") && is_whole
}

/// Whether two times differ in digits alone, and not in those of their offset.
fn are_spelled_alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let zone = one.iter().rposition(|byte| matches!(byte, b'+' | b'-')).filter(|at| *at > 10).unwrap_or(one.len());
    let alike = |(at, (a, b)): (usize, (&u8, &u8))| a == b || at < zone && a.is_ascii_digit() && b.is_ascii_digit();
    one.len() == other.len() && one.iter().zip(other).enumerate().all(alike)
}

#[cfg(test)]
mod tests {
    use super::super::moment::order;
    use super::*;

    fn reading(name: &str, texts: &[&str]) -> Reading {
        let mut survey = Survey::default();
        for text in texts {
            survey.note(text);
        }
        survey.reading(name)
    }

    fn number(spelling: u8, unit: &str) -> Reading {
        Reading::Number { spelling, unit: unit.into() }
    }

    #[test]
    fn a_column_has_one_reading() {
        use spelling::{COMMA, PLAIN, THOUSANDS};
        for (texts, wanted) in [
            (&["9.60", "19.98", "n/a", "-"][..], number(PLAIN, "")),
            (&["<0.1", "0.5"], number(PLAIN, "")),
            (&["45.2%", "0", "100%"], number(PLAIN, "%")),
            (&["1,234", "999", "12"], number(THOUSANDS, "")),
            (&["1,234", "12,5"], number(COMMA, "")),
            (&["$1,234.50", "$9.00"], number(THOUSANDS, "$")),
            (&["62K", "1.5M", "512"], Reading::Size { spelling: PLAIN }),
            (&["350ms", "1.3s", "2h5m", "0"], Reading::Duration { spelling: PLAIN }),
            (&["2024-03-01T10:00:00+01:00", "2024-03-01T11:00:00+01:00"], Reading::Time),
            (&["2024-03-01T10:00:00+01:00", "2024-03-01T11:00:00Z"], Reading::Instant),
            (&["2024-03-01T10:00:00+01:00", "2024-03-01T11:00:00+02:00"], Reading::Instant),
            (&["Jun 12 1998", "n/a"], Reading::Instant),
            (&["1994.10", "1.25"], number(PLAIN, "")),
            (&["3.9", "3.10"], Reading::Text),
            (&["1.5", "2.0"], number(PLAIN, "")),
            (&["007", "12"], Reading::Text),
            (&["12", "red"], Reading::Text),
            (&["(5)", "12", "1,200"], number(THOUSANDS, "")),
            (&["(5)", "(12)"], Reading::Text),
            (&["1.234,50", "9,99", "1.000.000,00"], number(COMMA, "")),
            (&["1 item", "12 items"], number(PLAIN, "item")),
            (&["950 kB/s", "1.2 MB/s", "0"], Reading::Scaled { spelling: PLAIN, base: "B/s".into() }),
            (&["1.5 cm", "20 mm"], Reading::Scaled { spelling: PLAIN, base: "m".into() }),
            (&["00:03:25", "12:00:01"], Reading::Time),
            (&["00:03:25", "100:00:01"], Reading::Clocks),
            (&["9:05 PM", "10:30 AM"], Reading::Clocks),
            (&["31/12/2022", "01/02/2023"], Reading::Dates { order: order::DAY_FIRST }),
            (&["01/02/2023", "12/31/2022"], Reading::Dates { order: order::MONTH_FIRST }),
            (&["01/02/2023", "03/04/2022"], Reading::Text),
            (&["01/02/2023", "2022-12-31"], Reading::Text),
            (&["PT5M", "P1D"], Reading::Duration { spelling: PLAIN }),
            (&["17 Nov", "18 Nov"], Reading::Text),
            (&["5 marbles", "12 marbles"], number(PLAIN, "marbles")),
            (&["1kg", "2lb"], Reading::Text),
            (&["n/a", ""], Reading::Text),
            (&["10.0.0.1", "10.0.0.2"], Reading::Text),
        ] {
            assert_eq!(reading("v", texts), wanted, "{texts:?}");
        }
        for (name, is_version) in
            [("version", true), ("appVersion", true), ("py_versions", true), ("conversion", false)]
        {
            assert_eq!(reading(name, &["3.10", "3.11"]) == Reading::Text, is_version, "{name}");
        }
    }

    #[test]
    fn values_are_read_alike() {
        for (reading, text, wanted) in [
            (number(spelling::COMMA, ""), "1.234,5", Value::Number("1234.5".into())),
            (number(spelling::PLAIN, "%"), "45.20%", Value::Number("45.20".into())),
            (Reading::Size { spelling: 1 }, "2K", Value::Double(2048.0)),
            (Reading::Duration { spelling: 1 }, "1m30s", Value::Double(90.0)),
            (Reading::Duration { spelling: 1 }, "0", Value::Double(0.0)),
            (Reading::Instant, "01/Mar/2024:10:00:00 +0000", Value::Text("2024-03-01T10:00:00Z".into())),
            (Reading::Instant, "2024-03-01T11:00:00+02:00", Value::Text("2024-03-01T11:00:00+02:00".into())),
            (Reading::Time, "-", Value::Blank),
            (Reading::Text, "-", Value::Text("-".into())),
        ] {
            assert_eq!(reading.value(text.into()), wanted, "{text}");
        }
    }
}
