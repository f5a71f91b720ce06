//! How heavy a text or a value is, in tokens of one encoding.

use crate::error::Error;
use crate::source::{Kind, Source};
use crate::tokens::{self, Counter, Encoding};

/// No token of either vocabulary is longer, so a text of more bytes per token is over for certain.
pub(crate) const MAX_TOKEN_BYTES: usize = 128;
/// Characters of a string that an estimate reads, half at each end: of one that is the whole value, and of one in it.
const SAMPLE_CHARS: [usize; 2] = [2048, 512];
/// Items of an array and keys of an object that an estimate reads, by depth; together they weigh no more than a page.
const SAMPLED: [(usize, usize); 5] = [(8, 32), (4, 16), (2, 16), (1, 8), (1, 4)];
/// A value of more bytes per token is hardly ever within the limit: it is written piece by piece, not as a whole.
const LIKELY_BYTES: usize = 8;
/// What is smaller is one piece; larger containers are opened, so many levels of them, so many items at a time.
const PIECE_BYTES: usize = 2048;
const PIECEWISE_LEVELS: usize = 8;
const PIECE_ITEMS: usize = 16;

/// Measures in one encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub encoding: Encoding,
}

impl Measure {
    /// The tokens of a text, exactly.
    pub fn count(self, text: &str) -> usize {
        tokens::count_tokens(text, self.encoding)
    }

    /// The tokens of a text if they are at most `limit`; stops soon after the limit.
    pub fn fits(self, text: &str, limit: usize) -> Option<usize> {
        tokens::fits_tokens(text, limit, self.encoding)
    }

    /// Whether a value has more than `limit` tokens for certain, told from a lower bound of its length.
    pub fn is_over<S: Source>(self, value: &S, limit: usize) -> bool {
        let most = limit.saturating_add(1).saturating_mul(MAX_TOKEN_BYTES);
        value.min_bytes(most) > most
    }

    /// The JSON text of a value and its tokens, if they are at most `limit`; reads little more than that.
    pub fn json_within<S: Source>(self, value: &S, limit: usize) -> Result<Option<(String, usize)>, Error> {
        let likely = limit.saturating_mul(LIKELY_BYTES);
        if value.min_bytes(likely) <= likely {
            let json = value.json()?;
            return Ok(self.fits(&json, limit).map(|tokens| (json.into_owned(), tokens)));
        }
        let counter = Counter::new(self.encoding);
        let mut piecewise = Piecewise { measure: self, text: String::new(), counter, limit };
        let is_written = piecewise.write(value, PIECEWISE_LEVELS)? && piecewise.counter.fits(limit);
        Ok(is_written.then(|| (piecewise.text, piecewise.counter.total())))
    }

    /// About how many tokens a value's JSON text has, from a sample that does not grow with the value.
    ///
    /// Which parts are read depends on the value alone, so every face estimates the same.
    pub fn estimate<S: Source>(self, value: &S) -> Result<usize, Error> {
        self.estimate_below(value, 0)
    }

    fn estimate_below<S: Source>(self, value: &S, depth: usize) -> Result<usize, Error> {
        let (sampled_items, sampled_keys) = SAMPLED.get(depth).copied().unwrap_or((0, 0));
        match value.kind() {
            Kind::String => self.estimate_text(value, SAMPLE_CHARS[depth.min(1)]),
            Kind::Array => {
                let len = value.len();
                let picks = evenly(len, sampled_items);
                let mut sum = 0;
                for &pick in &picks {
                    for item in value.items(pick, 1)? {
                        sum += self.estimate_below(&item, depth + 1)? + 1;
                    }
                }
                Ok(2 + scale(sum, picks.len(), len))
            }
            Kind::Object => {
                let entries = value.entries()?;
                let picks = evenly(entries.len(), sampled_keys);
                let mut sum = 0;
                for &pick in &picks {
                    let (key, child) = &entries[pick];
                    sum += self.count(key) + 1 + self.estimate_below(child, depth + 1)?;
                }
                Ok(2 + scale(sum, picks.len(), entries.len()))
            }
            _ => Ok(self.count(&value.json()?)),
        }
    }

    /// About how many tokens a string has, without its quotes counted apart.
    fn estimate_text<S: Source>(self, value: &S, sampled: usize) -> Result<usize, Error> {
        let chars = value.chars();
        if chars <= sampled {
            return Ok(self.count(&value.slice(0, chars)?) + 1);
        }
        let half = sampled / 2;
        let ends = self.count(&value.slice(0, half)?) + self.count(&value.slice(chars - half, half)?);
        Ok(scale(ends, sampled, chars))
    }
}

/// The JSON text of a value as it is written and counted, piece after piece, until it is too much.
struct Piecewise {
    measure: Measure,
    text: String,
    counter: Counter,
    limit: usize,
}

impl Piecewise {
    /// Writes a value, its containers opened down to so many levels; false once it is over.
    fn write<S: Source>(&mut self, value: &S, levels: usize) -> Result<bool, Error> {
        let is_container = matches!(value.kind(), Kind::Array | Kind::Object);
        if !is_container || levels == 0 || value.min_bytes(PIECE_BYTES) <= PIECE_BYTES {
            return Ok(!self.measure.is_over(value, self.limit) && self.push(&value.json()?));
        }
        let mut before = "[";
        if value.kind() == Kind::Object {
            before = "{";
            for (key, value) in value.entries()? {
                if !(self.push(before) && self.push(&key) && self.push(":") && self.write(&value, levels - 1)?) {
                    return Ok(false);
                }
                before = ",";
            }
            return Ok(self.push("}"));
        }
        for start in (0..value.len()).step_by(PIECE_ITEMS) {
            for item in value.items(start, PIECE_ITEMS)? {
                if !(self.push(before) && self.write(&item, levels - 1)?) {
                    return Ok(false);
                }
                before = ",";
            }
        }
        Ok(self.push("]"))
    }

    fn push(&mut self, text: &str) -> bool {
        self.text.push_str(text);
        self.counter.push(text);
        !self.counter.is_over(self.limit)
    }
}

fn scale(sum: usize, sampled: usize, total: usize) -> usize {
    if sampled == 0 { total } else { (sum as u128 * total as u128 / sampled as u128) as usize }
}

/// At most `max` indices below `len`, evenly spaced, the first and the last among them.
pub(crate) fn evenly(len: usize, max: usize) -> Vec<usize> {
    match (len, max) {
        (0, _) | (_, 0) => Vec::new(),
        _ if len <= max => (0..len).collect(),
        (_, 1) => vec![0],
        _ => (0..max).map(|i| (i as u128 * (len - 1) as u128 / (max - 1) as u128) as usize).collect(),
    }
}

#[cfg(test)]
mod scratch {
    use super::*;
    use crate::json_text::JsonText;

    struct Sampler {
        chars: f64,
        text: String,
        room: usize,
        counts: usize,
    }
    impl Sampler {
        // gives estimated characters
        fn weigh<S: Source>(&mut self, value: &S, depth: usize) -> f64 {
            let (si, sk) = SAMPLED.get(depth).copied().unwrap_or((0, 0));
            match value.kind() {
                Kind::String => {
                    let chars = value.chars();
                    let half = 256;
                    if self.text.len() < self.room {
                        if chars <= 2 * half {
                            self.text += "\"";
                            self.text += &value.slice(0, chars).unwrap();
                            self.text += "\"";
                        } else {
                            self.text += "\"";
                            self.text += &value.slice(0, half).unwrap();
                            self.text += &value.slice(chars - half, half).unwrap();
                            self.text += "\"";
                        }
                    }
                    chars as f64 + 2.0
                }
                Kind::Array => {
                    let picks = evenly(value.len(), si);
                    let mut sum = 0.0;
                    self.text.push('[');
                    for &p in &picks {
                        for item in value.items(p, 1).unwrap() {
                            sum += self.weigh(&item, depth + 1) + 1.0;
                            self.text.push(',');
                        }
                    }
                    self.text.push(']');
                    1.0 + if picks.is_empty() {
                        value.len() as f64 * 4.0
                    } else {
                        sum * value.len() as f64 / picks.len() as f64
                    }
                }
                Kind::Object => {
                    let entries = value.entries().unwrap();
                    let picks = evenly(entries.len(), sk);
                    let mut sum = 0.0;
                    self.text.push('{');
                    for &p in &picks {
                        let (k, v) = &entries[p];
                        self.text += k;
                        self.text.push(':');
                        sum += k.len() as f64 + 2.0 + self.weigh(v, depth + 1);
                        self.text.push(',');
                    }
                    self.text.push('}');
                    1.0 + if picks.is_empty() {
                        entries.len() as f64 * 4.0
                    } else {
                        sum * entries.len() as f64 / picks.len() as f64
                    }
                }
                _ => {
                    let j = value.json().unwrap();
                    if self.text.len() < self.room {
                        self.text += &j;
                    }
                    j.len() as f64
                }
            }
        }
    }

    #[test]
    fn compare() {
        let m = Measure { encoding: Encoding::O200kBase };
        let dir = "/work/wt/cost/target/bench/data";
        let mut cases: Vec<(String, String)> = Vec::new();
        for f in ["files/twitter.json", "files/citm_catalog.json", "articles.json"] {
            cases.push((f.into(), std::fs::read_to_string(format!("{dir}/{f}")).unwrap()));
        }
        for e in std::fs::read_dir("/work/wt/cost/target/bench/shape/node_modules/simdjson/jsonexamples").unwrap() {
            let p = e.unwrap().path();
            if p.extension().is_some_and(|x| x == "json") && p.metadata().unwrap().len() < 4_000_000 {
                cases.push((p.file_name().unwrap().to_string_lossy().into(), std::fs::read_to_string(&p).unwrap()));
            }
        }
        for f in ["/work/wt/cost/target/bench/grid.json"] {
            if let Ok(t) = std::fs::read_to_string(f) {
                cases.push(("grid".into(), t));
            }
        }
        for (name, text) in cases {
            let Ok(v) = JsonText::parse(&text) else { continue };
            let json = v.json().unwrap().into_owned();
            let v = JsonText::parse(&json).unwrap();
            let exact = m.count(&json);
            let t = std::time::Instant::now();
            let old = m.estimate(&v).unwrap();
            let t_old = t.elapsed();
            let mut line = format!(
                "{name:28} bytes {:8} exact {exact:8} old {:+6.1}% {t_old:?}",
                json.len(),
                100.0 * (old as f64 / exact as f64 - 1.0)
            );
            for room in [1000, 2000, 4000, 8000, 100000] {
                let t = std::time::Instant::now();
                let mut s = Sampler { chars: 0.0, text: String::new(), room, counts: 0 };
                let chars = s.weigh(&v, 0);
                let new = chars * m.count(&s.text) as f64 / s.text.chars().count() as f64;
                line += &format!(
                    " | {room} ({}) {:+6.1}% {:?} chars {:+6.1}%",
                    s.text.len(),
                    100.0 * (new / exact as f64 - 1.0),
                    t.elapsed(),
                    100.0 * (chars / json.chars().count() as f64 - 1.0)
                );
            }
            println!("{line}");
        }
    }
}
