//! Sixteen bytes compared at once.
//!
//! Each comparison returns a mask: bit 0 is the first byte. On targets with vectors these are vector instructions,
//! through the crate `wide`; WebAssembly without `simd128` uses two words instead.

#[cfg(not(all(target_family = "wasm", not(target_feature = "simd128"))))]
mod vectors {
    use wide::i8x16;

    #[derive(Clone, Copy)]
    pub struct Lanes(i8x16);

    impl Lanes {
        #[inline]
        pub fn new(bytes: &[u8; 16]) -> Self {
            Self(i8x16::new(bytes.map(|byte| byte as i8)))
        }

        /// Bytes equal to `byte`.
        #[inline]
        pub fn equal(self, byte: u8) -> u64 {
            mask(self.0.simd_eq(i8x16::splat(byte as i8)))
        }

        /// Bytes of ASCII from `low` to `high`, which are at least 1 and at most 126.
        #[inline]
        pub fn within(self, low: u8, high: u8) -> u64 {
            mask(self.0.simd_gt(i8x16::splat(low as i8 - 1)) & self.0.simd_lt(i8x16::splat(high as i8 + 1)))
        }

        /// Bytes outside ASCII.
        #[inline]
        pub fn high(self) -> u64 {
            mask(self.0)
        }
    }

    #[inline]
    fn mask(lanes: i8x16) -> u64 {
        (lanes.to_bitmask() as u16).into()
    }
}

#[cfg(any(test, all(target_family = "wasm", not(target_feature = "simd128"))))]
mod words {
    #[derive(Clone, Copy)]
    pub struct Lanes([u64; 2]);

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;

    impl Lanes {
        #[inline]
        pub fn new(bytes: &[u8; 16]) -> Self {
            let both = u128::from_le_bytes(*bytes);
            Self([both as u64, (both >> 64) as u64])
        }

        /// Bytes equal to `byte`.
        #[inline]
        pub fn equal(self, byte: u8) -> u64 {
            self.mask(|word| {
                let other = word ^ (ONES * u64::from(byte));
                !(((other & !HIGH) + !HIGH) | other)
            })
        }

        /// Bytes of ASCII from `low` to `high`, which are at least 1 and at most 126.
        #[inline]
        pub fn within(self, low: u8, high: u8) -> u64 {
            self.mask(|word| {
                let from_low = (word | HIGH) - ONES * u64::from(low);
                let above_high = (word | HIGH) - ONES * (u64::from(high) + 1);
                from_low & !above_high & !word
            })
        }

        /// Bytes outside ASCII.
        #[inline]
        pub fn high(self) -> u64 {
            self.mask(|word| word)
        }

        /// The high bits of the bytes that `test` returns for the words, side by side.
        #[inline]
        fn mask(self, test: impl Fn(u64) -> u64) -> u64 {
            let gather = |word: u64| ((word & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            gather(test(self.0[0])) | gather(test(self.0[1])) << 8
        }
    }
}

#[cfg(not(all(target_family = "wasm", not(target_feature = "simd128"))))]
pub(crate) use vectors::Lanes;
#[cfg(all(target_family = "wasm", not(target_feature = "simd128")))]
pub(crate) use words::Lanes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_the_bytes_one_by_one() {
        for start in 0..=255u8 {
            for step in [1u8, 3, 85, 127, 255] {
                let bytes: [u8; 16] = std::array::from_fn(|at| start.wrapping_add(step.wrapping_mul(at as u8)));
                let (fast, plain) = (Lanes::new(&bytes), words::Lanes::new(&bytes));
                let bits = |test: &dyn Fn(u8) -> bool| (0..16).map(|at| u64::from(test(bytes[at])) << at).sum::<u64>();
                for byte in [0, b' ', b'\'', b'~', 0x7F, 0x80, 0xFF] {
                    assert_eq!([fast.equal(byte), plain.equal(byte)], [bits(&|other| other == byte); 2]);
                }
                for (low, high) in [(b'a', b'z'), (b'0', b'9'), (1, 126), (b'\t', b'\r')] {
                    let expected = bits(&|byte| (low..=high).contains(&byte));
                    assert_eq!([fast.within(low, high), plain.within(low, high)], [expected; 2]);
                }
                assert_eq!([fast.high(), plain.high()], [bits(&|byte| byte > 127); 2]);
            }
        }
    }
}
