//! One target under libFuzzer: the one that `TOOLSHAPE_FUZZ_TARGET` names. `cargo xtask fuzz` builds and runs it.
#![no_main]

use std::env;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};
use toolshape_fuzz::input::Input;
use toolshape_fuzz::{TARGETS, Target, mutation};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("TOOLSHAPE_FUZZ_TARGET").expect("TOOLSHAPE_FUZZ_TARGET names a target");
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("no target is named {name}"))
});

fuzz_target!(|data: &[u8]| -> Corpus {
    match Input::read(data).and_then(|input| (TARGET.run)(&input)) {
        Some(()) => Corpus::Keep,
        None => Corpus::Reject,
    }
});

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
