//! Sums, means and medians are exact, and numbers keep what they are.

use super::known::Known;

/// Decimals with two digits behind the point, as JSON, and their sum in hundredths.
fn decimals(count: i64) -> (String, i128, Vec<i128>) {
    let hundredths: Vec<i128> = (0..count).map(|at| i128::from((at * 7919 + 13) % 100_003 - 50_000)).collect();
    let spelled = |number: &i128| {
        format!(
            "{{\"g\":{},\"x\":{}{}.{:02}}}",
            number.rem_euclid(7),
            if *number < 0 { "-" } else { "" },
            number.abs() / 100,
            number.abs() % 100
        )
    };
    let json = format!("[{}]", hundredths.iter().map(spelled).collect::<Vec<_>>().join(","));
    (json, hundredths.iter().sum(), hundredths)
}

#[test]
fn sums_means_and_medians_are_those_of_fractions() {
    let (json, sum, all) = decimals(20_001);
    let known = Known::default().json("t", &json);
    let double = |numerator: i128, denominator: i128| {
        // The nearest double of a decimal is what the standard library reads.
        let scaled = numerator * 10_i128.pow(22) / denominator;
        let (whole, rest) = (scaled.abs() / 10_i128.pow(22), scaled.abs() % 10_i128.pow(22));
        format!("{}{whole}.{rest:022}", if scaled < 0 { "-" } else { "" }).parse::<f64>().unwrap()
    };
    for group in 0..7 {
        let mut members: Vec<i128> = all.iter().copied().filter(|number| number.rem_euclid(7) == group).collect();
        members.sort_unstable();
        let count = members.len();
        let median = (members[(count - 1) / 2] + members[count / 2], 200);
        let expected = [
            double(members.iter().sum(), 100),
            double(members.iter().sum(), 100 * count as i128),
            double(median.0, median.1),
        ];
        let answer = known.answer(&format!("SELECT sum(x), avg(x), median(x) FROM t WHERE g = {group}"));
        let found: Vec<f64> = answer.rows[0]
            .iter()
            .map(|value| match value {
                toolshape_sql::SqlValue::Real(number) => *number,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, expected, "{group}");
    }
    let running =
        known.answer("SELECT s FROM (SELECT sum(x) OVER (ORDER BY rowid) s, rowid r FROM t) ORDER BY r DESC LIMIT 1");
    assert_eq!(running.rows[0][0], toolshape_sql::SqlValue::Real(double(sum, 100)));
    let moving = known.answer("SELECT count(*) FROM (SELECT sum(x) OVER w a, x + lag(x) OVER (ORDER BY rowid) b FROM t WINDOW w AS (ORDER BY rowid ROWS 1 PRECEDING)) WHERE abs(a - b) > 1e-9");
    assert_eq!(super::known::json(&moving), "[[0]]");
}

#[test]
fn numbers_keep_what_they_are() {
    let json = r#"[{"a":0.1,"big":9223372036854775807,"huge":18446744073709551615,"s":"10"},
        {"a":0.2,"big":1,"huge":3,"s":"9"},{"a":0.3,"big":1,"huge":20000000000000000000,"s":"9.0"}]"#;
    let known = Known::default().json("t", json);
    for (sql, rows) in [
        ("SELECT sum(a), sum(a) = 0.6, avg(a), total(a) FROM t", "[[0.6,1,0.2,0.6]]"),
        ("SELECT sum(DISTINCT big), sum(big) FROM t", r#"[["9223372036854775808","9223372036854775809"]]"#),
        ("SELECT huge FROM t ORDER BY huge", r#"[["3"],["18446744073709551615"],["20000000000000000000"]]"#),
        ("SELECT count(*) FROM t WHERE huge > 10", "[[2]]"),
        (
            "SELECT max(huge), min(huge), sum(huge), median(huge) FROM t",
            r#"[["20000000000000000000","3","38446744073709551618","18446744073709551615"]]"#,
        ),
        ("SELECT huge FROM t WHERE huge = '18446744073709551615'", r#"[["18446744073709551615"]]"#),
        (
            "SELECT huge FROM t WHERE huge >= 18446744073709551615 AND huge < 20000000000000000000",
            r#"[["18446744073709551615"]]"#,
        ),
        ("SELECT huge FROM t WHERE huge IN (3, 4)", r#"[["3"]]"#),
        ("SELECT a.big FROM t a JOIN t b ON a.huge = b.huge WHERE b.huge = 3", "[[1]]"),
        ("SELECT sum(s), avg(s), max(s) FROM t", "[[28.0,9.333333333333334,10]]"),
        ("SELECT count(*) FROM t WHERE s = 9", "[[2]]"),
        ("SELECT sum(a) FROM t WHERE 0", "[[null]]"),
        ("SELECT 1e400, 0.1 + 0.2, 1e16, 1.5e-7, -0.0", r#"[["inf",0.30000000000000004,1e16,1.5e-7,-0.0]]"#),
        ("SELECT median(big), percentile(a, 25) FROM t", "[[1,0.15]]"),
    ] {
        assert_eq!(known.rows(sql), rows, "{sql}");
    }
    let notes = known.answer("SELECT max(s), max(huge) FROM t").notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("huge: has numbers beyond 64 bits"));
    let long = Known::default()
        .json("t", r#"[{"x":0.1234567890123456789},{"x":1.5},{"x":0.1234567890123456780},{"x":12e-1}]"#);
    for (sql, rows) in [
        ("SELECT count(DISTINCT x), max(x) FROM t", r#"[[4,"1.5"]]"#),
        ("SELECT x FROM t WHERE x < 1 ORDER BY x DESC LIMIT 1", r#"[["0.1234567890123456789"]]"#),
        ("SELECT count(*) FROM t WHERE x > -0.12345678901234567", "[[4]]"),
        ("SELECT count(*) FROM t WHERE x = 0.1234567890123456789", "[[1]]"),
        ("SELECT count(*) FROM t WHERE 0.1234567890123456789 >= x", "[[2]]"),
        ("SELECT count(*) FROM t WHERE -0.1234567890123456789 < x", "[[4]]"),
        ("SELECT count(*) FROM t WHERE x BETWEEN -0.12345678901234567 AND 0.1234567890123456780", "[[1]]"),
        ("SELECT count(*) FROM t WHERE x IN (-1.1234567890123456789, 0.1234567890123456789, 1.5)", "[[2]]"),
    ] {
        assert_eq!(long.rows(sql), rows, "{sql}");
    }
}
