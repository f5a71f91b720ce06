//! The bytes of a value in a service: its text, or the gzip (RFC 1952) of it in base64, because clients of the other stores
//! read text alone; either is encrypted if there is a secret. The two bytes with which gzip begins are in no UTF-8, so a value
//! itself shows which it is.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use toolshape::Error;
use toolshape::host::VALUE_BYTES;

use crate::store::failed;

/// A shorter text is not worth the time.
const LEAST: usize = 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// How unstorage marks binary data. A text that begins with it is stored as such.
const MARK: &str = "base64:";

/// How values are written.
#[derive(Default)]
pub struct Packing {
    secret: Option<LessSafeKey>,
}

impl Packing {
    pub fn encrypted(secret: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, secret).expect("AES-256 takes 32 bytes");
        Self { secret: Some(LessSafeKey::new(key)) }
    }

    /// # Errors
    /// `STORE_FAILED` if the system has no random numbers.
    pub fn pack(&self, key: &str, text: String) -> Result<Vec<u8>, Error> {
        let bytes = if text.len() >= LEAST { compressed(text) } else { plain(text) };
        let Some(secret) = &self.secret else { return Ok(bytes) };
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| failed("there are no random numbers"))?;
        // A value is bound to its key: nobody who can write to the service can put it under another.
        let (mut sealed, aad) = (bytes, Aad::from(key));
        let tag = secret.seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed);
        let tag = tag.map_err(|_| failed("the value is too large to be encrypted"))?;
        Ok([&nonce, &sealed[..], tag.as_ref()].concat())
    }

    /// The text of what was stored under a key.
    ///
    /// # Errors
    /// `STORE_FAILED` for what is not text, larger than a value may be, or not encrypted with the secret.
    pub fn unpack(&self, key: &str, bytes: Vec<u8>) -> Result<String, Error> {
        match &self.secret {
            None => text_of(bytes),
            Some(secret) => {
                let wrong = || failed("the stored value is damaged, or encrypted with another secret");
                let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN).ok_or_else(wrong)?;
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| wrong())?;
                let mut sealed = sealed.to_vec();
                let opened = secret.open_in_place(nonce, Aad::from(key), &mut sealed).map_err(|_| wrong())?;
                let length = opened.len();
                sealed.truncate(length);
                text_of(sealed)
            }
        }
    }
}

fn plain(text: String) -> Vec<u8> {
    if text.starts_with(MARK) { marked(text.as_bytes()) } else { text.into_bytes() }
}

fn marked(bytes: &[u8]) -> Vec<u8> {
    format!("{MARK}{}", STANDARD.encode(bytes)).into_bytes()
}

fn compressed(text: String) -> Vec<u8> {
    // The fastest level leaves a sixth of JSON at over 100 MB/s; the others are three times as slow for a tenth less.
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::fast());
    match encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).map(|bytes| marked(&bytes)) {
        Ok(bytes) if bytes.len() < text.len() => bytes,
        _ => plain(text),
    }
}

fn text_of(bytes: Vec<u8>) -> Result<String, Error> {
    let bytes = match bytes.strip_prefix(MARK.as_bytes()) {
        Some(marked) => STANDARD.decode(marked).map_err(failed)?,
        None => bytes,
    };
    if !bytes.starts_with(&GZIP) {
        return String::from_utf8(bytes).map_err(|_| failed("the stored value is not text"));
    }
    let mut text = String::new();
    let read = GzDecoder::new(&bytes[..]).take(VALUE_BYTES + 1).read_to_string(&mut text);
    match read {
        Ok(_) if text.len() as u64 <= VALUE_BYTES => Ok(text),
        Ok(_) => Err(failed("the stored value is too large")),
        Err(_) => Err(failed("the stored value is damaged")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> [Packing; 2] {
        [Packing::default(), Packing::encrypted(&[7; 32])]
    }

    #[test]
    fn each_text_is_read_as_it_was_written() {
        let rows = r#"{"id":1,"name":"größe"},"#.repeat(500);
        for packing in both() {
            for text in ["", "a", "base64:IQ==", "\u{1f}\u{8b}", &rows, &format!("base64:{rows}")] {
                let packed = packing.pack("key", text.to_owned()).unwrap();
                assert_eq!(packing.unpack("key", packed).unwrap(), text);
            }
        }
        assert!(both().iter().all(|packing| packing.pack("key", rows.clone()).unwrap().len() < rows.len() / 6));
    }

    #[test]
    fn what_is_encrypted_opens_with_its_key_and_secret_alone() {
        let own = &both()[1];
        let packed = own.pack("key", "a secret of somebody".to_owned()).unwrap();
        assert!(!packed.windows(6).any(|bytes| bytes == b"secret"));
        assert!(own.unpack("other key", packed.clone()).is_err());
        assert!(Packing::encrypted(&[8; 32]).unpack("key", packed.clone()).is_err());
        assert!(own.unpack("key", b"plain".to_vec()).is_err() && own.unpack("key", Vec::new()).is_err());
        for at in 0..packed.len() {
            let mut changed = packed.clone();
            changed[at] ^= 1;
            assert!(own.unpack("key", changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn damaged_and_endless_values_are_errors() {
        let packing = &both()[0];
        let mut cut = packing.pack("key", "x".repeat(5000)).unwrap();
        cut.truncate(20);
        assert!(packing.unpack("key", cut).is_err());
        assert!(packing.unpack("key", vec![0xff]).is_err());
        let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
        for _ in 0..=VALUE_BYTES >> 20 {
            bomb.write_all(&[b'x'; 1 << 20]).unwrap();
        }
        let refusal = packing.unpack("key", bomb.finish().unwrap()).unwrap_err();
        assert_eq!(refusal.message(), "the stored value is too large");
    }
}
