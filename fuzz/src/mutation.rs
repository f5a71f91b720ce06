//! Turns an input into another: a control of its head is set or removed, a value of its JSON or a line of its text replaced,
//! repeated or moved, or its bytes are changed as libFuzzer does.

use arbitrary::{Result, Unstructured};

use crate::Target;
use crate::input::Input;
use crate::{json_edits, text_edits};

/// The bytes from which one edit is chosen.
const CHOICES: usize = 256;

/// The bytes of an input after one edit. `change` changes bytes within a limit of length, as libFuzzer does.
pub fn mutate(target: &Target, data: &[u8], seed: u32, change: &mut dyn FnMut(&mut Vec<u8>)) -> Vec<u8> {
    let Some(mut input) = Input::read(data) else {
        return b"{}\n".iter().copied().chain(data.iter().copied().filter(|&byte| byte != b'\n')).collect();
    };
    let bytes = chances(seed);
    let mut choose = Unstructured::new(&bytes);
    let edited = edit(target, &mut input, &mut choose, change);
    debug_assert!(edited.is_ok(), "there are more bytes than an edit takes");
    input.write()
}

fn edit(
    target: &Target,
    input: &mut Input,
    choose: &mut Unstructured<'_>,
    change: &mut dyn FnMut(&mut Vec<u8>),
) -> Result<()> {
    match choose.int_in_range(0..=9)? {
        0..=3 => (target.edit)(input, choose)?,
        4..=6 if input.is_text() => text_edits::edit(&mut input.body, choose)?,
        4..=6 => {
            if let Some(body) = json_edits::edit(&input.body, choose)? {
                input.body = body;
            }
        }
        _ => {
            let mut bytes = std::mem::take(&mut input.body).into_bytes();
            change(&mut bytes);
            input.body = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    Ok(())
}

/// The head of one input with the body of another, or with the head's members of both.
pub fn cross(one: &[u8], other: &[u8], seed: u32) -> Option<Vec<u8>> {
    let (mut one, other) = (Input::read(one)?, Input::read(other)?);
    if seed.is_multiple_of(2) {
        one.body = other.body;
    } else {
        one.head.extend(other.head);
    }
    Some(one.write())
}

/// Bytes that follow from a seed (xorshift64*, S. Vigna, 2014).
fn chances(seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u8
    };
    (0..CHOICES).map(|_| next()).collect()
}
