// Records what tools print, half of them failing, with the strings that a reader of each needs: decided here, before any result is seen.
// A need is a literal text of the recording, of one kind: a verdict, a failure, a place, a total.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { BUILDS } from "./builds.mjs";
import { CHECKS } from "./checks.mjs";
import { files, range } from "./files.mjs";
import { PRINTED } from "./printed.mjs";
import { SYSTEMS } from "./systems.mjs";

const PY_TEST = `import pytest
@pytest.mark.parametrize("n", range(150))
def test_price(n):
    assert price(n) == (n * 3 if n != 77 else -1)
def price(n):
    return n * 3
class TestCart:
    def test_total(self):
        cart = {"apple": 3, "pear": 4}
        assert sum(cart.values()) == 8
    def test_missing(self):
        raise KeyError("no such item: plum")
`;
const JS_CASES = `for (let n = 0; n < 80; n++) it("price " + n, () => {});
  it("adds the tax", () => { assert.strictEqual(107, 119); });
  it("rounds down", () => { throw new TypeError("rate is not a number"); });`;

/** The recordings: a command in a folder of files, and what a reader needs of what it prints. */
const RECORDINGS = [
  [
    "pytest",
    { "test_shop.py": PY_TEST },
    "{py}/pytest -p no:cacheprovider",
    {
      verdict: ["3 failed, 149 passed"],
      failure: ["test_price[77]", "TestCart::test_total", "no such item: plum"],
      place: ["test_shop.py:4"],
    },
  ],
  [
    "pytest -v",
    { "test_shop.py": PY_TEST },
    "{py}/pytest -v -p no:cacheprovider",
    {
      verdict: ["3 failed, 149 passed"],
      failure: ["test_price[77]", "TestCart::test_total", "no such item: plum"],
      place: ["test_shop.py:4"],
    },
  ],
  [
    "pytest -v passing",
    { "test_shop.py": "import pytest\n@pytest.mark.parametrize('n', range(300))\ndef test_error_price(n): pass\n" },
    "{py}/pytest -v -p no:cacheprovider",
    { verdict: ["300 passed"] },
  ],
  [
    "unittest -v",
    {
      "test_a.py": `import unittest
class A(unittest.TestCase):
    def test_sum(self): self.assertEqual(sum([1, 2]), 4)
    def test_key(self): {}["plum"]
for n in range(120): setattr(A, f"test_ok_{n}", lambda self: None)
`,
    },
    "{py}/python -m unittest -v test_a",
    {
      verdict: ["FAILED (failures=1, errors=1)"],
      failure: ["FAIL: test_sum", "KeyError: 'plum'", "AssertionError: 3 != 4"],
      total: ["Ran 122 tests"],
    },
  ],
  [
    "node --test",
    { "a.test.mjs": `import { it } from "node:test"; import assert from "node:assert";\n${JS_CASES}` },
    "node --test --test-reporter=spec a.test.mjs",
    { verdict: ["fail 2"], failure: ["adds the tax", "rate is not a number"], total: ["tests 82"] },
  ],
  [
    "node --test tap",
    { "a.test.mjs": `import { it } from "node:test"; import assert from "node:assert";\n${JS_CASES}` },
    "node --test --test-reporter=tap a.test.mjs",
    { verdict: ["# fail 2"], failure: ["not ok 81 - adds the tax", "rate is not a number"], total: ["# tests 82"] },
  ],
  [
    "jest",
    {
      "package.json": "{}",
      "a.test.js": `const assert = require("assert");\ndescribe("shop", () => {\n${JS_CASES}\n});`,
      ...Object.fromEntries(range(20, (n) => [`b${n}.test.js`, `it("is fine ${n}", () => {});`])),
    },
    "{js}/jest --verbose --ci",
    {
      verdict: ["2 failed, 100 passed"],
      failure: ["adds the tax", "rate is not a number"],
      place: ["a.test.js:4:"],
      total: ["1 failed, 20 passed"],
    },
  ],
  [
    "vitest",
    { "a.test.mjs": `import { it } from "vitest"; import assert from "node:assert";\n${JS_CASES}` },
    "{js}/vitest run --reporter=verbose --root .",
    { verdict: ["2 failed | 80 passed"], failure: ["adds the tax", "rate is not a number"], place: ["a.test.mjs:3:"] },
  ],
  [
    "mocha",
    { "a.js": `const assert = require("assert");\ndescribe("shop", () => {\n${JS_CASES}\n});` },
    "{js}/mocha a.js",
    {
      verdict: ["2 failing"],
      failure: ["adds the tax", "rate is not a number"],
      total: ["80 passing"],
      place: ["a.js:4:"],
    },
  ],
  [
    "cargo test",
    {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": `${range(120, (n) => `#[test] fn price_${n}() {}\n`).join("")}#[test] fn tax() { assert_eq!(107, 119, "tax is wrong"); }\n#[test] fn parse() { "x".parse::<u8>().unwrap(); }\n`,
    },
    "cargo test --offline",
    {
      verdict: ["test result: FAILED. 120 passed; 2 failed"],
      failure: ["tax is wrong", "ParseIntError"],
      place: ["src/lib.rs:121:"],
    },
  ],
  [
    "cargo build",
    {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": `${range(30, (n) => `pub fn f${n}() { let unused_${n} = ${n}; }\n`).join("")}pub fn g() -> u8 { "x" }\npub fn h() { nowhere(); }\n`,
    },
    "cargo build --offline",
    {
      verdict: ["could not compile `shop`", "2 previous errors"],
      failure: ["mismatched types", "cannot find function `nowhere`"],
      place: ["src/lib.rs:31:"],
      total: ["30 warnings"],
    },
  ],
  [
    "gcc",
    {
      "a.c": `${range(40, (n) => `int f${n}(void) { int u${n}; return 0; }\n`).join("")}int g(void) { return nowhere; }\nint h(void) { undefined_call(); return "x"; }\n`,
      Makefile: `all:\n\tgcc -Wall -c a.c -Werror=implicit-function-declaration\n`,
    },
    "make",
    {
      verdict: ["*** [Makefile:2: all] Error 1"],
      failure: ["‘nowhere’ undeclared", "implicit declaration of function ‘undefined_call’"],
      place: ["a.c:41:", "a.c:42:"],
    },
  ],
  [
    "make",
    {
      "a.c": "int main(void) { return 0; }\n",
      Makefile: `all: ${range(150, (n) => `t${n}`).join(" ")}\n\t@echo built everything\nt%:\n\t@echo "  CC  obj/$@-error.o"\n`,
    },
    "make",
    { verdict: ["built everything"] },
  ],
  [
    "tsc",
    {
      "tsconfig.json": '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]}}',
      "a.ts": `${range(60, (n) => `const a${n}: number = "${n}";\n`).join("")}nowhere();\n`,
      "b.ts": "export const x: string = 1;\n",
    },
    "{js}/tsc --pretty false",
    {
      failure: ["Cannot find name 'nowhere'", "is not assignable to type 'number'"],
      place: ["a.ts(61,1)", "b.ts(1,14)"],
    },
  ],
  [
    "eslint",
    {
      "eslint.config.js": `module.exports = [{ rules: { "no-unused-vars": "error", "no-undef": "error", eqeqeq: "warn" } }];`,
      ...Object.fromEntries(
        range(20, (n) => [`f${n}.js`, `const u = ${n};\nif (u == 2) { x${n}(); }\nconst v = 2;\n`]),
      ),
    },
    "{js}/eslint .",
    {
      verdict: ["61 problems (41 errors, 20 warnings)"],
      failure: ["'x0' is not defined", "no-unused-vars"],
      place: ["f0.js"],
    },
  ],
  [
    "ruff",
    { "a.py": `${range(60, (n) => `import os${n}\n`).join("")}def f():\n    return nowhere\n` },
    "{py}/ruff check --no-cache a.py",
    {
      verdict: ["Found 62 errors"],
      failure: ["Undefined name `nowhere`", "imported but unused"],
      place: ["a.py:62:12"],
    },
  ],
  [
    "ruff concise",
    { "a.py": `${range(60, (n) => `import os${n}\n`).join("")}def f():\n    return nowhere\n` },
    "{py}/ruff check --no-cache --output-format=concise a.py",
    {
      verdict: ["Found 62 errors"],
      failure: ["Undefined name `nowhere`", "imported but unused"],
      place: ["a.py:62:12"],
    },
  ],
  [
    "mypy",
    { "a.py": `${range(60, (n) => `x${n}: int = "${n}"\n`).join("")}nowhere()\n` },
    "{py}/mypy --no-incremental a.py",
    {
      verdict: ["Found 61 errors in 1 file"],
      failure: ['Name "nowhere" is not defined', "Incompatible types in assignment"],
      place: ["a.py:61"],
    },
  ],
  [
    "javac",
    {
      "A.java": `class A {\n${range(40, (n) => `  int f${n}() { return "x"; }\n`).join("")}  void g() { nowhere(); }\n}\n`,
    },
    "javac A.java",
    { verdict: ["41 errors"], failure: ["incompatible types", "cannot find symbol"], place: ["A.java:2", "A.java:42"] },
  ],
  [
    "npm",
    {
      "package.json": '{"name":"a","version":"1.0.0","scripts":{"build":"node build.js"}}',
      "build.js": `for (let n = 0; n < 200; n++) console.log("bundling module " + n + " of errors.js");\nconsole.error("Error: cannot resolve ./nowhere");\nfor (let n = 0; n < 60; n++) console.log("closing " + n);\nprocess.exit(3);\n`,
    },
    "npm run build",
    { failure: ["Error: cannot resolve ./nowhere"] },
  ],
  [
    "python traceback",
    {
      "a.py": `def f(n):\n    if n == 0:\n        raise ValueError("the file is empty")\n    f(n - 1)\nfor n in range(200): print("reading row", n)\nf(60)\n`,
    },
    "{py}/python a.py",
    { verdict: ["ValueError: the file is empty"], place: ['a.py", line 3'] },
  ],
  [
    "git diff",
    Object.fromEntries(range(30, (n) => [`f${n}.txt`, range(20, (l) => `line ${l} of ${n}\n`).join("")])),
    "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a && sed -i 's/line 3 /changed line /' f*.txt && rm f7.txt && git add . && git diff --cached",
    { verdict: ["f29.txt"], failure: ["deleted file mode"], place: ["f15.txt", "f0.txt"] },
  ],
  [
    "git status",
    Object.fromEntries(range(200, (n) => [`dir${n % 7}/f${n}.txt`, "x"])),
    "git init -q . && git add . && git rm -q --cached dir3/f3.txt && git status",
    { verdict: ["dir3/"], total: ["Changes to be committed"] },
  ],
  [
    "grep -rn",
    Object.fromEntries(
      range(40, (n) => [`src/f${n}.js`, range(8, (l) => `const total${l} = price(${l});\n`).join("")]),
    ),
    "grep -rn total src | sort",
    { place: ["src/f0.js", "src/f39.js", "src/f20.js"] },
  ],
  [
    "kubectl",
    {
      "pods.txt":
        "NAMESPACE   NAME        READY   STATUS             RESTARTS   AGE\n" +
        range(
          120,
          (n) =>
            `prod        web-${n}       1/1     ${n === 61 ? "CrashLoopBackOff   17       " : "Running            0        "}  3d\n`,
        ).join(""),
    },
    "cat pods.txt",
    { verdict: ["CrashLoopBackOff"], failure: ["web-61"] },
  ],
  [
    "terraform",
    {
      "plan.txt":
        range(
          60,
          (n) =>
            `  # aws_instance.web[${n}] will be created\n  + resource "aws_instance" "web" {\n      + ami = "ami-${n}"\n      + arn = (known after apply)\n    }\n`,
        ).join("") +
        '  # aws_db_instance.main will be destroyed\n  - resource "aws_db_instance" "main" {\n      - name = "main" -> null\n    }\n' +
        range(
          40,
          (n) =>
            `  # aws_s3_bucket.b[${n}] will be created\n  + resource "aws_s3_bucket" "b" {\n      + acl = "private"\n    }\n`,
        ).join("") +
        "\nPlan: 100 to add, 0 to change, 1 to destroy.\n\nNote: You didn't use the -out option to save this plan.\n",
    },
    "cat plan.txt",
    { verdict: ["Plan: 100 to add, 0 to change, 1 to destroy."], failure: ["aws_db_instance.main will be destroyed"] },
  ],
  [
    "go test -v",
    {
      "go.txt":
        range(90, (n) => `=== RUN   TestPrice${n}\n--- PASS: TestPrice${n} (0.00s)\n`).join("") +
        "=== RUN   TestTax\n    tax_test.go:12: got 107, want 119\n--- FAIL: TestTax (0.00s)\n" +
        range(60, (n) => `=== RUN   TestOther${n}\n--- PASS: TestOther${n} (0.00s)\n`).join("") +
        "FAIL\nFAIL\texample.com/shop\t0.012s\nok  \texample.com/cart\t0.003s\nFAIL\n",
    },
    "cat go.txt",
    {
      verdict: ["FAIL\texample.com/shop"],
      failure: ["--- FAIL: TestTax", "got 107, want 119"],
      place: ["tax_test.go:12"],
    },
  ],
  [
    "ansible",
    {
      "a.txt":
        range(40, (n) => `TASK [step ${n}] ${"*".repeat(60)}\nok: [web1]\nchanged: [web2]\n\n`).join("") +
        'TASK [restart] *****\nfatal: [web2]: FAILED! => {"changed": false, "msg": "Could not find the requested service nginx"}\nok: [web1]\n\n' +
        range(20, (n) => `TASK [after ${n}] ***\nok: [web1]\n\n`).join("") +
        "PLAY RECAP ****\nweb1                       : ok=62   changed=1    unreachable=0    failed=0\nweb2                       : ok=40   changed=40   unreachable=0    failed=1\n",
    },
    "cat a.txt",
    { verdict: ["PLAY RECAP", "unreachable=0    failed=1"], failure: ["Could not find the requested service nginx"] },
  ],
  [
    "maven",
    {
      "m.txt":
        range(150, (n) => `[INFO] Downloading from central: a${n}.jar\n`).join("") +
        "[INFO] Running shop.TaxTest\n[ERROR] Tests run: 9, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in shop.TaxTest\n[ERROR] shop.TaxTest.tax:12 expected: <119> but was: <107>\n" +
        range(40, (n) => `[INFO] step ${n}\n`).join("") +
        "[INFO] BUILD FAILURE\n[INFO] Total time:  3.1 s\n[ERROR] Failed to execute goal surefire:test (default-test) on project shop\n",
    },
    "cat m.txt",
    { verdict: ["BUILD FAILURE"], failure: ["expected: <119> but was: <107>"], total: ["Tests run: 9, Failures: 1"] },
  ],
];

/** Texts that are not the output of a run: prose and code of this repository. */
export const CONTROLS = controls(500);

function controls(count) {
  const { stdout } = spawnSync("git", ["ls-files", "*.md", "*.rs", "*.py", "*.ts", "*.mjs"], { encoding: "utf8" });
  const paths = stdout.trimEnd().split("\n");
  return Array.from({ length: count }, (_, at) => paths[Math.floor((at * paths.length) / count)]);
}

/** Makes the recordings in a folder; `js` and `py` are the folders of the programs of npm and pip. */
export function record(folder, { js, py }) {
  return [...RECORDINGS, ...BUILDS, ...PRINTED, ...CHECKS, ...SYSTEMS].map(([name, contents, command, needs]) => {
    const own = join(folder, name.replace(/\W+/g, "_"));
    files(own, contents);
    const run = spawnSync("sh", ["-c", `(${command.replaceAll("{js}", js).replaceAll("{py}", py)}) 2>&1`], {
      cwd: own,
      encoding: "utf8",
      env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1", CI: "1" },
      maxBuffer: 1 << 26,
    });
    return { name, text: run.stdout, exitCode: run.status, needs };
  });
}
