//! Prints the number of the template of each line of a log.

use toolshape_text::lines;
use toolshape_text::prose::prelude;
use toolshape_text::prose::template::Templates;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "/dev/stdin".to_owned());
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let lines = lines::of(&text);
    let templates = Templates::of(lines.iter().map(|line| (&line[prelude::end(line)..], "")));
    templates.of_line.iter().for_each(|template| println!("{template}"));
    Ok(())
}
