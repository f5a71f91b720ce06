//! Asks a file in SQL, as the table `t`: `cargo run -p toolshape-sql --example ask -- file.json "SELECT …"`.

use std::sync::Arc;

use toolshape_sql::{Limits, Table, TableError, Tables, ask};

struct One(Arc<Table>);

impl Tables for One {
    fn table(&self, name: &str) -> Result<Option<Arc<Table>>, TableError> {
        Ok((name == "t").then(|| Arc::clone(&self.0)))
    }

    fn names(&self) -> Vec<String> {
        vec!["t".to_owned()]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(sql)) = (arguments.next(), arguments.next()) else {
        return Err("usage: ask FILE SQL".into());
    };
    let text = std::fs::read_to_string(&path)?;
    let table = Table::json(text.as_str()).or_else(|_| Table::lines(text)).map_err(|error| error.0)?;
    for answer in ask(&sql, &One(Arc::new(table)), &Limits::default()) {
        let answer = answer?;
        println!("{}", answer.columns.join("\t"));
        for row in &answer.rows {
            let mut line = String::new();
            for value in row {
                line.push_str(if line.is_empty() { "" } else { "\t" });
                value.write_json(&mut line);
            }
            println!("{line}");
        }
        println!("{} rows{}", answer.total, answer.first_rows.map_or(String::new(), |first| format!(", {first:?}")));
        answer.notes.iter().for_each(|note| println!("{note}"));
    }
    Ok(())
}
