// vitest, for tests that are published compiled, below a folder of packages.

export default { test: { include: ["**/__tests__/**/*.test.js"], exclude: [] } };
