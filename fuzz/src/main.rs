//! One target under libFuzzer: the one that `TOOLSHAPE_FUZZ_TARGET` names. `cargo xtask fuzz` builds and runs it.
//!
//! Before it starts, the seeds of the target with at most `TOOLSHAPE_FUZZ_LONGEST` bytes are added to its corpus, the folder
//! `TOOLSHAPE_FUZZ_CORPUS`.
#![no_main]

use std::env;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};
use toolshape_fuzz::input::Input;
use toolshape_fuzz::{TARGETS, Target, mutation, seeds};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("TOOLSHAPE_FUZZ_TARGET").expect("TOOLSHAPE_FUZZ_TARGET names a target");
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("no target is named {name}"))
});

fuzz_target!(init: add_seeds(), |data: &[u8]| -> Corpus {
    match Input::read(data).and_then(|input| (TARGET.run)(&input)) {
        Some(()) => Corpus::Keep,
        None => Corpus::Reject,
    }
});

fn add_seeds() {
    let Ok(corpus) = env::var("TOOLSHAPE_FUZZ_CORPUS") else { return };
    let longest = env::var("TOOLSHAPE_FUZZ_LONGEST").ok().and_then(|bytes| bytes.parse().ok());
    let longest = longest.expect("TOOLSHAPE_FUZZ_LONGEST is a number of bytes");
    seeds::write(TARGET.name, Path::new(&corpus), longest).expect("the seeds are written");
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut change = |bytes: &mut Vec<u8>| {
        let len = bytes.len();
        bytes.resize(len.max(max_size), 0);
        let changed = fuzzer_mutate(bytes, len, max_size);
        bytes.truncate(changed);
    };
    put(data, max_size, &mutation::mutate(&TARGET, &data[..size], seed, &mut change))
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    let len = out.len();
    mutation::cross(one, other, seed).map_or(0, |crossed| put(out, len, &crossed))
});

/// Writes an input within a limit of length, at which its body is cut.
fn put(out: &mut [u8], most: usize, input: &[u8]) -> usize {
    let len = input.len().min(most).min(out.len());
    out[..len].copy_from_slice(&input[..len]);
    len
}
