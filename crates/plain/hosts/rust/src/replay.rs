//! Sends the plain module the messages that Node's host sent, and compares every byte of the answers.
//!
//! Usage: `replay <module> <transcript>`.

#[allow(dead_code, reason = "a host has more than this program needs")]
mod host;

use std::env::args;
use std::error::Error;
use std::fs::read;
use std::process::ExitCode;

use host::Toolshape;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let files: Vec<String> = args().skip(1).collect();
    let [module, transcript] = &files[..] else { return Err("replay <module> <transcript>".into()) };
    let (mut toolshape, transcript) = (Toolshape::new(&read(module)?)?, read(transcript)?);
    let mut said = &transcript[..];
    let (mut passed, mut failed) = (0, 0);
    while !said.is_empty() {
        let (asked, expected) = (message(&mut said), message(&mut said));
        let came = toolshape.send(&asked)?;
        if came == expected {
            passed += 1;
            continue;
        }
        failed += 1;
        let start = |part: &[u8]| String::from_utf8_lossy(&part[..part.len().min(300)]).into_owned();
        println!("{}\n  gives {}\n  wants {}", start(asked[0]), start(&came[0]), start(expected[0]));
    }
    println!("vectors in wasmi: {passed} calls");
    println!("{passed} passed, {failed} failed");
    Ok(ExitCode::from(u8::from(failed > 0 || passed == 0)))
}

/// The parts of the next message of a transcript.
fn message<'t>(said: &mut &'t [u8]) -> Vec<&'t [u8]> {
    let mut take = |size| said.split_off(..size).expect("a whole transcript");
    let mut number = || u32::from_le_bytes(take(4).try_into().expect("four bytes")) as usize;
    let sizes: Vec<usize> = (0..number()).map(|_| number()).collect();
    sizes.into_iter().map(take).collect()
}
