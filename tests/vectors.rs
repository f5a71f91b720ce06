//! The shared cases in `vectors/`, which every face runs; with `UPDATE_VECTORS` set, this run rewrites their
//! expectations; no other face does.
//!
//! Each file names its runner, so every face runs a new file as soon as it is in the folder.

mod conversation;
mod http_conversation;
mod runners;
mod sentences;
mod transcript;
pub mod weight;
mod wording;

use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::Value;

use runners::{RUNNERS, Runner};
use sentences::Sentences;
use transcript::Transcript;
use wording::{Wording, unnamed};

/// How a case can fail: only a difference may be rewritten.
enum Wrong {
    Differs(String),
    Panics(String),
}

/// A file of cases and the function that runs each of them.
struct File {
    name: String,
    path: PathBuf,
    contents: Value,
    runner: &'static str,
    run: Runner,
}

#[test]
fn every_case_gives_what_it_expects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut files = load(&folder).unwrap_or_else(|fault| panic!("{fault}"));
    // The program alone speaks HTTP.
    files.push(open(folder.join("shared/relay_http.json")).unwrap_or_else(|fault| panic!("{fault}")));
    let sentences = sentences();
    let wording = Wording::new(&sentences);
    let is_update = std::env::var_os("UPDATE_VECTORS").is_some();
    let outcomes: Vec<(Vec<Wrong>, Transcript)> = std::thread::scope(|scope| {
        let running: Vec<_> = files.iter_mut().map(|file| scope.spawn(|| run(file, &wording))).collect();
        running.into_iter().map(|file| file.join().unwrap()).collect()
    });
    let (wrong, mut transcripts): (Vec<_>, Vec<_>) = outcomes.into_iter().unzip();
    let wrong: Vec<Wrong> = wrong.into_iter().flatten().collect();
    transcripts.push(std::thread::spawn(sessions).join().unwrap());
    transcript::write(&transcripts, &Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("vectors"));
    let unnamed: BTreeSet<String> = files.iter().flat_map(cases).flat_map(|case| unnamed(&case["expect"])).collect();
    let unread = unread(&sentences, &files);
    let are_all_named = unnamed.is_empty() && unread.is_empty();
    assert!(are_all_named, "sentences.json: no result shows {unread:?}; models read, and it lacks, {unnamed:#?}");
    let faults = wrong.into_iter().filter_map(|wrong| match wrong {
        Wrong::Differs(_) if is_update => None,
        Wrong::Differs(fault) | Wrong::Panics(fault) => Some(fault),
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for file in &files {
        println!("vectors: {} of {}", cases(file).len(), file.name);
        if is_update {
            std::fs::write(&file.path, serde_json::to_string_pretty(&file.contents).unwrap() + "\n").unwrap();
        }
    }
}

#[test]
fn files_without_cases_or_with_an_unknown_runner_are_refused() {
    let folder = std::env::temp_dir().join(format!("toolshape-vectors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused = |contents: &str| {
        std::fs::write(folder.join("new.json"), contents).unwrap();
        load(&folder).err().unwrap()
    };
    let nowhere = load(&folder).err().unwrap();
    let unknown = refused(r#"{"runner": "shapes", "cases": [{"name": "a"}]}"#);
    let empty = refused(r#"{"runner": "shape", "cases": []}"#);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(nowhere.contains("no vectors"), "{nowhere}");
    assert!(unknown.contains("new: runner \"shapes\" is none of") && unknown.contains("read_result"), "{unknown}");
    assert_eq!(empty, "new: no cases");
}

/// The files of a folder in the order of their names.
fn load(folder: &Path) -> Result<Vec<File>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{} holds no vectors", folder.display()));
    }
    paths.into_iter().map(open).collect()
}

fn open(path: PathBuf) -> Result<File, String> {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
    let contents: Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    let named = RUNNERS.iter().find(|(runner, _)| contents["runner"] == *runner);
    let Some(&(runner, run)) = named else {
        let names: Vec<&str> = RUNNERS.iter().map(|(runner, _)| *runner).collect();
        return Err(format!("{name}: runner {} is none of {}", contents["runner"], names.join(", ")));
    };
    match contents["cases"].as_array() {
        Some(cases) if !cases.is_empty() => Ok(File { name, path, contents, runner, run }),
        _ => Err(format!("{name}: no cases")),
    }
}

fn cases(file: &File) -> &Vec<Value> {
    file.contents["cases"].as_array().unwrap()
}

/// The sessions that every host drives.
fn sessions() -> Transcript {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/shared/session.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut transcript = Transcript::default();
    for case in file["cases"].as_array().unwrap() {
        transcript.session(&file["policy"], &format!("session: {}", case["name"].as_str().unwrap()), case);
    }
    transcript
}

/// Runs the cases of a file, replaces their expectations by their outcomes, and lists the differences; with what methods answer
/// to the same.
fn run(file: &mut File, wording: &Wording<'_>) -> (Vec<Wrong>, Transcript) {
    let (mut names, mut wrong, mut transcript) = (HashSet::new(), Vec::new(), Transcript::default());
    for case in file.contents["cases"].as_array_mut().unwrap() {
        let name = format!("{}: {}", file.name, case["name"].as_str().unwrap());
        assert!(names.insert(name.clone()), "{name} is there twice");
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let (outcome, asked) = ((file.run)(case), transcript.record(file.runner, &name, case));
            for member in ["count", "isError", "text", "unchanged"] {
                let (typed, asked) = (&outcome[member], &asked["result"][member]);
                assert!(
                    typed.is_null() || asked.is_null() || typed == asked,
                    "a method answers {asked}, and not {typed}"
                );
            }
            wording.take_out(outcome)
        }));
        match outcome {
            Ok(result) if case.get("expect") == Some(&result) => {}
            Ok(result) => {
                wrong.push(Wrong::Differs(format!("{name}\n  gives {result}\n  wants {}", case["expect"])));
                case["expect"] = result;
            }
            Err(panic) => {
                let message = panic.downcast_ref::<String>().map(String::as_str);
                let message = message.or(panic.downcast_ref::<&str>().copied());
                wrong.push(Wrong::Panics(format!("{name} panics: {}", message.unwrap_or("without a message"))));
            }
        }
    }
    (wrong, transcript)
}

/// The names of the sentences that no expectation of the vectors or of the adapters' rows contains.
fn unread<'a>(sentences: &'a Sentences, files: &[File]) -> Vec<&'a String> {
    let rows = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/behaviours.json")).unwrap();
    let cases = files.iter().map(|file| file.contents["cases"].to_string());
    let texts: Vec<String> = cases.chain([rows]).collect();
    let is_read = |name: &str| {
        let marks = [format!("⟦{name}⟧"), format!("⟦{name}|")];
        texts.iter().any(|text| marks.iter().any(|mark| text.contains(mark)))
    };
    sentences.by_name.keys().filter(|name| !is_read(name)).collect()
}

fn sentences() -> Sentences {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/shared/sentences.json");
    Sentences::read(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The texts of all cases: each kind of output that is recognized.
pub fn texts() -> Vec<String> {
    let files = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")).unwrap();
    let texts = files.iter().flat_map(cases).filter_map(|case| case.get("text")).map(runners::expand);
    texts.collect::<BTreeSet<String>>().into_iter().collect()
}

/// The text that a result of a case expects; for the pages in `docs/` that show it.
pub fn expected_text(file: &str, case: &str) -> String {
    let file = open(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("vectors/{file}.json"))).unwrap();
    let found = cases(&file).iter().find(|one| one["name"] == case);
    found.unwrap_or_else(|| panic!("no case {case:?} in {}", file.name))["expect"]["text"]
        .as_str()
        .map(|text| sentences().put_in(text))
        .unwrap()
}
