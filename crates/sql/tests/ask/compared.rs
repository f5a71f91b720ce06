//! Our tables in place, beside ordinary tables of SQLite with the same values: joins, comparisons and groups agree.

use rusqlite::Connection;
use rusqlite::types::Value;
use toolshape_sql::{Limits, SqlValue, Table, ask};

use super::known::Known;

/// Values of every kind, spelled in JSON, that equal each other under some rule of SQLite.
const VALUES: [&str; 20] = [
    "1",
    "1.0",
    "\"1\"",
    "\"1.0\"",
    "\" 1\"",
    "\"1e0\"",
    "0",
    "-0.0",
    "\"0\"",
    "null",
    "true",
    "false",
    "\"a\"",
    "\"A\"",
    "\"\"",
    "2.5",
    "\"2.5\"",
    "[1]",
    "9007199254740993",
    "9007199254740992.0",
];

fn lists() -> Vec<String> {
    let column = |wanted: fn(&str) -> bool| VALUES.into_iter().filter(|value| wanted(value)).collect::<Vec<_>>();
    let columns = [
        column(|_| true),
        column(|value| value.starts_with('"')),
        column(|value| value.parse::<i64>().is_ok()),
        column(|value| value.parse::<f64>().is_ok()),
        column(|value| value.parse::<f64>().is_ok() && value.contains('.')),
        column(|value| value.parse::<f64>().is_ok() || value == "null"),
    ];
    let row = |value: &&str| format!("{{\"v\":{value}}}");
    columns.iter().map(|values| format!("[{}]", values.iter().map(row).collect::<Vec<_>>().join(","))).collect()
}

/// Copies our tables into ordinary ones.
fn copied(known: &Known, names: &[(&str, &Table)]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for (name, table) in names {
        let kind = match table.columns()[0].kind.name() {
            "integer" => "INTEGER",
            "real" => "REAL",
            "number" => "NUMERIC",
            "text" | "json" => "TEXT",
            _ => "",
        };
        connection.execute_batch(&format!("CREATE TABLE {name}(v {kind})")).unwrap();
        let answer = ask(&format!("SELECT v FROM {name}"), known, &Limits::default()).remove(0).unwrap();
        for row in answer.rows {
            let value = match &row[0] {
                SqlValue::Null => Value::Null,
                SqlValue::Integer(number) => Value::Integer(*number),
                SqlValue::Real(number) => Value::Real(*number),
                SqlValue::Text(text) | SqlValue::Blob(text) => Value::Text(text.clone()),
            };
            connection.execute(&format!("INSERT INTO {name} VALUES (?1)"), [value]).unwrap();
        }
    }
    connection
}

#[test]
fn joins_and_comparisons_agree_with_ordinary_tables() {
    let lists = lists();
    let mut joined = 0;
    for (at, a) in lists.iter().enumerate() {
        for (other, b) in lists.iter().enumerate() {
            let known = Known::default().json("a", a).json("b", b);
            let tables = (Table::json(a.as_str()).unwrap(), Table::json(b.as_str()).unwrap());
            let connection = copied(&known, &[("a", &tables.0), ("b", &tables.1)]);
            for sql in [
                "SELECT count(*), count(DISTINCT a.v), group_concat(printf('%.2f', b.v), '|') FROM a CROSS JOIN b ON a.v = b.v",
                "SELECT count(*) FROM b CROSS JOIN a ON a.v = b.v",
                "SELECT count(*) FROM a LEFT JOIN b ON b.v = a.v WHERE b.v IS NULL",
                "SELECT count(*) FROM a WHERE v IN (SELECT v FROM b)",
                "SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.v = a.v)",
                "SELECT count(*) FROM a JOIN b ON a.v = b.v COLLATE NOCASE",
                "SELECT count(*) FROM a JOIN b ON a.v IS b.v",
                "SELECT count(*) FROM a, b WHERE a.v < b.v",
                "SELECT count(*) FROM a WHERE v = 1 OR v = '1' OR v > 'A'",
            ] {
                let found = known.answer(sql).rows.remove(0);
                let expected = connection
                    .query_row(sql, [], |row| {
                        (0..found.len()).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>()
                    })
                    .unwrap();
                let found: Vec<Value> = found
                    .into_iter()
                    .map(|value| match value {
                        SqlValue::Integer(number) => Value::Integer(number),
                        SqlValue::Text(text) => Value::Text(text),
                        SqlValue::Null => Value::Null,
                        other => panic!("{other:?}"),
                    })
                    .collect();
                joined += usize::from(found[0] != Value::Integer(0));
                assert_eq!(sorted(&found), sorted(&expected), "{sql} of {at} and {other}");
            }
        }
    }
    assert!(joined > 200, "{joined}");
}

/// The order in which a join finds its rows is free: that of a list is not compared.
fn sorted(values: &[Value]) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Text(text) => {
            let mut parts: Vec<&str> = text.split('|').collect();
            parts.sort_unstable();
            parts.join("|")
        }
        other => format!("{other:?}"),
    };
    values.iter().map(text).collect()
}
