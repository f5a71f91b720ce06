// What more compilers, linters, test runners and package managers print, run here or as their documentation prints it.
import { range } from "./files.mjs";

const JS_BAD = `${range(40, (n) => `export const a${n} = ${n}\nlet unused${n} = "${n}"\n`).join("")}debugger;\nif (a1 == 2) { eval("x") }\n`;
const PY_BAD = `import os, sys\n${range(40, (n) => `def f${n}(x):\n    l = ${n}\n    return x\n`).join("")}def g():\n    return nowhere\n    exec("x")\n`;

export const BUILDS = [
  [
    "cargo clippy",
    {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": `${range(30, (n) => `pub fn f${n}(x: &Vec<u8>) -> bool { x.len() == 0 }\n`).join("")}pub fn g() -> f64 { 3.14 }\n`,
    },
    "cargo clippy --offline",
    {
      verdict: ["could not compile `shop`"],
      failure: ["approximate value of `f{32, 64}::consts::PI`"],
      place: ["src/lib.rs:31:"],
      total: ["60 warnings"],
    },
  ],
  [
    "cargo check, all well",
    {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": range(40, (n) => `fn unused${n}() {}\n`).join(""),
    },
    "cargo check --offline",
    { verdict: ["Finished `dev` profile"], failure: ["function `unused0` is never used"], total: ["40 warnings"] },
  ],
  [
    "g++",
    {
      "a.cc": `#include <vector>\n#include <string>\n#include <algorithm>\nstruct S { int n; };\nint main() { std::vector<S> v; std::sort(v.begin(), v.end()); std::string s = 3; return nowhere; }\n`,
    },
    "g++ -c a.cc",
    { verdict: ["‘nowhere’ was not declared"], failure: ["no match for ‘operator<’"], place: ["a.cc:5:"] },
  ],
  [
    "ld",
    {
      "a.c": `${range(60, (n) => `extern int missing${n}(void);\n`).join("")}int main(void) { return ${range(60, (n) => `missing${n}()`).join(" + ")}; }\n`,
    },
    "gcc a.c",
    { verdict: ["ld returned 1 exit status"], failure: ["undefined reference to `missing0'"] },
  ],
  [
    "cmake",
    {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)\nproject(shop C)\n${range(90, (n) => `message(STATUS "looking for library ${n}")\n`).join("")}find_package(Nowhere REQUIRED)\n`,
    },
    "{py}/cmake . 2>&1",
    {
      verdict: ["Configuring incomplete, errors occurred!"],
      failure: ["FindNowhere.cmake"],
      place: ["CMakeLists.txt:93"],
    },
  ],
  [
    "cmake --build",
    {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nadd_library(shop ${range(60, (n) => `f${n}.c`).join(" ")})\n`,
      ...Object.fromEntries(range(60, (n) => [`f${n}.c`, `int f${n}(void) { return ${n === 33 ? "nowhere" : n}; }\n`])),
    },
    "{py}/cmake . >/dev/null && {py}/cmake --build . -- -k",
    { verdict: ["make: *** [Makefile"], failure: ["‘nowhere’ undeclared"], place: ["f33.c:1:"] },
  ],
  [
    "javac and a stack trace",
    {
      "A.java": `import java.util.*;\nclass A {\n  static int f(int n) { return n == 0 ? List.of(1).get(3) : f(n - 1); }\n  public static void main(String[] a) {\n    for (int n = 0; n < 100; n++) System.out.println("handled error report " + n);\n    try { f(60); } catch (Exception e) { throw new IllegalStateException("order 7 has no items", e); }\n  }\n}\n`,
    },
    "java A.java",
    {
      verdict: ["IllegalStateException: order 7 has no items"],
      failure: ["IndexOutOfBoundsException"],
      place: ["A.java:6"],
    },
  ],
  [
    "node, not caught",
    {
      "a.js": `for (let n = 0; n < 200; n++) console.log("row", n);\nfunction f(n) { if (n === 0) throw new Error("order 7 has no items", { cause: new TypeError("items is null") }); f(n - 1); }\nf(3);\n`,
    },
    "node a.js",
    { verdict: ["Error: order 7 has no items"], failure: ["TypeError: items is null"], place: ["a.js:2"] },
  ],
  [
    "pylint",
    { "a.py": PY_BAD },
    "{py}/pylint --persistent=n --disable=C a.py",
    { verdict: ["Your code has been rated at"], failure: ["Undefined variable 'nowhere'"], place: ["a.py:123"] },
  ],
  [
    "flake8",
    { "a.py": PY_BAD },
    "{py}/flake8 --count a.py",
    { failure: ["F821 undefined name 'nowhere'", "F401 'os' imported but unused"], place: ["a.py:123"] },
  ],
  [
    "black --check",
    Object.fromEntries(range(120, (n) => [`f${n}.py`, n === 40 ? "def f(:\n" : n % 2 ? "x=1\n" : "x = 1\n"])),
    "{py}/black --check . 2>&1",
    { verdict: ["1 file would fail to reformat"], failure: ["f40.py"], total: ["60 files would be reformatted"] },
  ],
  [
    "yamllint",
    { "a.yml": `a: 1\n${range(90, (n) => `b${n}:   {x: ${n}}   \n`).join("")}c: [1\n` },
    "{py}/yamllint a.yml",
    { failure: ["syntax error", "trailing spaces"], place: ["a.yml"] },
  ],
  [
    "bandit",
    {
      "a.py": `import subprocess\n${range(25, (n) => `def f${n}(x):\n    subprocess.call(x, shell=True)\n    assert x\n`).join("")}`,
    },
    "{py}/bandit a.py",
    {
      verdict: ["High: 25"],
      failure: ["subprocess call with shell=True"],
      place: ["a.py:3"],
      total: ["Total issues (by severity)"],
    },
  ],
  [
    "coverage report",
    {
      ...Object.fromEntries(
        range(90, (n) => [`m${n}.py`, `def f(x):\n    if x:\n        return 1\n    return ${n}\n`]),
      ),
      "run.py": `${range(90, (n) => `import m${n}\nm${n}.f(${n % 2})\n`).join("")}`,
    },
    "{py}/coverage run run.py && {py}/coverage report -m --fail-under=90",
    { verdict: ["TOTAL"], failure: ["Coverage failure"], place: ["m0.py"], total: ["Cover"] },
  ],
  [
    "pip install",
    {},
    "{py}/pip install --no-cache-dir --dry-run --ignore-installed 'pandas==2.2.0' 'numpy==1.0.0'",
    { verdict: ["No matching distribution found for numpy==1.0.0"] },
  ],
  [
    "npm install",
    { "package.json": '{"name":"a","version":"1.0.0","dependencies":{"left-pad-nowhere-at-all":"^9.9.9"}}' },
    "npm install --no-audit --no-fund 2>&1",
    { verdict: ["npm error code E404"], failure: ["left-pad-nowhere-at-all"] },
  ],
  [
    "npm ls",
    { "package.json": '{"name":"a","version":"1.0.0","dependencies":{"nowhere-a":"1","nowhere-b":"2"}}' },
    "npm ls --all --prefix {js}/../.. | head -400; npm ls",
    { verdict: ["UNMET DEPENDENCY nowhere-a"], failure: ["npm error code ELSPROBLEMS"] },
  ],
  [
    "npm audit",
    {
      "audit.txt": `# npm audit report\n\n${range(40, (n) => `package-${n}  <${n}.2.1\nSeverity: ${n === 23 ? "critical" : "moderate"}\n${n === 23 ? "Remote code execution" : "Regular expression denial of service"} in package-${n} - https://github.com/advisories/GHSA-${n}\nfix available via \`npm audit fix\`\nnode_modules/package-${n}\n\n`).join("")}40 vulnerabilities (39 moderate, 1 critical)\n\nTo address all issues, run:\n  npm audit fix\n`,
    },
    "cat audit.txt",
    { verdict: ["40 vulnerabilities (39 moderate, 1 critical)"], failure: ["Severity: critical", "package-23"] },
  ],
  [
    "esbuild",
    Object.fromEntries([["a.js", range(40, (n) => `import f${n} from "./nowhere${n}.js";\n`).join("")]]),
    "{js}/esbuild a.js --bundle --log-limit=0 2>&1",
    { verdict: ["40 errors"], failure: ['Could not resolve "./nowhere0.js"'], place: ["a.js:1:"] },
  ],
  [
    "vite build",
    {
      "index.html": '<script type="module" src="/a.js"></script>',
      "a.js": `${range(150, (n) => `import "./m${n}.js";\n`).join("")}import { nothing } from "./nowhere.js";\n`,
      ...Object.fromEntries(range(150, (n) => [`m${n}.js`, `console.log(${n});\n`])),
    },
    "{js}/vite build 2>&1",
    { failure: ["./nowhere.js"], verdict: ["Could not resolve"] },
  ],
  [
    "webpack",
    {
      "src/index.js": range(40, (n) => `import f${n} from "./nowhere${n}.js";\nconsole.log(f${n});\n`).join(""),
    },
    "{js}/webpack --mode development 2>&1",
    {
      verdict: ["compiled with 40 errors"],
      failure: ["Can't resolve './nowhere0.js'"],
      place: ["ERROR in ./src/index.js"],
    },
  ],
  [
    "prettier --check",
    Object.fromEntries(range(160, (n) => [`f${n}.js`, n === 80 ? "let = (;\n" : "x  =  1\n"])),
    "{js}/prettier --check . 2>&1",
    { verdict: ["Error occurred when checking code style"], failure: ["SyntaxError"], place: ["f80.js"] },
  ],
  [
    "biome",
    { "a.js": JS_BAD },
    "{js}/biome lint --max-diagnostics=200 a.js 2>&1",
    {
      verdict: ["Found 3 errors."],
      failure: ["lint/suspicious/noDebugger"],
      place: ["a.js:81:1"],
      total: ["Found 80 warnings."],
    },
  ],
  [
    "tsc --pretty",
    {
      "tsconfig.json": '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]}}',
      "a.ts": `${range(60, (n) => `const a${n}: number = "${n}";\n`).join("")}nowhere();\n`,
      "b.ts": "export const x: string = 1;\n",
    },
    "{js}/tsc --pretty true",
    {
      verdict: ["Found 62 errors in 2 files."],
      failure: ["Cannot find name 'nowhere'", "is not assignable to type 'number'"],
      place: ["b.ts:1:14"],
    },
  ],
  [
    "ava",
    {
      "package.json": '{"type":"module"}',
      "test.js": `import test from "{ava}";\n${range(120, (n) => `test("price ${n}", (t) => t.pass());\n`).join("")}test("adds the tax", (t) => t.is(107, 119));\ntest("rounds", () => { throw new TypeError("rate is not a number"); });\n`,
    },
    "ln -s {js}/.. node_modules; sed -i 's/{ava}/ava/' test.js; {js}/ava 2>&1",
    { verdict: ["2 tests failed"], failure: ["adds the tax", "rate is not a number"], place: ["test.js:122"] },
  ],
  [
    "jest, passing",
    {
      "package.json": "{}",
      ...Object.fromEntries(
        range(40, (n) => [`b${n}.test.js`, range(8, (t) => `it("handles error ${t}", () => {});`).join("")]),
      ),
    },
    "{js}/jest --verbose --ci",
    { verdict: ["320 passed, 320 total"], total: ["40 passed, 40 total"] },
  ],
  [
    "jest with a snapshot",
    {
      "package.json": "{}",
      "a.test.js": `it("shows a list", () => { expect(${JSON.stringify(range(60, (n) => ({ id: n, name: `n${n}` })))}).toEqual(${JSON.stringify(range(60, (n) => ({ id: n === 44 ? -1 : n, name: `n${n}` })))}); });\n`,
    },
    "{js}/jest --ci",
    { verdict: ["1 failed, 1 total"], failure: ["shows a list", '"id": -1'], place: ["a.test.js:1:"] },
  ],
  [
    "pytest, an error while collecting",
    {
      "test_a.py": "import nowhere_at_all\ndef test_a(): pass\n",
      ...Object.fromEntries(
        range(100, (n) => [
          `test_b${n}.py`,
          `import warnings\ndef test_b():\n    warnings.warn("old ${n}", DeprecationWarning)\n`,
        ]),
      ),
    },
    "{py}/pytest -p no:cacheprovider -v --continue-on-collection-errors",
    {
      verdict: ["100 passed, 100 warnings, 1 error"],
      failure: ["No module named 'nowhere_at_all'"],
      place: ["test_a.py:1"],
    },
  ],
  [
    "pytest -q with long output",
    {
      "test_a.py": `import pytest\n@pytest.mark.parametrize("n", range(6))\ndef test_a(n):\n    for i in range(60): print("handling row", i)\n    assert n != 4, "row 4 is not paid"\n@pytest.mark.skip("no network")\ndef test_b(): pass\ndef test_c():\n    a = {"k%d" % i: i for i in range(80)}\n    b = dict(a, k41=-1)\n    assert a == b\n`,
    },
    "{py}/pytest -q -vv -p no:cacheprovider",
    { verdict: ["2 failed, 5 passed, 1 skipped"], failure: ["row 4 is not paid", "'k41'"], place: ["test_a.py:5"] },
  ],
  [
    "go test -json",
    {
      "g.txt": `${range(60, (n) => `{"Time":"2026-11-20T09:26:00Z","Action":"run","Package":"example.com/shop","Test":"TestPrice${n}"}\n{"Time":"2026-11-20T09:26:00Z","Action":"output","Package":"example.com/shop","Test":"TestPrice${n}","Output":"--- PASS: TestPrice${n} (0.00s)\\n"}\n{"Time":"2026-11-20T09:26:00Z","Action":"pass","Package":"example.com/shop","Test":"TestPrice${n}","Elapsed":0}\n`).join("")}{"Time":"2026-11-20T09:26:00Z","Action":"output","Package":"example.com/shop","Test":"TestTax","Output":"    tax_test.go:12: got 107, want 119\\n"}\n{"Time":"2026-11-20T09:26:00Z","Action":"fail","Package":"example.com/shop","Test":"TestTax","Elapsed":0}\n${range(20, (n) => `{"Time":"2026-11-20T09:26:00Z","Action":"pass","Package":"example.com/shop","Test":"TestOther${n}","Elapsed":0}\n`).join("")}{"Time":"2026-11-20T09:26:00Z","Action":"output","Package":"example.com/shop","Output":"FAIL\\texample.com/shop\\t0.012s\\n"}\n{"Time":"2026-11-20T09:26:00Z","Action":"fail","Package":"example.com/shop","Elapsed":0.012}\n`,
    },
    "cat g.txt",
    { verdict: ["FAIL\\texample.com/shop"], failure: ["TestTax", "got 107, want 119"], place: ["tax_test.go:12"] },
  ],
  [
    "dotnet test",
    {
      "d.txt": `  Determining projects to restore...\n  All projects are up-to-date for restore.\n  Shop -> /app/bin/Debug/net8.0/Shop.dll\nTest run for /app/bin/Debug/net8.0/Shop.Tests.dll (.NETCoreApp,Version=v8.0)\nStarting test execution, please wait...\nA total of 1 test files matched the specified pattern.\n${range(120, (n) => `  Passed Shop.Tests.Price(n: ${n}) [< 1 ms]\n`).join("")}  Failed Shop.Tests.Tax [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 119\nActual:   107\n  Stack Trace:\n     at Shop.Tests.Tax() in /app/Tests.cs:line 12\n${range(60, (n) => `  Passed Shop.Tests.Other(n: ${n}) [< 1 ms]\n`).join("")}\nFailed!  - Failed:     1, Passed:   180, Skipped:     0, Total:   181, Duration: 92 ms - Shop.Tests.dll (net8.0)\n`,
    },
    "cat d.txt",
    {
      verdict: ["Failed:     1, Passed:   180"],
      failure: ["Failed Shop.Tests.Tax", "Expected: 119", "Actual:   107"],
      place: ["/app/Tests.cs:line 12"],
    },
  ],
  [
    "xcodebuild",
    {
      "x.txt": `Command line invocation:\n    xcodebuild test -scheme Shop\n\n${range(60, (n) => `CompileSwift normal arm64 /app/Shop/File${n}.swift (in target 'Shop' from project 'Shop')\n    cd /app\n    builtin-swiftTaskExecution -- /usr/bin/swift-frontend -c File${n}.swift\n\n`).join("")}/app/Shop/File7.swift:3:5: warning: variable 'x' was never used\nTest Suite 'All tests' started at 2026-11-20 09:26:00.000\n${range(60, (n) => `Test Case '-[ShopTests testPrice${n}]' started.\nTest Case '-[ShopTests testPrice${n}]' passed (0.001 seconds).\n`).join("")}Test Case '-[ShopTests testTax]' started.\n/app/ShopTests/Tax.swift:12: error: -[ShopTests testTax] : XCTAssertEqual failed: ("107") is not equal to ("119")\nTest Case '-[ShopTests testTax]' failed (0.003 seconds).\nTest Suite 'All tests' failed at 2026-11-20 09:26:01.000.\n\t Executed 61 tests, with 1 failure (0 unexpected) in 0.092 (0.100) seconds\n\nFailing tests:\n\tShopTests.testTax()\n\n** TEST FAILED **\n\n`,
    },
    "cat x.txt",
    {
      verdict: ["** TEST FAILED **"],
      failure: ['("107") is not equal to ("119")', "testTax"],
      place: ["Tax.swift:12"],
      total: ["Executed 61 tests, with 1 failure"],
    },
  ],
  [
    "gradle",
    {
      "g.txt": `${range(90, (n) => `> Task :module${n}:compileJava UP-TO-DATE\n> Task :module${n}:classes\n`).join("")}> Task :shop:test FAILED\n\nTaxTest > tax() FAILED\n    org.opentest4j.AssertionFailedError: expected: <119> but was: <107>\n        at app//shop.TaxTest.tax(TaxTest.java:12)\n\n61 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':shop:test'.\n> There were failing tests. See the report at: file:///app/build/reports/tests/test/index.html\n\n* Try:\n> Run with --scan to get full insights.\n\nBUILD FAILED in 3s\n182 actionable tasks: 2 executed, 180 up-to-date\n`,
    },
    "cat g.txt",
    {
      verdict: ["BUILD FAILED in 3s"],
      failure: ["expected: <119> but was: <107>", "TaxTest > tax() FAILED"],
      place: ["TaxTest.java:12"],
      total: ["61 tests completed, 1 failed"],
    },
  ],
  [
    "docker build",
    {
      "d.txt": `#0 building with "default" instance using docker driver\n\n#1 [internal] load build definition from Dockerfile\n#1 transferring dockerfile: 310B done\n#1 DONE 0.0s\n\n#5 [2/4] RUN apt-get install -y build-essential\n${range(150, (n) => `#5 ${(n / 10).toFixed(3)} Setting up package-${n} (1.${n}-1) ...\n`).join("")}#5 DONE 15.2s\n\n#6 [3/4] RUN npm ci\n#6 1.201 npm error code EUSAGE\n#6 1.202 npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.\n#6 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1\n------\n > [3/4] RUN npm ci:\n1.201 npm error code EUSAGE\n------\nDockerfile:6\n--------------------\n   4 |     WORKDIR /app\n   5 |     COPY . .\n   6 | >>> RUN npm ci\n--------------------\nERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1\n`,
    },
    "cat d.txt",
    { verdict: ["ERROR: failed to solve"], failure: ["are in sync"], place: ["Dockerfile:6"] },
  ],
  [
    "log of an action",
    {
      "l.txt": `${range(80, (n) => `2026-11-20T09:26:${String(n % 60).padStart(2, "0")}.0000000Z Downloading action ${n}\n`).join("")}2026-11-20T09:27:00.0000000Z ##[group]Run npm test\n2026-11-20T09:27:00.1000000Z npm test\n2026-11-20T09:27:00.2000000Z ##[endgroup]\n${range(90, (n) => `2026-11-20T09:27:01.0000000Z   ✓ price ${n}\n`).join("")}2026-11-20T09:27:02.0000000Z   1) adds the tax\n2026-11-20T09:27:02.1000000Z   90 passing (12ms)\n2026-11-20T09:27:02.2000000Z   1 failing\n2026-11-20T09:27:02.3000000Z   1) adds the tax:\n2026-11-20T09:27:02.4000000Z      AssertionError: 107 == 119\n2026-11-20T09:27:02.5000000Z ##[error]Process completed with exit code 1.\n${range(20, (n) => `2026-11-20T09:27:03.0000000Z Post job cleanup ${n}.\n`).join("")}`,
    },
    "cat l.txt",
    {
      verdict: ["##[error]Process completed with exit code 1."],
      failure: ["AssertionError: 107 == 119"],
      total: ["1 failing"],
    },
  ],
  [
    "terraform apply",
    {
      "t.txt": `${range(90, (n) => `aws_instance.web[${n}]: Creating...\naws_instance.web[${n}]: Creation complete after 12s [id=i-${n}]\n`).join("")}╷\n│ Error: creating S3 Bucket (shop): BucketAlreadyExists\n│ \n│   with aws_s3_bucket.shop,\n│   on main.tf line 12, in resource "aws_s3_bucket" "shop":\n│   12: resource "aws_s3_bucket" "shop" {\n│ \n╵\n`,
    },
    "cat t.txt",
    { verdict: ["BucketAlreadyExists"], failure: ["aws_s3_bucket.shop"], place: ["on main.tf line 12"] },
  ],
  [
    "apt-get",
    {
      "a.txt": `Reading package lists...\nBuilding dependency tree...\nThe following NEW packages will be installed:\n  ${range(60, (n) => `lib${n}`).join(" ")}\n0 upgraded, 60 newly installed, 0 to remove and 3 not upgraded.\n${range(60, (n) => `Get:${n} http://archive.example.org/debian bookworm/main amd64 lib${n} amd64 1.${n} [12.3 kB]\n`).join("")}${range(60, (n) => `Setting up lib${n} (1.${n}) ...\n`).join("")}dpkg: error processing package lib7 (--configure):\n installed lib7 package post-installation script subprocess returned error exit status 1\n${range(30, (n) => `Processing triggers for lib${n} ...\n`).join("")}Errors were encountered while processing:\n lib7\nE: Sub-process /usr/bin/dpkg returned an error code (1)\n`,
    },
    "cat a.txt",
    {
      verdict: ["E: Sub-process /usr/bin/dpkg returned an error code (1)"],
      failure: ["error processing package lib7"],
    },
  ],
  [
    "playwright test",
    {
      "p.txt": `\nRunning 91 tests using 4 workers\n\n${range(90, (n) => `  ✓  ${n + 1} [chromium] › shop.spec.ts:${n + 3}:5 › price ${n} (12ms)\n`).join("")}  ✘  91 [chromium] › shop.spec.ts:99:5 › pays (5.0s)\n\n\n  1) [chromium] › shop.spec.ts:99:5 › pays ─────────────\n\n    Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n\n    Locator: getByText('Paid')\n    Expected: visible\n    Received: <element(s) not found>\n\n       97 |   await page.click('text=Pay');\n       98 |\n    >  99 |   await expect(page.getByText('Paid')).toBeVisible();\n\n        at /app/shop.spec.ts:99:40\n\n  1 failed\n    [chromium] › shop.spec.ts:99:5 › pays ─────────────\n  90 passed (12.3s)\n`,
    },
    "cat p.txt",
    {
      verdict: ["1 failed"],
      failure: ["Timed out 5000ms", "getByText('Paid')"],
      place: ["shop.spec.ts:99:"],
      total: ["90 passed (12.3s)"],
    },
  ],
  [
    "rspec",
    {
      "r.txt": `${range(12, () => ".".repeat(70)).join("\n")}F....\n\nFailures:\n\n  1) Shop adds the tax\n     Failure/Error: expect(price).to eq(119)\n\n       expected: 119\n            got: 107\n\n       (compared using ==)\n     # ./spec/shop_spec.rb:12:in \`block (2 levels) in <top (required)>'\n\n${range(90, (n) => `  # pending ${n}: not yet written\n`).join("")}\nFinished in 0.0123 seconds (files took 0.08 seconds to load)\n845 examples, 1 failure, 90 pending\n\nFailed examples:\n\nrspec ./spec/shop_spec.rb:10 # Shop adds the tax\n\n`,
    },
    "cat r.txt",
    {
      verdict: ["845 examples, 1 failure, 90 pending"],
      failure: ["Shop adds the tax", "expected: 119", "got: 107"],
      place: ["shop_spec.rb:12"],
    },
  ],
  [
    "phpunit",
    {
      "p.txt": `PHPUnit 11.0.0 by Sebastian Bergmann and contributors.\n\nRuntime:       PHP 8.3.0\n\n${range(40, (n) => `...............................................................  ${(n + 1) * 63} / 2583 (${n}%)\n`).join("")}..F\n\nTime: 00:01.234, Memory: 24.00 MB\n\nThere was 1 failure:\n\n1) ShopTest::testTax\nFailed asserting that 107 matches expected 119.\n\n/app/tests/ShopTest.php:12\n\nFAILURES!\nTests: 2523, Assertions: 9001, Failures: 1.\n`,
    },
    "cat p.txt",
    {
      verdict: ["Tests: 2523, Assertions: 9001, Failures: 1."],
      failure: ["ShopTest::testTax", "107 matches expected 119"],
      place: ["ShopTest.php:12"],
    },
  ],
  [
    "valgrind",
    {
      "v.txt": `==7== Memcheck, a memory error detector\n==7== Command: ./shop\n==7== \n${range(40, (n) => `==7== Invalid read of size 4\n==7==    at 0x10918${n}: f${n} (shop.c:${n})\n==7==    by 0x1091A5: main (shop.c:99)\n==7==  Address 0x4a9c04${n} is 0 bytes after a block of size 4 alloc'd\n==7== \n`).join("")}==7== HEAP SUMMARY:\n==7==     in use at exit: 4 bytes in 1 blocks\n==7== LEAK SUMMARY:\n==7==    definitely lost: 4 bytes in 1 blocks\n==7== \n==7== ERROR SUMMARY: 40 errors from 40 contexts (suppressed: 0 from 0)\n`,
    },
    "cat v.txt",
    {
      verdict: ["ERROR SUMMARY: 40 errors"],
      failure: ["Invalid read of size 4", "definitely lost: 4 bytes"],
      place: ["shop.c:0"],
    },
  ],
  [
    "sanitizer",
    {
      "s.txt": `${range(120, (n) => `handled request ${n}\n`).join("")}=================================================================\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x1 bp 0x2 sp 0x3\nREAD of size 4 at 0x602000000014 thread T0\n${range(30, (n) => `    #${n} 0x4f in f${n} /app/shop.c:${n}:5\n`).join("")}\n0x602000000014 is located 0 bytes after 4-byte region\nSUMMARY: AddressSanitizer: heap-buffer-overflow /app/shop.c:0:5 in f0\n${range(60, (n) => `  0x0c047fff${n}: fa fa fa fa fa fa fa fa fa fa\n`).join("")}==7==ABORTING\n`,
    },
    "cat s.txt",
    {
      verdict: ["SUMMARY: AddressSanitizer"],
      failure: ["heap-buffer-overflow on address"],
      place: ["/app/shop.c:0:5"],
    },
  ],
];
