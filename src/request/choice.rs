//! Options that take one of several words.

/// A type with a word for each value.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// All values, with their words.
    const ALL: &'static [(&'static str, Self)];
}

/// Defines an enum with a word for each variant: [`Choice`], `name`, `Display`, and the conversion to JSON.
macro_rules! choice {
    ($(#[$about:meta])* pub enum $type:ident { $($(#[$variant_about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type { $($(#[$variant_about])* $variant,)+ }

        impl $type {
            /// The word for it in options, calls and results.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl $crate::request::choice::Choice for $type {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$type> for serde_json::Value {
            fn from(choice: $type) -> Self {
                choice.name().into()
            }
        }
    };
}

pub(crate) use choice;
