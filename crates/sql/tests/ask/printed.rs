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
        (
            &[r#""62K""#, r#""1.5M""#, r#""512""#],
            "SELECT v, v + 0 FROM t ORDER BY v",
            r#"[[512,512],["62K",63488],["1.5M",1572864]]"#,
        ),
        (&["512", r#""1.5M""#], "SELECT v FROM t ORDER BY v DESC", r#"[["1.5M"],[512]]"#),
        (&["0", r#""5%""#], "SELECT max(v) FROM t", "[[5]]"),
        (&["9.65", r#""9.60""#, r#""10.00""#], "SELECT max(v), count(DISTINCT v) FROM t", "[[10.0,3]]"),
        (&[r#""1.3s""#, r#""350ms""#, r#""2h5m""#], "SELECT v FROM t ORDER BY v", r#"[["350ms"],["1.3s"],["2h5m"]]"#),
        (&[r#""12345678901234567890""#, r#""9""#], "SELECT max(v) FROM t", r#"[["12345678901234567890"]]"#),
        (
            &[r#""2024-03-01T01:00:00+02:00""#, r#""2024-02-29T23:30:00Z""#, r#""2024-02-29T20:00:00-02:00""#],
            "SELECT max(v), min(v), sum(v > '2024-02-29T23:00:00Z') FROM t",
            r#"[["2024-02-29T23:30:00Z","2024-02-29T20:00:00-02:00",1]]"#,
        ),
        (
            &[r#""12/31/2022""#, r#""2/1/2023 9:05 PM""#],
            "SELECT min(v), max(v), sum(v > '1/31/2023') FROM t",
            r#"[["2022-12-31","2023-02-01T21:05:00",1]]"#,
        ),
        (&[r#""9:05 PM""#, r#""10:30 AM""#], "SELECT max(v), sum(v < '1:00 PM') FROM t", r#"[["9:05 PM",1]]"#),
        (&[r#""100:00:00""#, r#""99:00:00""#], "SELECT max(v) FROM t", r#"[["100:00:00"]]"#),
        (&[r#""950 kB/s""#, r#""1.2 MB/s""#], "SELECT v FROM t ORDER BY v", r#"[["950 kB/s"],["1.2 MB/s"]]"#),
        (&[r#""(1,200)""#, r#""+5""#, r#""3-""#], "SELECT sum(v) FROM t", "[[-1198]]"),
        (&["330.950", r#""1.330.950""#, "7"], "SELECT sum(v), max(v) FROM t", "[[1661907,1330950]]"),
        (&["330.95", r#""1.330.950""#, "7"], "SELECT min(v) FROM t", "[[7]]"),
        (&["5", r#""(12)""#], "SELECT sum(v), sum(v < 0) FROM t", "[[-7,1]]"),
        (&[r#""9e3""#, r#""120""#], "SELECT sum(v), sum(v = 9000) FROM t", "[[9120.0,1]]"),
        (&[r#""1 234,5""#, r#""9,5""#], "SELECT sum(v) FROM t", "[[1244.0]]"),
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

#[test]
fn texts_are_compared_as_what_they_are_in_the_column() {
    let columns: [(&str, &[&str]); 11] = [
        ("file", &[r#""10 MB""#, r#""b""#, r#""c""#]),
        ("size", &[r#""62K""#, r#""1.5M""#, r#""512""#]),
        ("mem", &[r#""5 MB""#, r#""12 MB""#, r#""900 MB""#]),
        ("cpu", &[r#""9%""#, r#""45.5%""#, r#""100%""#]),
        ("took", &[r#""350ms""#, r#""1.3s""#, r#""2h5m""#]),
        ("ms", &[r#""12 ms""#, r#""2500 ms""#, r#""n/a""#]),
        ("price", &[r#""$1,234.50""#, r#""$9.00""#, r#""$20.00""#]),
        ("n", &["1234", "999", "12000"]),
        ("comma", &[r#""1,5""#, r#""12,25""#, r#""3""#]),
        ("at", &[r#""2024-03-01T09:00:00Z""#, r#""2024-03-01T11:00:00Z""#, r#""2024-06-12T11:00:00Z""#]),
        ("day", &[r#""2024-03-01""#, r#""2024-06-12""#, r#""2025-01-01""#]),
    ];
    let known = known(&columns);
    let of = |sql: &str| known.rows(&format!("SELECT count(*) FROM t WHERE {sql}"));
    let mut wrong = Vec::new();
    for (sql, rows) in [
        ("size > '1 MiB'", 1),
        ("size > '100 KB'", 1),
        ("size >= '512'", 3),
        ("mem > '10 MB'", 2),
        ("t.mem > '10 MB'", 2),
        ("\"mem\" > '10MB'", 2),
        ("MEM>'10 MB'", 2),
        ("'10 MB' < mem", 2),
        ("'10 MB' < t.mem", 2),
        ("mem >= '0.9 GB'", 1),
        ("mem = '12 MB'", 1),
        ("mem <> '12MB'", 2),
        ("mem != '12MB' AND file <> 'x'", 2),
        ("mem IN ('5 MB', '900 MB')", 2),
        ("mem NOT IN ('5 MB', '900 MB')", 1),
        ("mem BETWEEN '5 MB' AND '12 MB'", 2),
        ("mem NOT BETWEEN '5 MB' AND '12 MB'", 1),
        ("NOT mem > '10 MB'", 1),
        ("mem * 2 > '10 MB'", 2),
        ("(mem + 1) > '10 MB'", 2),
        ("(SELECT max(mem) FROM t) > '0.5 GB'", 0),
        ("cpu > '50%'", 1),
        ("cpu > '50'", 1),
        ("took > '1 min'", 1),
        ("took < '500ms'", 1),
        ("took > '1h30m'", 1),
        ("ms > '2 s'", 1),
        ("price > '$10'", 2),
        ("price > '$1,000'", 1),
        ("n > '1,000'", 2),
        ("comma > '10,5'", 1),
        ("at > '2024-03-01 10:00'", 2),
        ("at BETWEEN '2024-03-01 08:00:00' AND '2024-03-01 12:00:00'", 2),
        ("at = '2024-03-01 11:00:00'", 1),
        ("at > '2024-03-01T11:30:00+01:00'", 2),
        ("at < 'Jun 1 2024'", 2),
        ("day > '2 Jun 2024'", 2),
        ("day > '2024-06'", 2),
        // Other comparisons stay as they are.
        ("file = '10 MB'", 1),
        ("file < '5 MB'", 1),
        ("printf('%g MB', mem) = '12 MB'", 1),
        ("mem || '' = '12 MB'", 1),
        ("file LIKE '10 MB'", 1),
        ("at LIKE '2024-03-01T%'", 2),
        ("at > '2024-03-01'", 3),
    ] {
        let found = of(sql);
        if found != format!("[[{rows}]]") {
            wrong.push(format!("{sql}: {found}, not {rows}"));
        }
    }
    for (sql, note) in [
        ("price > '€10'", "price: numbers, NULL where there is none; '€10' is compared as text"),
        ("n > '10 MB'", "n: numbers, NULL where there is none; '10 mb' is compared as text"),
        ("ms = 'n/a'", "ms: numbers, NULL where there is none; 'n/a' is compared as text"),
        ("mem > 'much'", "mem: numbers, NULL where there is none; 'much' is compared as text"),
        ("mem > '10 MB'", ""),
        ("n > '1,000'", ""),
        ("n > '1000'", ""),
        ("cpu > '50%' AND file <> 'n/a'", ""),
        ("at > 'Jun 1 2024'", ""),
    ] {
        let notes = known.answer(&format!("SELECT count(*) FROM t WHERE {sql}")).notes.join("; ");
        if notes != note {
            wrong.push(format!("{sql}: {notes:?}, not {note:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn answers_show_values_as_the_table_spells_them() {
    let known = || {
        known(&[
            ("day", &[r#""3 March 2024""#, r#""12 Jan 2024""#, r#""12 January 2024""#, r#""n/a""#]),
            ("share", &[r#""12.5 %""#, r#""3 %""#, r#""3 %""#, r#""40 %""#]),
            ("mass", &[r#""5 kg""#, r#""1,200 kg""#, "0", r#""7 kg""#]),
        ])
    };
    for (sql, rows) in [
        ("SELECT share FROM t ORDER BY share", r#"[["3 %"],["3 %"],["12.5 %"],["40 %"]]"#),
        ("SELECT share AS s, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1", r#"[["3 %",2],["12.5 %",1],["40 %",1]]"#),
        ("SELECT DISTINCT share FROM (SELECT * FROM t) WHERE share < '10 %'", r#"[["3 %"]]"#),
        ("WITH w AS (SELECT mass FROM t WHERE mass > 100) SELECT mass FROM w", r#"[["1,200 kg"]]"#),
        ("SELECT a.mass FROM t a JOIN t b ON a.share = b.share WHERE b.mass = 7", r#"[["7 kg"]]"#),
        ("SELECT share, lag(share) OVER (ORDER BY share) FROM t LIMIT 1", r#"[["3 %",null]]"#),
        // A day that is spelled in two ways is shown as it is read.
        ("SELECT day FROM t ORDER BY day DESC", r#"[["3 March 2024"],["2024-01-12"],["2024-01-12"],[null]]"#),
        // What is computed has the unit of nothing in the table.
        ("SELECT max(share), share + 0, sum(mass) FROM t", "[[40,40,1212]]"),
        ("SELECT mass FROM t WHERE mass > 6 UNION ALL SELECT share FROM t WHERE share > 20", "[[1200],[7],[40]]"),
        ("SELECT b.share FROM t a LEFT JOIN t b ON b.mass = a.mass + 2 WHERE a.mass = 7", "[[null]]"),
    ] {
        assert_eq!(known().rows(sql), rows, "{sql}");
    }
}

#[test]
fn texts_are_those_that_the_table_prints() {
    let known = || {
        known(&[
            ("day", &[r#""March 3, 2024""#, r#""September 12, 1990""#, r#""September 1, 2001""#]),
            ("price", &[r#""$1,234.50""#, r#""$20.00""#, r#""n/a""#]),
            ("kg", &[r#""5 kg""#, r#""17 kg""#, r#""9 kg""#]),
            ("n", &["1", "2", "3"]),
        ])
    };
    for (sql, rows) in [
        ("SELECT count(*) FROM t WHERE day LIKE '%september%'", "[[2]]"),
        ("SELECT n FROM t WHERE NOT day LIKE 'S%' OR t.day NOT LIKE '%19%' ORDER BY n", "[[1],[3]]"),
        (
            "SELECT substr(day, -4) AS year, count(*) FROM t GROUP BY 1 ORDER BY 1",
            r#"[["1990",1],["2001",1],["2024",1]]"#,
        ),
        ("SELECT CAST(replace(replace(price, '$', ''), ',', '') AS REAL) FROM t WHERE n = 1", "[[1234.5]]"),
        ("SELECT sum(price), count(*) FROM t WHERE price LIKE '$%'", "[[1254.5,2]]"),
        ("SELECT n FROM t WHERE lower(price) = 'n/a'", "[[3]]"),
        (
            "SELECT kg || ', ' || day FROM t WHERE kg > 9 AND kg REGEXP '^[0-9]+ kg$'",
            r#"[["17 kg, September 12, 1990"]]"#,
        ),
        ("SELECT n FROM t WHERE CAST(day AS TEXT) GLOB 'Mar*' AND strftime('%Y', day) = '2024'", "[[1]]"),
        (
            "SELECT max(day), group_concat(day, '; ') FROM t WHERE n < 3",
            r#"[["2024-03-03","March 3, 2024; September 12, 1990"]]"#,
        ),
        ("SELECT a.n FROM t a JOIN t b ON a.n = b.n WHERE instr(b.day, 'tember 1,') > 0", "[[3]]"),
        ("WITH w AS (SELECT n FROM t WHERE trim(day) LIKE 'M%') SELECT * FROM w", "[[1]]"),
    ] {
        assert_eq!(known().rows(sql), rows, "{sql}");
    }
    let answer = known().answer("SELECT substr(day, 1, 3), day FROM t WHERE day LIKE 'March%'");
    assert_eq!(answer.columns, ["substr(day, 1, 3)", "day"]);
    // A column of a subquery is what it reads.
    let answer = known().answer("SELECT count(*) FROM (SELECT day FROM t) WHERE day LIKE 'March%'");
    assert!(answer.notes.iter().any(|note| note.starts_with("day: texts here")), "{:?}", answer.notes);
}

#[test]
fn a_cast_around_a_text_is_not_compared_as_text() {
    let known = || known(&[("v", &[r#""9 (3d ago)""#, r#""12 (5h ago)""#, r#""7 (1h ago)""#])]);
    let is_told = |sql: &str| known().answer(sql).notes.iter().any(|note| note.contains("compared as text"));
    for sql in ["SELECT max(v) FROM t", "SELECT v FROM t ORDER BY v", "SELECT v FROM t WHERE v > 9"] {
        assert!(is_told(sql), "{sql}");
    }
    for sql in [
        "SELECT max(CAST(substr(v, 1, instr(v, ' ')) AS INTEGER)) FROM t",
        "SELECT v FROM t ORDER BY CAST(replace(v, ' ago', '') AS REAL)",
        "SELECT count(*) FROM t WHERE v LIKE '%ago%'",
    ] {
        assert!(!is_told(sql), "{sql}");
    }
}

#[test]
fn lines_that_go_on_have_no_level_of_their_own() {
    let entry = |at: usize| {
        let level = if at.is_multiple_of(5) { "ERROR" } else { "INFO" };
        let more = match at {
            0 | 5 => "ERROR: second line\nWARN: third line\n",
            7 => "ERROR: below an entry that is less grave\n",
            _ => "",
        };
        format!("2024-03-01T10:00:{at:02}Z {level} app - request {at} was served\n{more}")
    };
    let log: String = (0..40).map(entry).collect();
    let known = Known::default().lines("t", &log);
    for (level, count) in [("error", 9), ("warning", 0), ("info", 32)] {
        assert_eq!(known.rows(&format!("SELECT count(*) FROM t WHERE level = '{level}'")), format!("[[{count}]]"));
    }
}

#[test]
fn units_of_two_tables_are_named() {
    let json = |unit: &str| format!(r#"[{{"v":"1 {unit}"}},{{"v":"2 {unit}"}},{{"v":"3 {unit}"}}]"#);
    let known = Known::default().json("t", &json("ms")).json("u", &json("s")).json("w", &json("s"));
    let notes = |other: &str| known.answer(&format!("SELECT count(*) FROM t JOIN {other} ON t.v < {other}.v")).notes;
    assert_eq!(notes("u"), ["v: in ms", "v: in s"]);
    assert!(known.answer("SELECT count(*) FROM w JOIN u ON u.v < w.v").notes.is_empty());
}
