//! The tokens that a receipt estimates for a result that is not read to its end, compared with the real count.

use serde_json::{Map, Value, json};
use toolshape::host::{Naming, count_tokens};
use toolshape::{Call, Encoding, Policy, Shaper};

/// The most by which an estimate may be wrong.
const TOLERANCE: f64 = 0.2;
const WORDS: [&str; 12] = [
    "the", "budget", "of", "a", "result", "überholt", "tokens", "日本語", "continues", "elsewhere", "🙂",
    "internationalization",
];

/// The same texts in every run, of very different lengths.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn text(&mut self, most: usize) -> String {
        let words = 1 + self.below(most);
        (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }

    fn row(&mut self, at: usize) -> Value {
        let mut row = json!({
            "id": at, "name": self.text(4), "score": self.below(1_000_000) as f64 / 1000.0, "note": null, "text": self.text(60),
            "user": { "id": self.below(1_000_000), "login": self.text(2), "counts": [self.below(9), self.below(99_999)] },
        });
        if self.below(3) == 0 {
            row["parent"] =
                json!({ "id": self.below(1_000_000), "text": self.text(120), "tags": [self.text(2), self.text(2)] });
        }
        row
    }
}

fn list(count: usize, mut item: impl FnMut(usize) -> Value) -> Value {
    (0..count).map(&mut item).collect()
}

fn object(count: usize, mut member: impl FnMut(usize) -> Value) -> Value {
    (0..count).map(|at| (format!("member {at}"), member(at))).collect::<Map<_, _>>().into()
}

#[test]
fn estimates_are_near_the_truth() {
    let random = &mut Random(7);
    let documents = [
        ("rows", list(500, |at| random.row(at))),
        ("rows in an envelope", json!({ "total": 300, "data": { "items": list(300, |at| random.row(at)) } })),
        ("a map of rows", object(400, |at| random.row(at))),
        ("few large rows", list(6, |_| object(60, |at| random.row(at)))),
        ("one member is most of it", json!({ "a": 1, "b": random.text(5_000), "c": list(9, |at| json!(at)) })),
        ("a matrix of numbers", list(60, |_| list(60, |_| json!(random.below(1_000_000) as f64 / 7.0)))),
        ("a matrix of objects", list(30, |y| list(30, |x| json!({ "x": x, "y": y, "rate": random.below(10_000) })))),
        ("texts of all lengths", list(300, |at| json!(random.text(1 + at % 7 * at % 90)))),
        ("levels", object(8, |_| object(8, |_| object(8, |_| list(8, |at| json!([at, random.text(6)])))))),
        ("small members of a large map", object(5_000, |at| json!(at * 7919 % 1000))),
    ];
    let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 500 }), Naming::Camel).unwrap());
    for (name, document) in &documents {
        let text = document.to_string();
        let tokens = count_tokens(&text, Encoding::O200kBase);
        let receipt = shaper.shape_json(&text, &Call::default()).unwrap().receipt;
        assert!(!receipt.tokens_before_exact, "{name} is counted");
        let estimated = receipt.tokens_before;
        let error = estimated as f64 / tokens as f64 - 1.0;
        println!("{name}: {tokens} tokens, estimated {estimated}, {:.1} %", error * 100.0);
        assert!(error.abs() <= TOLERANCE, "{name}: {estimated} estimated, {tokens} counted");
    }
}
