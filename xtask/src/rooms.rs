//! The order of the rooms: which files of the core, of the token engine and of the crate of texts may import which others.
//!
//! Imports are read as text, so that the check needs no compiler: `use` lines and paths that begin with `crate::`,
//! `super::` or the name of a child module. Unit tests at the end of a file are ignored, because they may import
//! anything.

use std::collections::{BTreeMap, BTreeSet};

/// A folder of sources with rooms, each of which may import from itself and from those before it.
struct House {
    folder: &'static str,
    rooms: &'static [&'static str],
}

const HOUSES: [House; 3] = [
    House { folder: "src/", rooms: &["base", "value", "request", "outcome", "render", "ladder", "api"] },
    House { folder: "crates/text/src/", rooms: &["by_hash", "chars", "lines", "prose", "rows"] },
    House { folder: "crates/tokens/src/", rooms: &["base", "split", "vocabulary", "merging", "count"] },
];

/// Files that shape a value in one way; the ladder combines them, and they do not import each other.
const VERBS: [&str; 6] = [
    "src/value/project.rs",
    "src/render/paginate.rs",
    "src/render/truncate.rs",
    "src/render/summarize.rs",
    "src/render/sample.rs",
    "src/render/offload.rs",
];

/// The most files that may import each other in a circle: a type and its parts.
const CIRCLE: usize = 3;

impl House {
    /// The room of a file, by its place in the order.
    fn room(&self, path: &str) -> Option<usize> {
        let name = path.strip_prefix(self.folder)?.split(['/', '.']).next()?;
        self.rooms.iter().position(|room| *room == name)
    }

    fn root(&self) -> String {
        format!("{}lib.rs", self.folder)
    }

    /// Whether a file only lists the modules of a room.
    fn is_list(&self, path: &str) -> bool {
        let name = path.strip_prefix(self.folder).and_then(|name| name.strip_suffix(".rs"));
        // The faces have their own code in the room's file.
        name.is_some_and(|name| name != "wasm" && self.rooms.contains(&name))
    }
}

/// Every import that breaks the order of the rooms, as `file: what is wrong`.
pub fn wrong_ways(files: &[(&str, String)]) -> Vec<String> {
    HOUSES.iter().flat_map(|house| wrong_ways_in(house, &Imports::read(house, files))).collect()
}

fn wrong_ways_in(house: &House, imports: &Imports<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for (from, targets) in &imports.of {
        let Some(room) = house.room(from) else { continue };
        for to in targets {
            let name = house.rooms[room];
            match house.room(to) {
                Some(other) if other > room => {
                    faults.push(format!("{from}: imports {to}, but {name} comes before {}", house.rooms[other]));
                }
                None if *to == house.root() && room + 1 < house.rooms.len() => {
                    faults.push(format!("{from}: imports from the crate's root; name the file that holds it"));
                }
                _ => {}
            }
        }
    }
    faults
}

/// Circles of more than three files that import each other.
pub fn circles(files: &[(&str, String)]) -> Vec<String> {
    HOUSES.iter().flat_map(|house| circles_in(&Imports::read(house, files))).collect()
}

fn circles_in(imports: &Imports<'_>) -> Vec<String> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.of.keys().map(|from| (*from, imports.reached(from))).collect();
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for (from, targets) in &reached {
        let circle: Vec<&str> = targets.iter().filter(|to| reached[*to].contains(from)).copied().collect();
        if circle.len() > CIRCLE && seen.insert(circle.clone()) {
            faults.push(format!("{} files import each other: {}", circle.len(), circle.join(", ")));
        }
    }
    faults
}

/// Verbs that import another verb.
pub fn verbs_apart(files: &[(&str, String)]) -> Vec<String> {
    let imports = Imports::read(&HOUSES[0], files);
    let of_verbs = VERBS.iter().flat_map(|verb| imports.of.get(verb).into_iter().flatten().map(move |to| (*verb, *to)));
    let wrong = of_verbs.filter(|(verb, to)| verb != to && VERBS.contains(to));
    let missing =
        VERBS.iter().filter(|verb| !imports.of.contains_key(*verb)).map(|verb| format!("{verb}: is not there"));
    wrong.map(|(verb, to)| format!("{verb}: imports {to}, another verb")).chain(missing).collect()
}

/// The imports of each file of a house.
struct Imports<'a> {
    of: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Imports<'a> {
    fn read(house: &House, files: &'a [(&'a str, String)]) -> Self {
        let is_ours = |path: &str| path.starts_with(house.folder) && path.ends_with(".rs") && !house.is_list(path);
        let ours: Vec<&(&str, String)> = files.iter().filter(|(path, _)| is_ours(path)).collect();
        let paths: BTreeSet<&str> = ours.iter().map(|(path, _)| *path).collect();
        let mut of = BTreeMap::new();
        for (path, text) in ours {
            let code = text.split("\nmod tests {").next().unwrap_or_default();
            let names = named(path.trim_start_matches(house.folder), &on_one_line(code));
            let targets = names.iter().filter_map(|name| house.home(&paths, name)).filter(|to| to != path);
            of.insert(*path, targets.collect());
        }
        Self { of }
    }

    /// The files that a file imports, directly or indirectly.
    fn reached(&self, from: &str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = self.of.get(from).into_iter().flatten().copied().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(self.of.get(next).into_iter().flatten());
            }
        }
        reached
    }
}

/// The code with each list of imports on one line.
fn on_one_line(code: &str) -> String {
    let mut out = String::new();
    let mut is_inside = false;
    for line in code.lines() {
        is_inside = (is_inside || line.trim_start_matches("pub ").starts_with("use ")) && !line.ends_with(';');
        out += if is_inside { line.trim() } else { line };
        out += if is_inside { "" } else { "\n" };
    }
    out
}

/// The module paths that a file names, as `base/error/Error`; `path` is that of the file below the folder of the house.
fn named(path: &str, code: &str) -> Vec<String> {
    let here: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let above = here[..here.len() - 1].join("/");
    let children = code.lines().filter_map(|line| line.trim_start_matches("pub(crate) ").strip_prefix("mod "));
    let children = children.filter_map(|line| line.strip_suffix(';'));
    let mut starts = vec![("crate::".to_owned(), String::new()), ("super::".to_owned(), above + "/")];
    starts.extend(children.map(|child| (format!("{child}::"), format!("{}/{child}/", here.join("/")))));
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (start, folder) in &starts {
            for (at, _) in line.match_indices(start.as_str()) {
                let is_inside = line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
                if !is_inside {
                    found.extend(branches(&line[at + start.len()..]).iter().map(|rest| format!("{folder}{rest}")));
                }
            }
        }
    }
    found
}

/// The paths that the rest of an import names: `a::b::{c, D}` as `a/b/c` and `a/b/D`.
fn branches(rest: &str) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let stem: String = rest.chars().take_while(|c| is_path(*c)).collect();
    let inside = rest[stem.len()..].strip_prefix('{').and_then(|list| list.split('}').next());
    let stem = stem.replace("::", "/");
    match inside {
        Some(list) => list.split(',').map(|name| format!("{stem}{}", name.trim().replace("::", "/"))).collect(),
        None => vec![stem],
    }
}

impl House {
    /// The file of a module path: the longest prefix of the path that is a file.
    fn home<'a>(&self, paths: &BTreeSet<&'a str>, name: &str) -> Option<&'a str> {
        let mut stem = name;
        loop {
            if let Some(path) = paths.get(format!("{}{stem}.rs", self.folder).as_str()) {
                return Some(path);
            }
            match stem.rsplit_once('/') {
                Some((above, _)) => stem = above,
                None if stem.is_empty() || self.rooms.contains(&stem) => return None,
                None => return paths.get(self.root().as_str()).copied(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let verbs = VERBS.iter().filter(|verb| texts.iter().all(|(path, _)| path != *verb));
        let all = texts.iter().map(|(path, text)| (*path, (*text).to_owned()));
        all.chain(verbs.map(|verb| (*verb, String::new()))).collect()
    }

    #[test]
    fn an_import_that_is_turned_round_is_found() {
        let right = files(&[("src/base/error.rs", ""), ("src/request/call.rs", "use crate::base::error::Error;\n")]);
        assert!(wrong_ways(&right).is_empty());
        let wrong =
            files(&[("src/base/error.rs", "use crate::request::call::{self, Call};\n"), ("src/request/call.rs", "")]);
        assert_eq!(
            wrong_ways(&wrong),
            ["src/base/error.rs: imports src/request/call.rs, but base comes before request"]
        );
        let inline =
            files(&[("src/base/error.rs", "fn f() { crate::request::call::g(); }"), ("src/request/call.rs", "")]);
        assert_eq!(wrong_ways(&inline).len(), 1);
        let root = files(&[("src/base/error.rs", "use crate::Call;\n"), ("src/lib.rs", "")]);
        assert_eq!(
            wrong_ways(&root),
            ["src/base/error.rs: imports from the crate's root; name the file that holds it"]
        );
    }

    #[test]
    fn what_stands_in_comments_and_unit_tests_is_no_import() {
        let text =
            "// use crate::request::call::Call;\n#[cfg(test)]\nmod tests {\n    use crate::request::call::Call;\n}\n";
        assert!(wrong_ways(&files(&[("src/base/error.rs", text), ("src/request/call.rs", "")])).is_empty());
    }

    #[test]
    fn a_circle_of_four_is_found_and_one_of_three_is_not() {
        let next = |name: &str| format!("use super::{name}::X;\n");
        let circle = |names: &[&'static str]| -> Vec<(&'static str, String)> {
            let paths =
                [("a", "src/base/a.rs"), ("b", "src/base/b.rs"), ("c", "src/base/c.rs"), ("d", "src/base/d.rs")];
            let path = |name: &str| paths.iter().find(|(known, _)| *known == name).unwrap().1;
            (0..names.len()).map(|at| (path(names[at]), next(names[(at + 1) % names.len()]))).collect()
        };
        assert!(circles(&circle(&["a", "b", "c"])).is_empty());
        assert_eq!(circles(&circle(&["a", "b", "c", "d"])).len(), 1);
    }

    #[test]
    fn children_and_parents_import_each_other_by_relative_paths() {
        let parent = ("src/api/mcp.rs", "mod tool;\nuse tool::ShapedTool;\n");
        let imports = files(&[parent, ("src/api/mcp/tool.rs", "use super::Draft;\n")]);
        let imports = Imports::read(&HOUSES[0], &imports);
        assert_eq!(imports.of["src/api/mcp.rs"], BTreeSet::from(["src/api/mcp/tool.rs"]));
        assert_eq!(imports.of["src/api/mcp/tool.rs"], BTreeSet::from(["src/api/mcp.rs"]));
    }

    #[test]
    fn a_verb_that_imports_a_verb_is_found() {
        let wrong = files(&[("src/render/truncate.rs", "use crate::render::paginate;\n")]);
        assert_eq!(verbs_apart(&wrong), ["src/render/truncate.rs: imports src/render/paginate.rs, another verb"]);
    }
}
