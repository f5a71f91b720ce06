//! Our tables in place, compared with ordinary tables of SQLite with the same values: joins, comparisons and groups agree.

use rusqlite::Connection;
use rusqlite::types::Value;
use toolshape_sql::{AskErrorKind, Limits, SqlValue, Table, ask};

use super::known::Known;

/// Values of every kind, spelled in JSON, that equal each other under some rule of SQLite.
const VALUES: [&str; 20] = [
    "1", "1.0", "\"1\"", "\"1.0\"", "\" 1\"", "\"1e0\"", "0", "-0.0", "\"0\"", "null", "true", "false", "\"a\"",
    "\"A\"", "\"\"", "2.5", "\"2.5\"", "[1]", "9007199254740993", "9007199254740992.0",
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

/// A connection of SQLite as others open it. What ours allocate is counted only if one of ours is the first of the process.
fn ordinary() -> Connection {
    assert_eq!(Known::default().rows("SELECT 1"), "[[1]]");
    Connection::open_in_memory().unwrap()
}

/// Copies our tables into ordinary ones.
fn copied(known: &Known, names: &[(&str, &Table)]) -> Connection {
    let connection = ordinary();
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

const TEXTS: [&str; 9] =
    ["NULL", "''", "'abc'", "'aé漢😀z'", "12345", "-1.50", "x'00ff41'", "'a' || char(0) || 'b'", "' 12 x'"];
const NUMBERS: [&str; 14] = [
    "NULL", "0", "1", "2", "3", "100", "-1", "-2", "-100", "'2x'", "1.9", "9223372036854775807",
    "-9223372036854775808", "x'32'",
];
const JSON: [&str; 12] = [
    "NULL",
    r#"'{"a":{"b":[1,2.50,{"c":null}],"d e":"x\\ty"},"a":2,"":7,"\\u0061b":true}'"#,
    "'[[1,[2,3]],\"x\",-0.0,1e3,false,9223372036854775807]'",
    "' { \"a\" : [ 1 , { \"b\" : 2 } ] } '",
    "'\"text\"'",
    "'null'",
    "'[]'",
    "5",
    "-1.5",
    "'{\"0\":1,\"a.b\":2,\"[0]\":3}'",
    "'not JSON'",
    "''",
];
const PATHS: [&str; 24] = [
    "'$'", "'$.a'", "'$.a.b[2]'", "'$.a.b[#-1].c'", "'$.a.\"d e\"'", "'$[0][1][0]'", "'$[#]'", "'$[#-1]'", "'$[#-9]'",
    "'$.a[0]'", "'$.\"\"'", "'$.ab'", "'a'", "'ab'", "'[0]'", "'[#-2]'", "'0'", "0", "-1", "9", "'a.b'", "NULL",
    "'$.\"a.b\"'", "'$.a['",
];

/// What SQLite says to an expression; `None` if that is an error.
fn said(connection: &Connection, expression: &str) -> Option<Value> {
    connection.query_row(&format!("SELECT {expression}"), [], |row| row.get::<_, Value>(0)).ok()
}

/// Our own functions are those of SQLite, except that what is not JSON has no value.
#[test]
fn functions_agree_with_those_of_sqlite() {
    let (connection, known) = (ordinary(), Known::default());
    let mut expressions: Vec<String> = Vec::new();
    for a in TEXTS {
        expressions.push(format!("length({a})"));
        // SQLite's `substr` ends where a zero character is.
        for b in NUMBERS.into_iter().filter(|_| !a.contains("char(0)")) {
            expressions.push(format!("substr({a},{b})"));
            expressions.extend(NUMBERS.map(|c| format!("substr({a},{b},{c})")));
        }
    }
    for a in JSON {
        expressions.extend([format!("json_type({a})"), format!("json_array_length({a})"), format!("json_valid({a})")]);
        for b in PATHS {
            expressions.extend([format!("{a}->{b}"), format!("{a}->>{b}"), format!("json_array(1,{a}->{b})")]);
            expressions.extend(["json_extract", "json_type", "json_array_length"].map(|f| format!("{f}({a},{b})")));
            expressions.push(format!("json_extract({a},'$.a',{b})"));
            expressions.push(format!("json_array(json_extract({a},{b}),json_extract({a},'$',{b}))"));
        }
    }
    let mut lenient = 0;
    for all in expressions.chunks(20) {
        let sql: Vec<String> = all.iter().map(|expression| format!("SELECT {expression}")).collect();
        for (expression, answer) in all.iter().zip(known.all(&sql.join(";"))) {
            let answer = answer.map(|mut answer| match answer.rows.remove(0).remove(0) {
                SqlValue::Null => Value::Null,
                SqlValue::Integer(number) => Value::Integer(number),
                SqlValue::Real(number) => Value::Real(number),
                SqlValue::Text(text) => Value::Text(text),
                SqlValue::Blob(digits) => Value::Text(format!("x{digits}")),
            });
            match (answer, said(&connection, expression)) {
                (Ok(found), Some(Value::Blob(bytes))) => {
                    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                    assert_eq!(found, Value::Text(format!("x{digits}")), "{expression}");
                }
                (Ok(found), Some(expected)) => assert_eq!(found, expected, "{expression}"),
                (Ok(found), None) => {
                    assert!(expression.contains("'not JSON'") || expression.contains("''"), "{expression}: {found:?}");
                    lenient += 1;
                }
                // SQLite reads a path no further than it leads.
                (Err(error), _) if error.message.starts_with("bad JSON path: '$.a['") => {}
                (Err(error), None) => assert_eq!(error.kind, AskErrorKind::Failed, "{expression}: {error}"),
                (Err(error), Some(expected)) => panic!("{expression}: {error}, not {expected:?}"),
            }
        }
    }
    assert!(lenient > 20, "{lenient}");
}

/// A pattern is tested where rows are read, and the same where that cannot be: behind `+`.
#[test]
fn patterns_match_the_same_rows_in_place() {
    let known = Known::default()
        .json("t", r#"[{"v":"Duration: 12 ms","n":1},{"v":null,"n":2},{"v":"aé","n":12},{"v":"A%b","n":"x"},{"v":"","n":3},{"v":"duration","n":4}]"#)
        .json("p", r#"[{"p":"%A%"},{"p":"duration%"},{"p":null},{"p":"%"},{"p":"_é"}]"#)
        .lines("l", "one: 1\ntwo: 22\n\nthree: x\n");
    let mut rows = 0;
    for (table, column) in [("t", "v"), ("t", "n"), ("t", "doc"), ("l", "text"), ("l", "line")] {
        for test in [
            "{} LIKE '%DURATION%'",
            "{} LIKE '%1%'",
            "{} LIKE '_é'",
            "{} LIKE ''",
            "{} LIKE NULL",
            "{} LIKE 1",
            "{} LIKE '%'",
            "{} NOT LIKE '%a%'",
            "{} LIKE '%a%' OR {} LIKE '%1%'",
            "{} LIKE '%a%' AND {} LIKE '%b%'",
            "{} LIKE '%!%%' ESCAPE '!'",
            "{} GLOB '*[0-9]*'",
            "{} GLOB '*a*'",
            "{} REGEXP '[0-9]{2}'",
            "{} REGEXP '^$'",
            "{} REGEXP '(?i)DUR'",
            "{} REGEXP NULL",
            "{} IN (SELECT {} FROM p JOIN (SELECT 1) ON {} LIKE p)",
        ] {
            let count = |column: &str| {
                known.rows(&format!(
                    "SELECT count(*), min(rowid), max(rowid) FROM {table} WHERE {}",
                    test.replace("{}", column)
                ))
            };
            let found = count(column);
            assert_eq!(found, count(&format!("+{column}")), "{table} {test}");
            rows += usize::from(!found.starts_with("[[0"));
        }
    }
    assert!(rows > 30, "{rows}");
    for (sql, found) in [
        (
            "SELECT p, count(v) FROM p LEFT JOIN t ON v LIKE p GROUP BY 1 ORDER BY 1",
            r#"[[null,0],["%",5],["%A%",4],["_é",1],["duration%",2]]"#,
        ),
        ("SELECT count(*) FROM p JOIN t ON v LIKE p", "[[12]]"),
        ("SELECT line FROM l WHERE text LIKE '%: %' AND line > 1 LIMIT 1", "[[2]]"),
    ] {
        assert_eq!(known.rows(sql), found, "{sql}");
    }
    let error = known.error("SELECT count(*) FROM l WHERE text REGEXP '(a'");
    assert!(error.message.starts_with("regexp: "), "{error}");
    assert_eq!(error.message, known.error("SELECT count(*) FROM l WHERE +text REGEXP '(a'").message);
}
