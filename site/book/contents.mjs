// The order of the book: its parts, and the pages of each by their paths in the checkout. The name of a page is its first
// heading up to a colon, unless it is given here. Every page below `docs/` must be listed.

export const PARTS = [
  [
    "Start",
    [
      "README.md",
      ["docs/entry_points.md", "Entry points"],
      "docs/README.md",
      "docs/playground.md",
      ["examples/README.md", "Example servers"],
    ],
  ],
  [
    "Servers",
    [
      "docs/mcp.md",
      "docs/rust.md",
      ["docs/relay.md", "Any server"],
      "docs/install.md",
      "docs/testing.md",
      "docs/serve.md",
      "docs/agents.md",
      "docs/plain_wasm.md",
      "docs/adapters.md",
      "docs/behaviours.md",
    ],
  ],
  [
    "Results",
    [
      "docs/options.md",
      "docs/shapes.md",
      "docs/errors.md",
      "docs/lists.md",
      "docs/output.md",
      "docs/text.md",
      "docs/asking.md",
      "docs/reading_back.md",
      ["docs/values.md", "Values"],
      "docs/tokens.md",
    ],
  ],
  [
    "Operation",
    [
      "docs/stores.md",
      "docs/hosts.md",
      "docs/troubleshooting.md",
      "docs/measure.md",
      "docs/evidence.md",
      "docs/performance.md",
      "docs/reliability.md",
    ],
  ],
  [
    "Packages",
    [
      ["pkg-templates/README.md", "npm: toolshape"],
      ["py-bindings/PYPI.md", "PyPI: toolshape"],
      ["crates/rmcp/README.md", "crate: toolshape-rmcp"],
      ["crates/cli/README.md", "crate: toolshape-cli"],
    ],
  ],
  [
    "Decisions",
    [
      "docs/decisions/0001-json-text-is-sliced.md",
      "docs/decisions/0002-the-core-does-no-io.md",
      "docs/decisions/0003-own-readers.md",
      "docs/decisions/0004-own-token-engine.md",
      "docs/decisions/0005-the-final-text-is-counted.md",
      "docs/decisions/0006-stored-results-are-named-by-content.md",
      "docs/decisions/0007-one-inlined-wasm-module.md",
      "docs/decisions/0008-adapters-inside-sdk-checks.md",
      "docs/decisions/0009-lenient-calls-strict-policies.md",
      "docs/decisions/0010-messages-for-any-runtime.md",
      "docs/decisions/0011-fuzzing-on-stable-rust.md",
      "docs/decisions/0012-our-own-book.md",
      "docs/decisions/0013-behaviour-is-data.md",
      "docs/decisions/0014-dependencies.md",
      "docs/decisions/0015-sqlite-answers-questions.md",
      "docs/decisions/0016-sessions-name-values.md",
    ],
  ],
  [
    "Project",
    [
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "ARCHITECTURE.md",
      "docs/releasing.md",
      ["vectors/README.md", "Shared cases"],
      ["SECURITY.md", "Security"],
      ["CODE_OF_CONDUCT.md", "Conduct"],
    ],
  ],
];

/** References and other pages of the site, by path. */
export const REFERENCES = [
  ["TypeScript", "reference/typescript/index.html"],
  ["Python", "reference/python/toolshape.html"],
  ["Rust", "reference/rust/toolshape/index.html"],
  ["Rust: servers of rmcp", "reference/rust/toolshape_rmcp/index.html"],
  ["A measured server", "report.html"],
];
