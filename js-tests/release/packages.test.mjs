// Every tarball by the linters of the field: publint finds nothing, not even a suggestion, and the types are right under each
// way in which TypeScript resolves them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packages } from "./package_files.mjs";

test("there are packages", () => assert.ok(packages.length > 0));

for (const { name, bytes, files } of packages) {
  test(`${name}: publint finds nothing`, async () => {
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const { messages, pkg } = await publint({ pack: { tarball }, level: "suggestion", strict: true });
    // Node resolves `#…` by the nearest package.json, also by one within a package (LOOKUP_PACKAGE_SCOPE of its ES modules).
    const isWrong = ({ code, args }) => code !== "NESTED_PACKAGE_JSON_FIELD_IGNORED" || args.field !== "imports";
    assert.deepEqual(
      messages.filter(isWrong).map((message) => formatMessage(message, pkg, { color: false })),
      [],
    );
  });

  test(`${name}: the types are right, if it has any`, async () => {
    const { types, problems } = await checkPackage(createPackageFromTarballData(bytes));
    assert.equal(
      types !== false,
      [...files.keys()].some((path) => path.endsWith(".d.ts")),
    );
    assert.deepEqual(
      (problems ?? []).map(({ kind, entrypoint, resolutionKind }) => [kind, entrypoint, resolutionKind]),
      [],
    );
  });

  test(`${name}: the links of its README have targets`, () => {
    const readme = files.get("README.md");
    const anchors = new Set(
      [...readme.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        title
          .toLowerCase()
          .replace(/[^\w -]/g, "")
          .replaceAll(" ", "-"),
      ),
    );
    for (const [, link] of readme.matchAll(/\]\(([^)\s]+)\)/g)) {
      const leads =
        link.startsWith("https://") || (link.startsWith("#") ? anchors.has(link.slice(1)) : files.has(link));
      assert.ok(leads, link);
    }
  });
}
