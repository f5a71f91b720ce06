//! Versions that are not in a lock file, and the oldest versions of what must be there.

/// Checks licences, duplicates and sources of crates.
pub const CARGO_DENY: &str = "0.20.2";

/// Lists the crates in a package.
pub const CARGO_CYCLONEDX: &str = "0.5.9";

/// Compares the public API of crates with an earlier one.
pub const CARGO_SEMVER_CHECKS: &str = "0.51.0";

/// Compiles each combination of features.
pub const CARGO_HACK: &str = "0.6.46";

/// What the npm package is compiled for.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The oldest Node and Python that the packages support, and so the commands.
pub const OLDEST_NODE: u32 = 20;
pub const OLDEST_PYTHON: (u32, u32) = (3, 10);
