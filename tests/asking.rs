//! The twenty questions of `docs/asking.md`, with answers that a plain program finds.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::sql::Stored;

const STATUSES: [&str; 4] = ["paid", "paid", "open", "paid"];
const CITIES: [&str; 3] = ["Bern", "Lyon", "Oslo"];

struct Order {
    id: usize,
    customer: usize,
    status: &'static str,
    total: usize,
    day: usize,
    city: &'static str,
    sku: usize,
}

fn orders() -> Vec<Order> {
    let order = |id: usize| Order {
        id,
        customer: id * 7 % 18,
        status: STATUSES[id % 4],
        total: id * 7919 % 1000,
        day: id / 40 + 1,
        city: CITIES[id % 3],
        sku: id % 5,
    };
    // The last is the one before it again.
    (0..239).chain([238]).enumerate().map(|(at, id)| Order { id: at, ..order(id) }).collect()
}

fn json_of(order: &Order) -> Value {
    let Order { id, customer, status, total, day, city, sku } = order;
    let items = json!([{ "sku": format!("s{sku}"), "quantity": 2 }, { "sku": "box", "quantity": 1 }]);
    json!({
        "id": id, "customer": customer, "status": status, "total": total, "address": { "city": city }, "items": items,
        "placed": format!("2026-11-{day:02}T10:00:00Z"),
    })
}

/// What is stored, by the names that the page uses.
fn stored(store: &mut Stored) -> BTreeMap<&'static str, String> {
    let orders: Vec<Value> = orders().iter().map(json_of).collect();
    let customers: String = (0..20).map(|id| format!("{id},Customer {id:02},{}\n", CITIES[id % 3])).collect();
    let log: String = (0..500)
        .map(|n| {
            let level = if n % 125 == 7 { "ERROR" } else { "INFO" };
            format!(
                "2026-11-20T10:{:02}:{:02}Z {level} request {n} of user=u{} took {} ms\n",
                n / 60,
                n % 60,
                n % 3,
                n * 3
            )
        })
        .collect();
    let changes = "# Changes\n\n## 2.0\n\n- one\n- two\n\n## 1.0\n\n- three\n".to_owned();
    let hunk = "@@ -1,3 +1,4 @@\n one\n-two\n+2\n+and\n three\n";
    let patch = ["a.txt", "b.txt"]
        .map(|file| format!("diff --git a/{file} b/{file}\nindex 1..2 100644\n--- a/{file}\n+++ b/{file}\n{hunk}"))
        .concat();
    let settings = json!({ "timeout": 5, "retry": { "timeout": [1, 2], "other": null }, "name": "x" });
    BTreeMap::from([
        ("orders", store.keep("json", &json!({ "count": orders.len(), "orders": orders }).to_string())),
        ("customers", store.keep("txt", &format!("id,name,city\n{customers}"))),
        ("log", store.keep("txt", &log)),
        ("changes", store.keep("txt", &changes)),
        ("patch", store.keep("txt", &patch)),
        ("settings", store.keep("json", &settings.to_string())),
    ])
}

/// The questions of the page, with handles in place of names.
fn questions(names: &BTreeMap<&str, String>) -> Vec<String> {
    let page = include_str!("../docs/asking.md");
    let rows = page.lines().filter_map(|line| Some(line.strip_prefix("| ")?.split_once(" | `SELECT ")?.1));
    let named = |sql: &str| {
        // A name that follows `FROM`, `JOIN`, a comma, or comes before a point.
        names.iter().fold(sql.to_owned(), |sql, (name, handle)| {
            ["FROM ", "JOIN ", "ON "]
                .iter()
                .fold(sql, |sql, before| sql.replace(&format!("{before}{name}"), &format!("{before}{handle}")))
        })
    };
    rows.map(|row| format!("SELECT {}", named(row.trim_end_matches(" |").trim_end_matches('`')))).collect()
}

/// Sums of a number by a key.
fn by<K: Ord>(key: impl Fn(&Order) -> K, number: impl Fn(&Order) -> usize) -> BTreeMap<K, usize> {
    let mut sums = BTreeMap::new();
    orders().iter().for_each(|order| *sums.entry(key(order)).or_insert(0) += number(order));
    sums
}

fn answers() -> Vec<Value> {
    let orders = orders();
    let mut totals: Vec<usize> = orders.iter().map(|order| order.total).collect();
    totals.sort_unstable();
    let at = 0.95 * 239.0_f64;
    let (low, high) = (totals[at as usize] as f64, totals[at as usize + 1] as f64);
    let percentile = low + (high - low) * at.fract();
    let median = (totals[119] + totals[120]) as f64 / 2.0;
    let (count, sum) = (by(|order| order.status, |_| 1), by(|order| order.status, |order| order.total));
    let mut largest: Vec<&Order> = orders.iter().collect();
    largest.sort_by_key(|order| (usize::MAX - order.total, order.id));
    let by_city = by(|order| order.city, |_| 1);
    let mut articles = by(|order| format!("s{}", order.sku), |_| 2);
    articles.insert("box".to_owned(), orders.len());
    let mut customers: Vec<(usize, usize)> =
        by(|order| order.customer, |order| order.total).into_iter().map(|(a, b)| (b, a)).collect();
    customers.sort_unstable_by(|a, b| b.cmp(a));
    let twice = by(|order| (order.customer, order.total), |_| 1);
    let twice: Vec<Value> = twice
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|((customer, total), count)| json!([customer, total, count]))
        .collect();
    let mut so_far = 0;
    let days: Vec<Value> = by(|order| order.day, |_| 1)
        .into_iter()
        .map(|(day, count)| {
            so_far += count;
            json!([format!("2026-11-{day:02}"), count, so_far])
        })
        .collect();
    let best = |status: &str| {
        let best = orders
            .iter()
            .filter(|order| order.status == status)
            .max_by_key(|order| (order.total, usize::MAX - order.id))
            .unwrap();
        json!([status, best.id, best.total])
    };
    let pairs =
        |sums: BTreeMap<String, usize>| -> Value { sums.into_iter().map(|(key, sum)| json!([key, sum])).collect() };
    vec![
        json!([[240]]),
        json!([json_of(&orders[0]).as_object().unwrap().values().collect::<Vec<_>>()]),
        json!([["paid", count["paid"], sum["paid"]], ["open", count["open"], sum["open"]]]),
        largest[..3].iter().map(|order| json!([order.id, order.total])).collect(),
        json!([[median, percentile]]),
        json!([[(1000.0 * count["paid"] as f64 / 240.0).round() / 10.0]]),
        by_city.into_iter().map(|(city, count)| json!([city, count])).collect(),
        pairs(articles),
        customers[..2].iter().map(|(sum, id)| json!([format!("Customer {id:02}"), sum])).collect(),
        json!([["Customer 18"], ["Customer 19"]]),
        twice.into(),
        days.into(),
        json!([best("open"), best("paid")]),
        json!([[8, "request 7 of user=u1 took 21 ms"], [133, "request 132 of user=u0 took 396 ms"]]),
        json!([["request * of user=* took * ms", 500]]),
        json!([[500, 1497], [499, 1494]]),
        json!([["u0", 167], ["u1", 167], ["u2", 166]]),
        json!([["1.0", 1], ["2.0", 2]]),
        json!([["a.txt", 2], ["b.txt", 2]]),
        json!([["$.retry.timeout", [1, 2]], ["$.timeout", 5]]),
    ]
}

/// Numbers that are equal are equal whether they have a point or not.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => (one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        _ => one == other,
    }
}

#[test]
fn the_questions_of_the_page_have_the_answers_of_a_plain_program() {
    let mut store = Stored::new(&json!({}));
    let names = stored(&mut store);
    let (questions, answers) = (questions(&names), answers());
    assert_eq!((questions.len(), answers.len()), (20, 20));
    for (sql, wanted) in questions.iter().zip(&answers) {
        let reply = store.ask(sql);
        assert!(is_same(&reply["rows"], wanted), "{sql}\n{reply}\n{wanted}");
    }
}
