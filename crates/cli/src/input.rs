//! What a command reads: a file, or the standard input.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};

/// The text of a file, or of the standard input.
pub fn read(file: Option<&Path>) -> Result<String> {
    let bytes = match file.filter(|file| *file != Path::new("-")) {
        Some(file) => fs::read(file).with_context(|| format!("cannot read {}", file.display()))?,
        None => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).context("cannot read the standard input")?;
            bytes
        }
    };
    Ok(String::from_utf8(bytes).unwrap_or_else(|wrong| text_of(wrong.as_bytes()).into_owned()))
}

/// The text of bytes: UTF-16 behind its byte order mark, else UTF-8. What is neither is replaced by U+FFFD, as hosts do.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let units = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|two| of([two[0], two.get(1).copied().unwrap_or_default()]));
        char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into()
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn utf_16_is_known_by_its_mark() {
        let bytes = |mark: [u8; 2], of: fn(u16) -> [u8; 2]| {
            mark.into_iter().chain("é 🦀\r\n".encode_utf16().flat_map(of)).collect::<Vec<u8>>()
        };
        assert_eq!(text_of(&bytes([0xff, 0xfe], u16::to_le_bytes)), "é 🦀\r\n");
        assert_eq!(text_of(&bytes([0xfe, 0xff], u16::to_be_bytes)), "é 🦀\r\n");
        assert_eq!(text_of(&[0xff, 0xfe, b'a', 0, b'b']), "ab");
        assert_eq!(text_of(&[0xff, 0xfe, 0x3d, 0xd8]), "\u{fffd}");
        assert_eq!(text_of(b"\xffa"), "\u{fffd}a");
        assert_eq!(text_of(b"\xef\xbb\xbfa"), "\u{feff}a");
    }
}
