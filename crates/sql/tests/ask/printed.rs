//! Printed values compare as what they mean, and an answer says where they cannot.

use super::known::Known;

fn known(columns: &[(&str, &[&str])]) -> Known {
    let row = |at: usize| {
        let members: Vec<String> = columns.iter().map(|(name, values)| format!("{name:?}:{}", values[at])).collect();
        format!("{{{}}}", members.join(","))
    };
    let rows: Vec<String> = (0..columns[0].1.len()).map(row).collect();
    Known::default().json("t", &format!("[{}]", rows.join(",")))
}

#[test]
fn printed_values_compare_as_what_they_mean() {
    for (values, sql, rows) in [
        (&[r#""9.60""#, r#""19.98""#, r#""n/a""#][..], "SELECT max(v), count(v), sum(v > 10) FROM t", "[[19.98,2,1]]"),
        (&["5", r#""7.5""#, r#""-""#], "SELECT max(v), avg(v), count(*) FROM t WHERE v < 10", "[[7.5,6.25,2]]"),
        (
            &[r#""9%""#, r#""45.5%""#, r#""100%""#],
            "SELECT max(v), sum(v), coalesce(v, 0) > 1 FROM t",
            "[[100,154.5,1]]",
        ),
        (&[r#""1,234""#, r#""999""#, r#""12,000""#], "SELECT v FROM t ORDER BY v DESC", "[[12000],[1234],[999]]"),
        (&[r#""1,5""#, r#""12,25""#, r#""3""#], "SELECT sum(v), max(v) FROM t", "[[16.75,12.25]]"),
        (&[r#""\u20ac1.50""#, r#""\u20ac20.00""#], "SELECT max(v) FROM t", "[[20.0]]"),
        (&[r#""62K""#, r#""1.5M""#, r#""512""#], "SELECT v FROM t ORDER BY v", "[[512],[63488],[1572864]]"),
        (&["512", r#""1.5M""#], "SELECT v FROM t ORDER BY v DESC", "[[1572864],[512]]"),
        (&["0", r#""5%""#], "SELECT max(v) FROM t", "[[5]]"),
        (&["9.65", r#""9.60""#, r#""10.00""#], "SELECT max(v), count(DISTINCT v) FROM t", "[[10.0,3]]"),
        (&[r#""1.3s""#, r#""350ms""#, r#""2h5m""#], "SELECT v FROM t ORDER BY v", "[[0.35],[1.3],[7500]]"),
        (&[r#""12345678901234567890""#, r#""9""#], "SELECT max(v) FROM t", r#"[["12345678901234567890"]]"#),
        (
            &[r#""2024-03-01T01:00:00+02:00""#, r#""2024-02-29T23:30:00Z""#, r#""2024-02-29T20:00:00-02:00""#],
            "SELECT max(v), min(v), sum(v > '2024-02-29T23:00:00Z') FROM t",
            r#"[["2024-02-29T23:30:00Z","2024-02-29T20:00:00-02:00",1]]"#,
        ),
        (
            &[r#""Jun 12 1998""#, r#""Jan 3 2001""#, r#""n/a""#],
            "SELECT min(v), strftime('%Y', max(v)), sum(v = 'Jun 12 1998') FROM t",
            r#"[["1998-06-12","2001",1]]"#,
        ),
    ] {
        let known = known(&[("v", values)]);
        // The first of three offsets and the second are 23:00 and 23:30.
        assert_eq!(known.rows(sql), rows, "{sql} {values:?}");
        assert!(!known.answer(sql).notes.iter().any(|note| note.contains("as text, as")), "{values:?}");
    }
}

#[test]
fn names_and_codes_stay_text() {
    for (name, values, sql, rows) in [
        ("v", &[r#""3.9""#, r#""3.10""#, r#""3.1""#][..], "SELECT v FROM t WHERE v = '3.10'", r#"[["3.10"]]"#),
        ("version", &[r#""3.10""#, r#""3.11""#], "SELECT version FROM t WHERE version = '3.10'", r#"[["3.10"]]"#),
        ("v", &[r#""007""#, r#""12""#], "SELECT v FROM t WHERE v = '007'", r#"[["007"]]"#),
        ("v", &["10115", r#""01067""#], "SELECT v FROM t WHERE v = '10115'", r#"[["10115"]]"#),
        ("v", &["3.9", r#""3.10""#, "3.1"], "SELECT count(DISTINCT v), max(v) FROM t", r#"[[3,"3.9"]]"#),
        ("v", &[r#""open""#, r#""n/a""#], "SELECT count(v) FROM t WHERE v = 'n/a'", "[[1]]"),
        ("v", &[r#""10.0.0.9""#, r#""10.0.0.10""#], "SELECT max(v) FROM t", r#"[["10.0.0.9"]]"#),
    ] {
        let known = known(&[(name, values)]);
        assert_eq!((known.rows(sql), known.answer(sql).notes), (rows.to_owned(), Vec::<String>::new()), "{sql}");
    }
}

#[test]
fn an_answer_says_what_it_cannot_compare() {
    let columns: [(&str, &[&str]); 4] = [
        ("v", &[r#""12""#, r#""7""#, r#""many""#]),
        ("size", &[r#""62K""#, r#""1M""#, r#""3G""#]),
        ("id", &["1", "2", "3"]),
        ("ID", &["4", "5", "6"]),
    ];
    let known = known(&columns);
    for (sql, note) in [
        ("SELECT max(v) FROM t", "v: compared as text, as not all values are numbers"),
        ("SELECT v FROM t ORDER BY 1", "v: compared as text, as not all values are numbers"),
        ("SELECT sum(size) FROM t", "size: in bytes"),
        ("SELECT id FROM t WHERE size > '1M'", "size: in bytes"),
        ("SELECT ID FROM t", "ID_2 is the column ID: names here do not differ in case alone"),
    ] {
        assert_eq!(known.answer(sql).notes.first().map(String::as_str), Some(note), "{sql}");
    }
    assert_eq!(known.rows("SELECT sum(id), sum(\"ID\") FROM t"), "[[6,15]]");
    for sql in [
        "SELECT v FROM t",
        "SELECT v, id FROM t ORDER BY v + 0",
        "SELECT max(CAST(v AS REAL)) FROM t",
        "SELECT id FROM t",
    ] {
        assert_eq!(known.answer(sql).notes, Vec::<String>::new(), "{sql}");
    }
}
