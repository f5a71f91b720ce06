//! Ordinary statements over many rows end within the work of a call, which is known here by row: 100,000 rows have no more.

use super::known::Known;
use super::many_rows::{csv, json, log};
use toolshape_sql::{Limits, ask};

/// Rows of each table; in larger ones every row costs as much.
const ROWS: usize = 2000;
/// Work of a call for each of 100,000 rows, in steps, and the bytes of their text that add one.
const STEPS_OF_ROW: usize = (1 << 27) / 8 / 100_000;
const BYTES_OF_STEP: usize = 2;

/// Over JSON `m`, CSV `c`, a log `l` and a small table `s`.
const ORDINARY: [&str; 93] = [
    r"SELECT capture(text, 'user (\w+)'), count(*) FROM l GROUP BY 1",
    r"SELECT count(capture(text, 'user (\w+)')) FROM l",
    r"SELECT count(capture(text, '(\w+) ms')) FROM l",
    "SELECT count(time) FROM l",
    "SELECT count(*) FROM l WHERE text LIKE '%duration: %'",
    "SELECT count(*) FROM l WHERE text REGEXP 'duration: [0-9]{4,}'",
    "SELECT level, count(*) FROM l GROUP BY 1",
    "SELECT template, count(*) FROM l GROUP BY 1",
    "SELECT max(length(regexp_replace(text, '[0-9]+', 'N'))) FROM l",
    "SELECT regexp_replace(text, '[0-9]+', 'N'), count(*) FROM l GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "SELECT line, text FROM l ORDER BY text DESC LIMIT 10",
    "SELECT substr(time, 1, 16), count(*) FROM l GROUP BY 1",
    "SELECT line, capture(text, 'duration: ([0-9]+) ms') + 0 AS ms FROM l WHERE ms >= 3900 ORDER BY ms DESC LIMIT 5",
    "SELECT capture(text, '(u[0-9]+) on') u, median(capture(text, 'duration: ([0-9]+)') + 0) FROM l GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "SELECT capture(text, 'worker-([0-9])') w, count(*), avg(capture(text, 'duration: ([0-9]+)') + 0) FROM l WHERE level = 'ERROR' GROUP BY 1",
    r"SELECT s.name, count(*) FROM l JOIN s ON s.code = capture(text, 'user (\w+)') GROUP BY 1",
    "SELECT count(DISTINCT capture(text, 'api/items/([0-9]+)')) FROM l",
    "SELECT line, n FROM (SELECT line, count(*) OVER (PARTITION BY level) n FROM l) LIMIT 3",
    "SELECT line, d - lag(d) OVER (ORDER BY line) FROM (SELECT line, capture(text, 'duration: ([0-9]+)') + 0 AS d FROM l) LIMIT 3",
    "SELECT level, text FROM (SELECT level, text, row_number() OVER (PARTITION BY level ORDER BY line) n FROM l) WHERE n = 1",
    "SELECT message, count(*) FROM l GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
    "SELECT * FROM l ORDER BY line DESC LIMIT 3",
    "SELECT count(*) FROM m WHERE rating > 7.5 AND genre = 'Drama'",
    "SELECT genre, count(*), avg(rating) FROM m GROUP BY 1 ORDER BY 3 DESC",
    "SELECT id, title, gross FROM m ORDER BY gross DESC, id LIMIT 20",
    "SELECT title, gross FROM m ORDER BY title",
    "SELECT info->>'city', count(*) FROM m GROUP BY 1",
    "SELECT json_extract(info, '$.city') c, avg(json_extract(info, '$.minutes')) FROM m GROUP BY 1",
    "SELECT info->>'city', median(info->>'minutes'), sum(gross) FROM m WHERE info->>'mpaa' = 'PG-13' GROUP BY 1",
    "SELECT doc->>'$.info.city', count(*) FROM m GROUP BY 1",
    "SELECT genre, median(rating) FROM m GROUP BY 1",
    r"SELECT count(*) FROM m WHERE title REGEXP 'movie [0-9]{3}7\b'",
    "SELECT count(*) FROM m WHERE title LIKE '%77%' OR director LIKE '%5%'",
    "SELECT capture(title, '([0-9]+)') + 0 n, id FROM m ORDER BY n DESC LIMIT 3",
    "SELECT director, count(*), sum(gross), avg(rating), max(votes) FROM m GROUP BY 1 ORDER BY 3 DESC LIMIT 5",
    "SELECT s.name, count(*) FROM m JOIN s ON s.code = genre GROUP BY 1",
    "SELECT count(*) FROM m WHERE genre IN (SELECT code FROM s)",
    "SELECT genre, title FROM (SELECT genre, title, rank() OVER (PARTITION BY genre ORDER BY gross DESC) r FROM m) WHERE r = 1",
    "SELECT id, sum(votes) OVER (ORDER BY id) FROM m LIMIT 3",
    "SELECT title, count(*) FROM m GROUP BY title HAVING count(*) > 1",
    "SELECT count(DISTINCT director) FROM m",
    "SELECT key, count(*) FROM m, json_each(info) GROUP BY 1",
    "SELECT m.genre, count(*) FROM m WHERE votes > (SELECT avg(votes) FROM m) GROUP BY 1",
    "SELECT lower(genre), upper(director), count(*) FROM m GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 2",
    "SELECT * FROM m WHERE note IS NULL ORDER BY votes DESC LIMIT 5",
    "SELECT count(*) FROM c WHERE rating > 7.5 AND genre = 'Drama'",
    "SELECT genre, count(*), avg(rating) FROM c GROUP BY 1",
    "SELECT genre, median(gross) FROM c GROUP BY 1",
    "SELECT * FROM c ORDER BY gross DESC LIMIT 5",
    "SELECT capture(title, '([0-9]+)') + 0 n, id FROM c ORDER BY n DESC LIMIT 3",
    "SELECT s.name, count(*), sum(votes) FROM c JOIN s ON s.code = genre GROUP BY 1",
    "SELECT genre, title FROM (SELECT genre, title, row_number() OVER (PARTITION BY genre ORDER BY gross DESC, id) r FROM c) WHERE r <= 3",
    "SELECT place, director, count(*), sum(gross) FROM c GROUP BY 1, 2 ORDER BY 4 DESC LIMIT 3",
    "SELECT regexp_replace(place, 'City ', ''), count(*) FROM c GROUP BY 1",
    "SELECT replace(place, 'City ', ''), substr(director, 8, 3), count(*) FROM c GROUP BY 1, 2",
    "SELECT count(*), sum(b.votes) FROM c a JOIN m b ON b.id = a.id WHERE a.genre = 'Drama'",
    "SELECT a.genre, count(*) FROM c a LEFT JOIN m b ON b.id = a.id AND b.votes > 4000 WHERE b.id IS NULL GROUP BY 1",
    "SELECT count(*) FROM c WHERE id NOT IN (SELECT id FROM m WHERE rating > 5)",
    "SELECT id, sum(votes) OVER (PARTITION BY genre ORDER BY gross ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM m LIMIT 3",
    "SELECT id, avg(rating) OVER (PARTITION BY genre ORDER BY gross RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) FROM m LIMIT 3",
    "SELECT id, sum(votes) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), max(votes) OVER (PARTITION BY place), min(gross) OVER (PARTITION BY director) FROM c",
    "SELECT level, line, line - lag(line) OVER (PARTITION BY level ORDER BY line), count(*) OVER (PARTITION BY level) FROM l",
    "SELECT genre, count(*), sum(count(*)) OVER () FROM m GROUP BY 1",
    "SELECT genre, place, count(*), rank() OVER (PARTITION BY genre ORDER BY count(*) DESC) FROM c GROUP BY 1, 2",
    "SELECT * FROM m ORDER BY director, title",
    "SELECT * FROM c ORDER BY place, director, title",
    "SELECT genre, group_concat(title, ', ') FROM m WHERE votes > 4990 GROUP BY 1",
    "SELECT genre, json_group_array(id) FROM c WHERE votes > 4900 GROUP BY 1",
    "SELECT info->>'city' c, avg(votes), max(gross), min(rating), sum(votes), count(DISTINCT director), total(gross), median(rating) FROM m GROUP BY 1",
    "SELECT strftime('%H', replace(substr(time, 1, 19), ' ', 'T')) h, level, count(*) FROM l GROUP BY 1, 2",
    "SELECT line, time, level, message, template FROM l WHERE level IN ('error', 'warning') ORDER BY line",
    r"SELECT capture(message, 'on (/\S+)') p, count(*), avg(capture(message, 'duration: (\d+)') + 0), max(capture(message, 'duration: (\d+)') + 0) FROM l GROUP BY 1 ORDER BY 3 DESC LIMIT 10",
    r"SELECT regexp_replace(message, '\d+', '#'), count(*) FROM l GROUP BY 1",
    r"SELECT capture(text, '^(\S+ \S+) (\w+) \[(.*?)\]', 3), capture(text, '^(\S+ \S+) (\w+)', 2), count(*) FROM l GROUP BY 1, 2",
    r"SELECT count(*) FROM l WHERE text REGEXP '(?i)error' OR text REGEXP 'items/\d{4}\b' AND text NOT LIKE '%worker-3%'",
    "SELECT a.genre, count(*), sum(a.gross - b.gross) FROM m a JOIN c b ON a.id = b.id GROUP BY 1",
    "SELECT a.id, a.title, b.title FROM m a JOIN c b USING (id) WHERE a.gross <> b.gross",
    "SELECT id FROM m EXCEPT SELECT id FROM c",
    "SELECT genre FROM m UNION SELECT genre FROM c",
    "SELECT id, title FROM m UNION ALL SELECT id, title FROM c ORDER BY 1 LIMIT 5",
    "SELECT m.id, (SELECT count(*) FROM s WHERE s.code = m.genre) FROM m WHERE EXISTS (SELECT 1 FROM s WHERE s.code = m.genre)",
    "WITH t AS (SELECT genre, avg(gross) a FROM m GROUP BY 1) SELECT t.genre, count(*) FROM m JOIN t ON t.genre = m.genre WHERE m.gross > t.a GROUP BY 1",
    "SELECT CASE WHEN gross < 100000 THEN 'low' WHEN gross < 500000 THEN 'mid' ELSE 'high' END b, count(*), round(avg(rating), 2) FROM m GROUP BY 1",
    "SELECT json_extract(doc, '$.info.city', '$.info.minutes'), count(*) FROM m GROUP BY 1 LIMIT 5",
    "SELECT key, type, count(*) FROM m, json_each(doc) GROUP BY 1, 2",
    "SELECT fullkey, count(*) FROM m, json_tree(doc) GROUP BY 1",
    "SELECT * FROM m WHERE info->>'minutes' > 170 AND info->>'city' LIKE 'City 1%' ORDER BY info->>'minutes' DESC, id",
    "SELECT length(doc), pointer FROM m ORDER BY 1 DESC LIMIT 5",
    "SELECT printf('%05d %s', id, title) FROM c ORDER BY 1 DESC LIMIT 3",
    "SELECT max(length(trim(title))), min(instr(title, 'movie')), sum(length(replace(title, 'e', 'ee'))) FROM c",
    "SELECT rating, count(*) FROM c GROUP BY rating HAVING count(*) > 10 ORDER BY 2 DESC, 1",
    "SELECT count(*) FROM m WHERE title GLOB '*movie [0-9]*7 *'",
    "SELECT upper(substr(title, 5, 5)) || '-' || genre, count(*) FROM m GROUP BY 1",
];

#[test]
fn ordinary_statements_finish() {
    let texts = [("m", json(ROWS)), ("c", csv(ROWS)), ("l", log(ROWS))];
    let [json, csv, log] = texts.each_ref().map(|(_, text)| text.as_str());
    let small = "code,name\nu1,One\nu2,Two\nDrama,d\nComedy,c\nINFO,i\nERROR,e\n";
    let known = Known::default().json("m", json).csv("c", csv).lines("l", log).csv("s", small);
    let mut stopped = Vec::new();
    for sql in ORDINARY {
        let names: Vec<&str> = sql.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let bytes: usize = texts.iter().filter(|(name, _)| names.contains(name)).map(|(_, text)| text.len()).sum();
        let limits = Limits { work: (ROWS * STEPS_OF_ROW + bytes / BYTES_OF_STEP) as u64, ..Limits::default() };
        match ask(sql, &known, &limits).remove(0) {
            Ok(answer) if answer.first_rows.is_none() => {}
            other => stopped.push((sql, other.map(|answer| answer.first_rows))),
        }
    }
    assert!(stopped.is_empty(), "{stopped:#?}");
}
