//! `cargo xtask reproducible`: builds both WebAssembly modules twice, in two folders, and compares the bytes.
//!
//! Each folder is a copy of the checkout with a `target/` of its own. Compared are the modules as compiled, all that the npm
//! package is made from, which is the module after wasm-bindgen and wasm-opt and its bindings, and the plain module as released.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::layout::Layout;
use crate::{build, node, plain, source_copy, wasm};

/// Two names of different length: a path that slips into the module also moves what follows it.
const FOLDERS: [&str; 2] = ["target/reproducible/one", "target/reproducible/another-folder"];

/// Builds twice; false if a file differs.
pub fn command(layout: &Layout) -> Result<bool> {
    node::ensure(layout)?;
    // Both copies first: what is edited while the first is compiled would be in the second only.
    let mut copies = Vec::new();
    for name in FOLDERS {
        copies.push(source_copy::clone(layout, &layout.path(name))?);
    }
    let mut builds = Vec::new();
    for copy in copies {
        println!("{}:", layout.relative(&copy.root).display());
        wasm::compile(&copy)?;
        let bindings = copy.path("target/bindings");
        wasm::bind(layout, &wasm::compiled(&copy), &bindings)?;
        build::refuse_machine_paths(&copy, &bindings)?;
        wasm::compile_package(&copy, plain::PACKAGE)?;
        let module = copy.path("target/plain.wasm");
        plain::optimize(layout, &plain::compiled(&copy), &module)?;
        build::refuse_paths_in(&copy, &module)?;
        let mut hashes = BTreeMap::new();
        hashes.insert("plain, as compiled".to_owned(), hash(&plain::compiled(&copy))?);
        hashes.insert("plain".to_owned(), hash(&module)?);
        hashes.insert("as compiled".to_owned(), hash(&wasm::compiled(&copy))?);
        hash_all(&bindings, &bindings, &mut hashes)?;
        builds.push(hashes);
    }
    let [one, other] = &builds[..] else { unreachable!("there are two folders") };
    let mut is_same = true;
    println!();
    for name in one.keys().chain(other.keys().filter(|name| !one.contains_key(*name))) {
        let [first, second] = [one, other].map(|hashes| hashes.get(name).map_or("missing", String::as_str));
        is_same &= first == second;
        println!("{} {name}", if first == second { "same  " } else { "DIFFER" });
        println!("       {first}");
        if first != second {
            println!("       {second}");
        }
    }
    Ok(is_same)
}

fn hash_all(root: &Path, folder: &Path, hashes: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            hash_all(root, &path, hashes)?;
        } else {
            hashes.insert(path.strip_prefix(root)?.to_string_lossy().into_owned(), hash(&path)?);
        }
    }
    Ok(())
}

fn hash(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
