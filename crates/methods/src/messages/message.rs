//! The form of messages and answers: parts, of which the first is JSON, and the others are what it names by their numbers.
//!
//! Numbers are of 32 bits, little-endian: how many parts there are, how long each is, then the parts, one behind the other.
//! So a text of 20 MB is written once, and no JSON string is made of it.

use toolshape::{Error, ErrorCode};

/// The bytes of a number.
const NUMBER: usize = 4;

/// The parts of a message; there may be more bytes behind them.
///
/// # Errors
/// `INVALID_CALL` if it ends before its parts do, or has none.
pub fn read(message: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let cut_off = || Error::new(ErrorCode::InvalidCall, "the message ends before its parts do", "");
    let (count, mut lengths) = split_number(message).ok_or_else(cut_off)?;
    let head = count.checked_mul(NUMBER).filter(|&head| count > 0 && head <= lengths.len()).ok_or_else(cut_off)?;
    let mut rest = &lengths[head..];
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let (length, behind) = split_number(lengths).ok_or_else(cut_off)?;
        let (part, after) = rest.split_at_checked(length).ok_or_else(cut_off)?;
        parts.push(part);
        (lengths, rest) = (behind, after);
    }
    Ok(parts)
}

/// The message of these parts.
pub fn write(parts: &[&[u8]]) -> Vec<u8> {
    let size = parts.iter().map(|part| part.len() + NUMBER).sum::<usize>() + NUMBER;
    let mut message = Vec::with_capacity(size);
    let lengths = parts.iter().map(|part| part.len());
    for number in [parts.len()].into_iter().chain(lengths) {
        message.extend_from_slice(&(number as u32).to_le_bytes());
    }
    parts.iter().for_each(|part| message.extend_from_slice(part));
    message
}

fn split_number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<NUMBER>()?;
    Some((u32::from_le_bytes(*number) as usize, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        for parts in [&[&b"{}"[..]][..], &[b"{}", b"", b"a text"]] {
            let message = write(parts);
            assert_eq!(read(&message).unwrap(), parts);
            assert_eq!(read(&[&message[..], b"more"].concat()).unwrap(), parts);
            for end in 0..message.len() {
                assert_eq!(read(&message[..end]).unwrap_err().code(), ErrorCode::InvalidCall);
            }
        }
    }

    #[test]
    fn lengths_that_no_memory_has_are_refused() {
        for numbers in [&[0][..], &[u32::MAX], &[1, u32::MAX], &[2, u32::MAX, u32::MAX], &[u32::MAX / 4 + 1, 0]] {
            let message: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            assert_eq!(read(&message).unwrap_err().code(), ErrorCode::InvalidCall);
        }
    }
}
