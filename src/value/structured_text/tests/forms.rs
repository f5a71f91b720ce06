//! Forms in which programs write rows, and texts that only look so.

use super::{Formats, lines, recognize};
use crate::value::source::Source;

/// The first row and the last as JSON, and how many there are.
fn read(text: &str) -> Option<(usize, String, String)> {
    let structure = recognize(text, Formats::All)?;
    let rows = structure.source(text);
    let row = |at: usize| Some(rows.items(at, 1).ok()?.first()?.json().ok()?.into_owned());
    Some((rows.len(), row(0)?, row(rows.len() - 1)?))
}

fn cities(at: usize) -> &'static str {
    ["Oslo", "Lima", "New York", "Kyoto", "Rome"][at % 5]
}

/// What a form is called, the text, its first row and its last.
fn forms() -> Vec<(&'static str, String, &'static str, &'static str)> {
    vec![
        (
            "two texts",
            lines("city,country\n", |at| format!("Nowhere {at},XX\n")),
            r#"{"city":"Nowhere 0","country":"XX"}"#,
            r#"{"city":"Nowhere 39","country":"XX"}"#,
        ),
        (
            "two texts, capitals",
            lines("City,Country\n", |at| {
                format!("{} {},{}\n", cities(at), ["North", "South"][at / 20], ["Norway", "Peru", "Japan"][at % 3])
            }),
            r#"{"City":"Oslo North","Country":"Norway"}"#,
            r#"{"City":"Rome South","Country":"Norway"}"#,
        ),
        (
            "two texts, tabs",
            lines("code\tlabel\n", |at| format!("C{at}\tLabel {at}\n")),
            r#"{"code":"C0","label":"Label 0"}"#,
            r#"{"code":"C39","label":"Label 39"}"#,
        ),
        (
            "two texts, semicolons",
            lines("name;team\n", |at| format!("Person {at};Team {}\n", at % 4)),
            r#"{"name":"Person 0","team":"Team 0"}"#,
            r#"{"name":"Person 39","team":"Team 3"}"#,
        ),
        (
            "two texts in quotes",
            lines("\"name\",\"note\"\n", |at| format!("\"Person {at}\",\"late, or not\"\n")),
            r#"{"name":"Person 0","note":"late, or not"}"#,
            r#"{"name":"Person 39","note":"late, or not"}"#,
        ),
        (
            "addresses of mail",
            lines("email,role\n", |at| format!("user{at}@example.org,{}\n", ["admin", "reader"][at % 2])),
            r#"{"email":"user0@example.org","role":"admin"}"#,
            r#"{"email":"user39@example.org","role":"reader"}"#,
        ),
        (
            "two titles less at the end",
            lines("a,b,qty,,\n", |at| format!("v{at},w,{},,\n", at * 2)),
            r#"{"a":"v0","b":"w","qty":0,"column_4":null,"column_5":null}"#,
            r#"{"a":"v39","b":"w","qty":78,"column_4":null,"column_5":null}"#,
        ),
        (
            "three titles less at the end",
            lines("a;qty;;;\n", |at| format!("v{at};{at};;;\n")),
            r#"{"a":"v0","qty":0,"column_3":null,"column_4":null,"column_5":null}"#,
            r#"{"a":"v39","qty":39,"column_3":null,"column_4":null,"column_5":null}"#,
        ),
        (
            "a delimiter at the end of rows",
            lines("a,b,qty\n", |at| format!("v{at},w,{at},\n")),
            r#"{"a":"v0","b":"w","qty":0,"column_4":null}"#,
            r#"{"a":"v39","b":"w","qty":39,"column_4":null}"#,
        ),
        (
            "a tab at the end of rows",
            lines("name\tqty\n", |at| format!("v{at}\t{at}\t\n")),
            r#"{"name":"v0","qty":0,"column_3":null}"#,
            r#"{"name":"v39","qty":39,"column_3":null}"#,
        ),
        (
            "a title",
            lines("Sales of the year\nid,city,qty\n", |at| format!("{at},{},{}\n", cities(at), at * 2)),
            r#"{"id":0,"city":"Oslo","qty":0}"#,
            r#"{"id":39,"city":"Rome","qty":78}"#,
        ),
        (
            "a title with its delimiters",
            lines("Sales 2024,,\nid,city,qty\n", |at| format!("{at},{},{}\n", cities(at), at * 2)),
            r#"{"id":0,"city":"Oslo","qty":0}"#,
            r#"{"id":39,"city":"Rome","qty":78}"#,
        ),
        (
            "a title of two lines",
            lines("Sales\nAll shops; net\nid;city;qty\n", |at| format!("{at};{};{}\n", cities(at), at * 2)),
            r#"{"id":0,"city":"Oslo","qty":0}"#,
            r#"{"id":39,"city":"Rome","qty":78}"#,
        ),
        (
            "Markdown with a loose bar",
            lines("| id | owner | state |\n|---|:---:|---:|\n", |at| {
                if at == 20 { "| 20 | a | b | s |\n".into() } else { format!("| {at} | o{at} | s |\n") }
            }),
            r#"{"id":0,"owner":"o0","state":"s"}"#,
            r#"{"id":39,"owner":"o39","state":"s"}"#,
        ),
        (
            "Markdown with a cell less",
            lines("| id | owner | state |\n|---|---|---|\n", |at| {
                if at == 20 { "| 20 | a |\n".into() } else { format!("| {at} | o{at} | s |\n") }
            }),
            r#"{"id":0,"owner":"o0","state":"s"}"#,
            r#"{"id":39,"owner":"o39","state":"s"}"#,
        ),
        (
            "Markdown without outer bars",
            lines("id | owner\n---|---\n", |at| format!("{at} | o{at}\n")),
            r#"{"id":0,"owner":"o0"}"#,
            r#"{"id":39,"owner":"o39"}"#,
        ),
        (
            "Org",
            lines("| id | owner |\n|----+-------|\n", |at| format!("| {at:2} | o{at:<4} |\n")),
            r#"{"id":0,"owner":"o0"}"#,
            r#"{"id":39,"owner":"o39"}"#,
        ),
        (
            "Org with groups",
            lines("| id | owner |\n|----+-------|\n", |at| {
                format!("| {at:2} | o{at:<4} |\n{}", if at % 10 == 9 { "|----+-------|\n" } else { "" })
            }),
            r#"{"id":0,"owner":"o0"}"#,
            r#"{"id":39,"owner":"o39"}"#,
        ),
        (
            "a grid",
            lines("+----+------+\n| id | city |\n+====+======+\n", |at| {
                format!("| {at:<2} | {:<4} |\n+----+------+\n", ["Oslo", "Rome"][at % 2])
            }),
            r#"{"id":0,"city":"Oslo"}"#,
            r#"{"id":39,"city":"Rome"}"#,
        ),
        (
            "a grid with cells of two lines",
            lines("+----+----------+\n| id | city     |\n+====+==========+\n", |at| {
                format!("| {at:<2} | San      |\n|    | Salvador |\n+----+----------+\n")
            }),
            r#"{"id":0,"city":"San Salvador"}"#,
            r#"{"id":39,"city":"San Salvador"}"#,
        ),
        (
            "between lines of equals signs",
            lines("==  ====  ===\nid  city  qty\n==  ====  ===\n", |at| {
                format!("{at:<2}  {:<4}  {at}\n", ["Oslo", "Rome"][at % 2])
            }) + "==  ====  ===\n",
            r#"{"id":0,"city":"Oslo","qty":0}"#,
            r#"{"id":39,"city":"Rome","qty":39}"#,
        ),
        (
            "boxes with cells of two lines",
            lines(
                "╒══════╤════════════╕\n│   id │ note       │\n╞══════╪════════════╡\n",
                |at| {
                    format!(
                        "{}│ {at:>4} │ first part │\n│      │ and second │\n",
                        if at > 0 { "├──────┼────────────┤\n" } else { "" }
                    )
                },
            ) + "╘══════╧════════════╛\n",
            r#"{"id":0,"note":"first part and second"}"#,
            r#"{"id":39,"note":"first part and second"}"#,
        ),
        (
            "boxes with long cells folded",
            lines(
                "┏━━━━┳━━━━━━━━━━━━┳━━━━━━┓\n┃ id ┃ note       ┃ size ┃\n┡━━━━╇━━━━━━━━━━━━╇━━━━━━┩\n",
                |at| format!("│ {at:<2} │ words that │ {:<4} │\n│    │ go on      │      │\n", at * 3),
            ) + "└────┴────────────┴──────┘\n",
            r#"{"id":0,"note":"words that go on","size":0}"#,
            r#"{"id":39,"note":"words that go on","size":117}"#,
        ),
        (
            "psql with line breaks in cells",
            lines(" id |  note  | size \n----+--------+------\n", |at| {
                format!(" {at:2} | first +| {at:4}\n    | second | \n")
            }) + "(40 rows)\n\n",
            r#"{"id":0,"note":"first second","size":0}"#,
            r#"{"id":39,"note":"first second","size":39}"#,
        ),
        (
            "PowerShell",
            lines(
                "\r\nHandles  NPM(K)    WS(K)     Id ProcessName\r\n-------  ------    -----     -- -----------\r\n",
                |at| format!("{:7}  {:6} {:8} {:6} svc{at}\r\n", at * 10, at, at * 100, at + 1000),
            ),
            r#"{"Handles":0,"NPM(K)":0,"WS(K)":0,"Id":1000,"ProcessName":"svc0"}"#,
            r#"{"Handles":390,"NPM(K)":39,"WS(K)":3900,"Id":1039,"ProcessName":"svc39"}"#,
        ),
        (
            "PowerShell with a folder",
            lines(
                "\n\n    Directory: C:\\data\n\n\nMode                 LastWriteTime         Length Name\n----                 -------------         ------ ----\n",
                |at| {
                    format!(
                        "-a----        {:2}/12/2024   9:{at:02} AM     {:10} file {at}.txt\n",
                        at % 12 + 1,
                        at * 100
                    )
                },
            ),
            r#"{"Mode":"-a----","LastWriteTime":"1/12/2024   9:00 AM","Length":0,"Name":"file 0.txt"}"#,
            r#"{"Mode":"-a----","LastWriteTime":"4/12/2024   9:39 AM","Length":3900,"Name":"file 39.txt"}"#,
        ),
        (
            "pandas, wrapped",
            {
                lines("     name  age  \\\n", |at| format!("{at:<3} p{at:<4} {at:>3}   \n"))
                    + &lines("\n    city  \n", |at| format!("{at:<3} {:<4}  \n", ["Oslo", "Rome"][at % 2]))
            },
            r#"{"column_1":0,"name":"p0","age":0,"city":"Oslo"}"#,
            r#"{"column_1":39,"name":"p39","age":39,"city":"Rome"}"#,
        ),
        (
            "polars",
            lines(
                "shape: (40, 2)\n┌───────┬─────┐\n│ name  ┆ age │\n│ ---   ┆ --- │\n│ str   ┆ i64 │\n╞═══════╪═════╡\n",
                |at| format!("│ p{at:<4} ┆ {at:<3} │\n"),
            ) + "└───────┴─────┘\n",
            r#"{"name":"p0","age":0}"#,
            r#"{"name":"p39","age":39}"#,
        ),
        (
            "VCF",
            lines(
                "##fileformat=VCFv4.2\n##contig=<ID=1,length=249250621>\n##INFO=<ID=DP,Number=1,Type=Integer,Description=\"Depth, total\">\n#CHROM\tPOS\tID\tREF\tALT\n",
                |at| format!("1\t{}\trs{at}\tA\tT\n", at * 100),
            ),
            r##"{"#CHROM":1,"POS":0,"ID":"rs0","REF":"A","ALT":"T"}"##,
            r##"{"#CHROM":1,"POS":3900,"ID":"rs39","REF":"A","ALT":"T"}"##,
        ),
        (
            "MySQL, a row a block",
            lines("", |at| {
                format!(
                    "*************************** {}. row ***************************\n     id: {at}\n   name: order {at}\n",
                    at + 1
                )
            }) + "40 rows in set (0.00 sec)\n",
            r#"{"id":0,"name":"order 0"}"#,
            r#"{"id":39,"name":"order 39"}"#,
        ),
        (
            "psql, a row a block",
            lines("", |at| format!("-[ RECORD {} ]---\nid   | {at}\nname | order {at}\n", at + 1)),
            r#"{"id":0,"name":"order 0"}"#,
            r#"{"id":39,"name":"order 39"}"#,
        ),
        (
            "paragraphs of fields",
            lines("", |at| format!("Package: pkg-{at}\nStatus: install ok installed\nInstalled-Size: {}\n\n", at * 3)),
            r#"{"Package":"pkg-0","Status":"install ok installed","Installed-Size":0}"#,
            r#"{"Package":"pkg-39","Status":"install ok installed","Installed-Size":117}"#,
        ),
        (
            "PowerShell, a row a block",
            lines("\r\n\r\n", |at| {
                format!(
                    "Name        : svc{at}\r\nDisplayName : Service {at}\r\nStatus      : {}\r\n\r\n",
                    ["Running", "Stopped"][at % 2]
                )
            }),
            r#"{"Name":"svc0","DisplayName":"Service 0","Status":"Running"}"#,
            r#"{"Name":"svc39","DisplayName":"Service 39","Status":"Stopped"}"#,
        ),
        (
            "a dictionary",
            lines("term,meaning\n", |at| format!("word{at},\"a thing, of kind {at}\"\n")),
            r#"{"term":"word0","meaning":"a thing, of kind 0"}"#,
            r#"{"term":"word39","meaning":"a thing, of kind 39"}"#,
        ),
        (
            "hosts and their owners",
            lines("hostname\towner\n", |at| format!("web-{at:02}.example.org\t{}\n", ["Ada Lee", "Ben Yu"][at % 2])),
            r#"{"hostname":"web-00.example.org","owner":"Ada Lee"}"#,
            r#"{"hostname":"web-39.example.org","owner":"Ben Yu"}"#,
        ),
        (
            "languages",
            lines("Code,Language\n", |at| {
                format!("{}{},Lang {}\n", char::from(b'a' + (at % 26) as u8), char::from(b'a' + (at / 26) as u8), at)
            }),
            r#"{"Code":"aa","Language":"Lang 0"}"#,
            r#"{"Code":"nb","Language":"Lang 39"}"#,
        ),
        (
            "a title in quotes",
            lines("\"Report, first half\"\nid,name,sum\n", |at| format!("{at},p{at},{at}.5\n")),
            r#"{"id":0,"name":"p0","sum":0.5}"#,
            r#"{"id":39,"name":"p39","sum":39.5}"#,
        ),
        (
            "tabulate, with pipes",
            lines("|   id | city   |\n|-----:|:-------|\n", |at| {
                format!("| {at:>4} | {:<6} |\n", ["Oslo", "Rome"][at % 2])
            }),
            r#"{"id":0,"city":"Oslo"}"#,
            r#"{"id":39,"city":"Rome"}"#,
        ),
        (
            "ASCII polars",
            lines(
                "shape: (40, 2)\n+-------+-----+\n| name  | age |\n| ---   | --- |\n| str   | i64 |\n+=============+\n",
                |at| format!("| p{at:<4} | {at:<3} |\n"),
            ) + "+-------+-----+\n",
            r#"{"name":"p0","age":0}"#,
            r#"{"name":"p39","age":39}"#,
        ),
        (
            "sqlite, box",
            lines(
                "┌────┬──────┐\n│ id │ city │\n├────┼──────┤\n",
                |at| format!("│ {at:<2} │ {:<4} │\n", ["Oslo", "Rome"][at % 2]),
            ) + "└────┴──────┘\n",
            r#"{"id":0,"city":"Oslo"}"#,
            r#"{"id":39,"city":"Rome"}"#,
        ),
        (
            "sqlite, column",
            lines("id  city  qty\n--  ----  ---\n", |at| format!("{at:<2}  {:<4}  {at}\n", ["Oslo", "Rome"][at % 2])),
            r#"{"id":0,"city":"Oslo","qty":0}"#,
            r#"{"id":39,"city":"Rome","qty":39}"#,
        ),
        (
            "sqlite, line",
            lines("", |at| format!("  id = {at}\nname = order {at}\n qty = {}\n\n", at * 2)),
            r#"{"id":0,"name":"order 0","qty":0}"#,
            r#"{"id":39,"name":"order 39","qty":78}"#,
        ),
        (
            "processors",
            lines("", |at| {
                format!(
                    "processor\t: {at}\nvendor_id\t: GenuineIntel\ncpu MHz\t\t: 2400.{at:03}\npower management:\n\n"
                )
            }),
            r#"{"processor":0,"vendor_id":"GenuineIntel","cpu MHz":"2400.000","power management":null}"#,
            r#"{"processor":39,"vendor_id":"GenuineIntel","cpu MHz":2400.039,"power management":null}"#,
        ),
        (
            "LDIF",
            lines("", |at| {
                format!("dn: uid=u{at},dc=example\nobjectClass: top\nobjectClass: person\ncn: User {at}\n\n")
            }),
            r#"{"dn":"uid=u0,dc=example","objectClass":["top","person"],"cn":"User 0"}"#,
            r#"{"dn":"uid=u39,dc=example","objectClass":["top","person"],"cn":"User 39"}"#,
        ),
        (
            "PowerShell, services",
            lines("\nStatus   Name               DisplayName\n------   ----               -----------\n", |at| {
                format!("{:<8} {:<18} Service number {at}\n", ["Running", "Stopped"][at % 2], format!("svc{at}"))
            }),
            r#"{"Status":"Running","Name":"svc0","DisplayName":"Service number 0"}"#,
            r#"{"Status":"Stopped","Name":"svc39","DisplayName":"Service number 39"}"#,
        ),
        (
            "Oracle",
            lines("\n        ID NAME\n---------- --------------------\n", |at| format!("{at:10} order {at}\n"))
                + "\n40 rows selected.\n",
            r#"{"ID":0,"NAME":"order 0"}"#,
            r#"{"ID":39,"NAME":"order 39"}"#,
        ),
        (
            "titles of two lines, all in quotes",
            lines("\"Club\nLeague\",\"Apps\nand goals\"\n", |at| format!("\"Team {at}\",\"{at}\n{at}\"\n")),
            r#"{"Club\nLeague":"Team 0","Apps\nand goals":"0\n0"}"#,
            r#"{"Club\nLeague":"Team 39","Apps\nand goals":"39\n39"}"#,
        ),
        (
            "quotes after backslashes",
            lines("\"Year\",\"Title\"\n", |at| format!("\"{}\",\"Part \\\"{at}\\\" of C:\\\\new\\now\"\n", 1970 + at)),
            r#"{"Year":"1970","Title":"Part \"0\" of C:\\new\\now"}"#,
            r#"{"Year":"2009","Title":"Part \"39\" of C:\\new\\now"}"#,
        ),
        (
            "titles with full stops and question marks",
            lines("No.,Driver,Won?,Avg. pts.\n", |at| format!("{at},p{at},{},{at}.5\n", at % 2 == 0)),
            r#"{"No.":0,"Driver":"p0","Won?":"true","Avg. pts.":0.5}"#,
            r#"{"No.":39,"Driver":"p39","Won?":"false","Avg. pts.":39.5}"#,
        ),
        (
            "a title that is missing",
            lines("Rank;;Team;Total points of the whole season so far (all)\n", |at| {
                format!("{at};x;p{at};{}\n", at * 3)
            }),
            r#"{"Rank":0,"column_2":"x","Team":"p0","Total points of the whole season so far (all)":0}"#,
            r#"{"Rank":39,"column_2":"x","Team":"p39","Total points of the whole season so far (all)":117}"#,
        ),
        (
            "texts of which few are in quotes",
            lines("Date,Scorers,Report\n", |at| match at {
                5 => "May 5,\"Ada, Ben\",Report\n".into(),
                _ => format!("May {at},Ada,Report\n"),
            }),
            r#"{"Date":"May 0","Scorers":"Ada","Report":"Report"}"#,
            r#"{"Date":"May 39","Scorers":"Ada","Report":"Report"}"#,
        ),
        (
            "titles with signs of code",
            lines("Month,Arrest > Theft,Death > None,a<b\n", |at| format!("Apr-{at},{at},{},0\n", at % 3)),
            r#"{"Month":"Apr-0","Arrest > Theft":0,"Death > None":0,"a<b":0}"#,
            r#"{"Month":"Apr-39","Arrest > Theft":39,"Death > None":0,"a<b":0}"#,
        ),
        (
            "a trailing semicolon after all",
            lines("id;name;\n", |at| format!("{at};p{at};\n")),
            r#"{"id":0,"name":"p0","column_3":null}"#,
            r#"{"id":39,"name":"p39","column_3":null}"#,
        ),
    ]
}

/// Texts that have delimiters, rules, blocks or columns, and no rows.
fn others() -> Vec<(&'static str, String)> {
    vec![
        ("pairs without titles", lines("", |at| format!("{},{}\n", cities(at), ["NO", "PE", "US"][at % 3]))),
        (
            "commits and authors",
            lines("", |at| format!("{:07x},{}\n", at * 7_919_131 + 99_999_999, ["Ada", "Ben Li", "Cyd"][at % 3])),
        ),
        ("prose with a comma a line", lines("", |at| format!("It was {} then, and so it went on.\n", cities(at)))),
        ("a poem", lines("", |at| format!("O {},\nthou {} of the sea,\n", cities(at), ["star", "song"][at % 2]))),
        ("an environment", lines("", |at| format!("KEY_{at}=value,{at}\n"))),
        ("calls", lines("", |at| format!("  call_{at}(left,right);\n"))),
        ("rules of CSS", lines("", |at| format!("h{at},p {{ margin:0 }}\n"))),
        ("hosts", lines("", |at| format!("10.0.0.{at}\thost{at}\n"))),
        ("folders and their size", lines("", |at| format!("{at}K\t./src/dir{at}\n"))),
        ("files and paths", lines("", |at| format!("file{at}.rs\t./src/file{at}.rs\n"))),
        (
            "a diff",
            lines("diff --git a/x b/x\n--- a/x\n+++ b/x\n", |at| format!("@@ -{at},1 +{at},1 @@\n-a,b\n+a,c\n")),
        ),
        ("sections of settings", lines("", |at| format!("[section{at}]\nname = {at}\ncity = {}\n\n", cities(at)))),
        ("a talk", lines("", |at| format!("{}: well, that is {at}\n", ["Ada", "Ben"][at % 2]))),
        ("one record", lines("", |at| format!("field{at}: value {at}\n"))),
        ("headers of one answer", lines("HTTP/1.1 200 OK\n", |at| format!("x-header-{at}: {at}\n")) + "\nbody\n"),
        (
            "paragraphs that begin with a word",
            lines("", |at| format!("Note: this is paragraph {at} and goes on\nover another line of words.\n\n")),
        ),
        (
            "commits",
            lines("", |at| {
                format!(
                    "commit {:040x}\nAuthor: Ada <a@example.org>\nDate:   Thu Nov 20 10:00:{at:02} 2025\n\n    Change {at}\n\n",
                    at * 12345
                )
            }),
        ),
        ("a tree", lines(".\n", |at| format!("├── dir{at}\n│   └── file{at}.rs\n"))),
        (
            "a box with prose",
            "┌──────────────────────┐\n".to_owned()
                + &lines("", |at| format!("│ words, number {at:<6} │\n"))
                + "└──────────────────────┘\n",
        ),
        (
            "a table in a document",
            lines("# Title\n\nWords about it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n", |at| {
                format!("Paragraph {at} has words.\n\n")
            }),
        ),
        ("a document with rules", lines("", |at| format!("Chapter {at}\n---------\n\nWords of it, and more.\n\n"))),
        ("pipes of a shell", lines("", |at| format!("cat file{at} | grep x | sort\n"))),
        ("flags in code", lines("int x =\n", |at| format!("    FLAG_{at} | OTHER_{at} |\n"))),
        ("TeX", lines("\\begin{tabular}{ll}\n", |at| format!("{at} & {} \\\\\n", cities(at)))),
        ("a Makefile", lines("", |at| format!("target{at}: dep{at}\n\tcc -o $@ $<\n\n"))),
        ("versions and changes", lines("", |at| format!("## 1.{at}.0\n\nAdded: a thing, another\nFixed: a fault\n\n"))),
        ("aligned settings", lines("", |at| format!("option-{at:<6}  value of it\n"))),
        (
            "options of a command",
            lines("Usage: tool [OPTIONS]\n\nOptions:\n", |at| {
                format!("  -{}, --option{at}   What it does\n", char::from(b'a' + (at % 26) as u8))
            }),
        ),
        ("a list of words that ends in commas", lines("", |at| format!("word{at},\n"))),
        ("a log", lines("", |at| format!("2026-11-20 10:00:{at:02} worker: took job {at}, done\n"))),
        ("questions", lines("", |at| format!("{at}. What is it, and why?\n   Because: words | more words\n"))),
        ("a title and prose", lines("Report\nOn words\n", |at| format!("Sentence {at} has one comma, as here.\n"))),
        ("hunks of numbers", lines("", |at| format!("{at},{}\n", at * 2))),
        ("messages of two lines", lines("", |at| format!("FAIL: test_{at}\nAssertionError: {at} != 1\n\n"))),
        ("changes, by kind", lines("", |at| format!("M\tsrc/file{at}.rs\n"))),
        ("addresses", lines("", |at| format!("Ada Lee\nMain Street {at}\nOslo, Norway\n\n"))),
        ("a recipe", lines("Ingredients:\n", |at| format!("- {at} cups of flour, sifted\n"))),
        ("a schedule", lines("Monday\n------\n", |at| format!("{:02}:00  Talk {at} by Ada\n", at % 24))),
        ("quotes with sources", lines("", |at| format!("> words of {at}\n> and more\n-- Ada, {at}\n\n"))),
        (
            "pages of a manual",
            lines("NAME\n       tool - does it\n\nOPTIONS\n", |at| format!("       -o{at}    Does it, if set.\n\n")),
        ),
        ("SQL", lines("INSERT INTO t VALUES\n", |at| format!("({at},'a'),\n"))),
        ("imports", lines("", |at| format!("import a{at}, b{at} from x\n"))),
        ("statements after a directive", lines("\"use strict\";\n", |at| format!("var a{at} = {at};\n"))),
        ("strings of a list", lines("const list = [\n", |at| format!("\"word{at}\",\n"))),
        ("strings of a list, in pairs", lines("", |at| format!("  \"word{at}\",\"other{at}\",\n"))),
        ("a dialogue", lines("", |at| format!("\"Yes,\" he said,\"it is {at}.\"\n"))),
        ("a dialogue with quotes first", lines("", |at| format!("\"Number {at}?\", she asked, and went on.\n"))),
        ("rows of numbers in quotes", lines("", |at| format!("\"{at}\",\"{}\",\"x\"\n", at * 2))),
        ("bytes of a table in code", lines("", |at| format!("0x{at:02x},0x{:02x},0x00,0xff,\n", at * 2))),
        ("members of an object", lines("{\n", |at| format!("\"key{at}\":\"a\\\"b\",\n"))),
        ("places in a genome", lines("", |at| format!("chr1\t{}\t{}\tgene{at}\n", at * 100, at * 100 + 50))),
        ("changed lines of files", lines("", |at| format!("{at}\t{}\tsrc/file{at}.rs\n", at * 2))),
        ("lists with rules", lines("", |at| format!("- item {at}: a, b\n  ---\n"))),
    ]
}

#[test]
fn forms_of_rows_are_read_as_rows() {
    let wrong: Vec<String> = forms()
        .iter()
        .filter_map(|(name, text, first, last)| {
            let wanted = Some((40, (*first).to_owned(), (*last).to_owned()));
            let found = read(text);
            (found != wanted).then(|| format!("{name}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} are not:\n{}", wrong.len(), forms().len(), wrong.join("\n"));
}

#[test]
fn other_texts_are_not_read_as_rows() {
    let wrong: Vec<String> =
        others().iter().filter_map(|(name, text)| Some(format!("{name}: {:?}", read(text)?))).collect();
    assert!(wrong.is_empty(), "{} of {} are:\n{}", wrong.len(), others().len(), wrong.join("\n"));
}
