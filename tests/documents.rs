//! Checks the output that the README and the pages in `docs/` show: each block that names a vector matches it; and that the tests are
//! there to which the threat model leads.

use crate::vectors::expected_text;

#[test]
fn the_pages_show_real_output() {
    let names = std::fs::read_dir(root().join("docs")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| name.ends_with(".md"));
    let pages: Vec<String> = names.map(|name| read(&format!("docs/{name}"))).chain([read("README.md")]).collect();
    let mut shown = 0;
    for part in pages.iter().flat_map(|page| page.split("<!-- vector: ").skip(1)) {
        let (name, rest) = part.split_once(" -->").expect("a comment ends");
        let (file, case) = name.split_once(" / ").expect("file / case");
        let block = rest.split("```").nth(1).expect("a block follows").strip_prefix("json\n").expect("JSON");
        let actual = expected_text(file, case);
        assert!(matches(block, &actual), "{name}:\n{block}\nis not\n{actual}");
        shown += 1;
    }
    assert!(shown >= 5, "only {shown} blocks name a vector");
}

#[test]
fn the_tests_that_the_threat_model_names_are_there() {
    let page = read("docs/reliability.md");
    let (_, table) = page.split_once("## Threat model").unwrap();
    let rows =
        table.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    let mut named = 0;
    for row in rows {
        let tests = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
        let paths = tests.split('`').skip(1).step_by(2).filter(|path| !path.starts_with("cargo "));
        named += paths.clone().count().min(1);
        for path in paths {
            let is_there = ["", "crates/"].iter().any(|folder| root().join(folder).join(path).exists());
            assert!(is_there, "{path} in {row}");
        }
    }
    assert!(named >= 7, "only {named} rows name tests");
}

/// Whether the pieces of `block` between its ellipses follow each other in `actual`. A line break in the block matches
/// nothing or a space.
fn matches(block: &str, actual: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let (block, mut rest) = (squeeze(block), squeeze(actual));
    let pieces: Vec<&str> = block.split('…').collect();
    for (at, piece) in pieces.iter().enumerate() {
        match rest.find(piece) {
            Some(found) if at > 0 || found == 0 => rest = rest.split_off(found + piece.len()),
            _ => return false,
        }
    }
    rest.is_empty() || block.ends_with('…')
}

fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
