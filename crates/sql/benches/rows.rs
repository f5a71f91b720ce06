//! Questions over 100,000 rows of JSON, CSV and log lines, compared with `JSON.parse` or `split` and a loop in Node, and what hostile
//! statements take. `cargo bench -p toolshape-sql`; medians of five runs in milliseconds.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use toolshape_sql::{Limits, Table, TableError, Tables, ask};
use toolshape_text::rows::grammar::{Grammar, Quotes};
use toolshape_text::rows::row_index::RowIndex;

#[path = "../tests/ask/hostile_statements.rs"]
mod hostile_statements;
#[path = "../tests/ask/many_rows.rs"]
mod many_rows;

const ROWS: usize = 100_000;

struct Named(Vec<(&'static str, Arc<Table>)>);

impl Tables for Named {
    fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError> {
        Ok(self.0.iter().find(|(known, _)| *known == name).map(|(_, table)| Arc::clone(table)))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

fn main() {
    let texts = [("m", many_rows::json(ROWS)), ("c", many_rows::csv(ROWS)), ("l", many_rows::log(ROWS))];
    let mut tables = Vec::new();
    for (name, text) in &texts {
        let open = || match *name {
            "m" => Table::json(text.as_str()),
            "c" => Table::rows(text.as_str(), &index(text)),
            _ => Table::lines(text.as_str()),
        };
        let opening = median(|| drop(open()));
        let table = open().expect("the text is a table");
        println!("open {name}: {:.1} MB, {} rows, {opening:.0} ms", text.len() as f64 / 1e6, table.len());
        tables.push((*name, Arc::new(table)));
    }
    let known = Named(tables);
    let folder = std::env::temp_dir().join("toolshape-sql-bench");
    std::fs::create_dir_all(&folder).expect("there is room for temporary files");
    for (name, text) in &texts {
        std::fs::write(folder.join(name), text).expect("there is room for temporary files");
    }
    for (name, sql, loop_over) in QUESTIONS {
        let limits = Limits { work: 1 << 40, ..Limits::default() };
        let ours =
            median(|| drop(ask(sql, &known, &limits).remove(0).unwrap_or_else(|error| panic!("{sql}: {error}"))));
        let within = ask(sql, &known, &Limits::default()).remove(0).is_ok_and(|answer| answer.first_rows.is_none());
        let node = in_node(&folder, loop_over);
        let ratio = node.map_or(String::new(), |node| format!(", Node {node:.0} ms, {:.2} times", ours / node));
        println!("{name}: {ours:.1} ms{ratio}{}", if within { "" } else { ", more work than the default" });
    }
    hostile();
}

/// What each hostile statement takes without a clock: milliseconds, and megabytes more than before it. How it ends is compared with
/// what is written down, or with `UPDATE_VECTORS=1` written down.
fn hostile() {
    let (rows, document) = (hostile_statements::rows(), hostile_statements::document());
    // As a call has it.
    let limits = Limits { work: ((1 << 27) + 4 * (rows.len() + document.len()) as u64) / 8, ..Limits::default() };
    let table = |json: Result<Table, TableError>| Arc::new(json.expect("the text is a table"));
    let known = Named(vec![("m", table(Table::json(rows))), ("deep_doc", table(Table::json_document(document)))]);
    let mut all = hostile_statements::all();
    for list in ["endless", "forbidden"] {
        for (at, (sql, wanted)) in hostile_statements::statements(&all, list).into_iter().enumerate() {
            // Linux forgets the peak so far.
            let _ = std::fs::write("/proc/self/clear_refs", "5");
            let (before, start) = (peak_memory(), Instant::now());
            let end = hostile_statements::end(&ask(&sql, &known, &limits).remove(0));
            let (took, memory) = (start.elapsed().as_secs_f64() * 1e3, peak_memory().saturating_sub(before));
            let differs = if end == wanted { "" } else { "DIFFERS, " };
            println!("{list} {took:.0} ms, {memory} MB: {differs}{end}: {sql}");
            all[list][at]["end"] = end.into();
        }
    }
    if std::env::var_os("UPDATE_VECTORS").is_some() {
        let text = serde_json::to_string_pretty(&all).expect("a value is JSON");
        std::fs::write(hostile_statements::FILE, text + "\n").expect("the file can be written");
    }
}

/// The most memory that the process has had, in megabytes, where the system says it.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) / 1024
}

/// Each with the same in JavaScript, of the text `t`.
const QUESTIONS: [(&str, &str, &str); 14] = [
    (
        "count",
        "SELECT count(*) FROM m WHERE rating > 7.5 AND genre = 'Drama'",
        "let n=0;for(const r of JSON.parse(t.m))if(r.rating>7.5&&r.genre==='Drama')n++",
    ),
    ("group and mean", "SELECT genre, count(*), avg(rating) FROM m GROUP BY 1 ORDER BY 3 DESC", GROUPED),
    (
        "order, limit 20",
        "SELECT id, title, gross FROM m ORDER BY gross DESC, id LIMIT 20",
        "JSON.parse(t.m).sort((a,b)=>b.gross-a.gross||a.id-b.id).slice(0,20)",
    ),
    ("first 100 of all columns", "SELECT * FROM m", "JSON.parse(t.m).slice(0,100)"),
    (
        "nested ->>",
        "SELECT info->>'city', count(*) FROM m GROUP BY 1",
        "const g={};for(const r of JSON.parse(t.m))g[r.info.city]=(g[r.info.city]??0)+1",
    ),
    ("median", "SELECT genre, median(rating) FROM m GROUP BY 1", MEDIAN),
    (
        "join",
        "SELECT count(*), sum(b.votes) FROM c a JOIN m b ON b.id = a.id WHERE a.genre = 'Drama'",
        "const m=new Map(JSON.parse(t.m).map(r=>[r.id,r]));let s=0;for(const l of t.c.split('\\n')){const f=l.split(',');if(f[2]==='Drama')s+=m.get(+f[0]).votes}",
    ),
    (
        "regexp",
        "SELECT count(*) FROM m WHERE title REGEXP 'movie [0-9]{3}7\\b'",
        "let n=0;for(const r of JSON.parse(t.m))if(/movie [0-9]{3}7\\b/.test(r.title))n++",
    ),
    (
        "csv count",
        "SELECT count(*) FROM c WHERE rating > 7.5 AND genre = 'Drama'",
        "let n=0;for(const l of t.c.split('\\n')){const f=l.split(',');if(+f[3]>7.5&&f[2]==='Drama')n++}",
    ),
    (
        "csv group",
        "SELECT genre, count(*), avg(rating) FROM c GROUP BY 1",
        "const g={};for(const l of t.c.split('\\n')){const f=l.split(',');(g[f[2]]??=[0,0])[0]++;g[f[2]][1]+=+f[3]}",
    ),
    (
        "lines LIKE",
        "SELECT count(*) FROM l WHERE text LIKE '%duration: %'",
        "let n=0;for(const l of t.l.split('\\n'))if(l.toLowerCase().includes('duration: '))n++",
    ),
    (
        "lines regexp",
        "SELECT count(*) FROM l WHERE text REGEXP 'duration: [0-9]{4,}'",
        "let n=0;for(const l of t.l.split('\\n'))if(/duration: [0-9]{4,}/.test(l))n++",
    ),
    (
        "lines by level",
        "SELECT level, count(*) FROM l GROUP BY 1",
        "const g={};for(const l of t.l.split('\\n')){const k=l.split(' ')[2];g[k]=(g[k]??0)+1}",
    ),
    (
        "lines by capture",
        "SELECT capture(text, 'user (\\w+)'), count(*) FROM l GROUP BY 1",
        "const g={};for(const l of t.l.split('\\n')){const k=/user (\\w+)/.exec(l)?.[1];g[k]=(g[k]??0)+1}",
    ),
];
const GROUPED: &str = "const g={};for(const r of JSON.parse(t.m)){(g[r.genre]??=[0,0])[0]++;g[r.genre][1]+=r.rating}";
const MEDIAN: &str =
    "const g={};for(const r of JSON.parse(t.m))(g[r.genre]??=[]).push(r.rating);for(const k in g)g[k].sort((a,b)=>a-b)";

fn median(mut run: impl FnMut()) -> f64 {
    let mut times = [0.0; 5].map(|_: f64| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.sort_by(f64::total_cmp);
    times[2]
}

fn in_node(folder: &Path, body: &str) -> Option<f64> {
    let script = format!(
        "const fs=require('fs');const t={{}};for(const k of 'mcl')t[k]=fs.readFileSync({:?}+'/'+k,'utf8');\
         const run=()=>{{{body}}};const all=[];for(let i=0;i<5;i++){{const s=performance.now();run();all.push(performance.now()-s)}}\
         console.log(all.sort((a,b)=>a-b)[2])",
        folder.display().to_string()
    );
    let output = Command::new("node").args(["-e", &script]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn index(csv: &str) -> RowIndex {
    let grammar = Grammar::Delimited(b',', Quotes::Doubled);
    let (header_end, mut at) = grammar.row(csv, 0, csv.len());
    let names = csv[..header_end].split(',').map(|name| format!("\"{name}\"").into()).collect();
    let mut index = RowIndex::new(grammar, names, 0);
    while at < csv.len() {
        let (_, next) = grammar.row(csv, at, csv.len());
        index.note(at, next);
        at = next;
    }
    index
}
