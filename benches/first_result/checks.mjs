// What further test runners, linters, compilers and scanners print, run here or as their documentation prints it.
import { range } from "./files.mjs";

const lines = (n, of) => range(n, of).join("");
const REPORT = `${lines(60, (n) => `a${n} = b${n} + 1\n`)}`;

export const CHECKS = [
  [
    "pytest -n with coverage",
    {
      "shop.py": "def price(n):\n    if n > 900:\n        return 0\n    return n * 3\n",
      "test_shop.py": `import warnings, pytest\nfrom shop import price\n@pytest.mark.parametrize("n", range(120))\ndef test_price(n):\n    warnings.warn("price is old", DeprecationWarning)\n    assert price(n) == (n * 3 if n != 77 else -1)\ndef test_tax():\n    raise KeyError("no such rate: plum")\n`,
    },
    "{py}/pytest -n 2 -v --cov=shop --cov-report=term-missing -p no:cacheprovider",
    {
      verdict: ["2 failed, 119 passed, 120 warnings"],
      failure: ["test_price[77]", "no such rate: plum"],
      place: ["test_shop.py:6"],
      total: ["75%"],
    },
  ],
  [
    "pyright",
    { "a.py": `${lines(60, (n) => `x${n}: int = "${n}"\n`)}nowhere()\n` },
    "{js}/pyright a.py",
    {
      verdict: ["61 errors, 0 warnings"],
      failure: ['"nowhere" is not defined', "is not assignable to"],
      place: ["a.py:61:1"],
    },
  ],
  [
    "shellcheck",
    {
      "s.txt": `${lines(40, (n) => `\nIn a.sh line ${n + 2}:\nrm -f $file${n}\n      ^----^ SC2086 (info): Double quote to prevent globbing and word splitting.\n\nDid you mean: \nrm -f "$file${n}"\n`)}\n\nIn a.sh line 43:\nif [ $a = ]; then echo x\n^-- SC1046 (error): Couldn't find 'fi' for this 'if'.\n       ^-- SC1073 (error): Couldn't parse this test expression. Fix to allow more checks.\n\nFor more information:\n  https://www.shellcheck.net/wiki/SC1046 -- Couldn't find 'fi' for this 'if'.\n  https://www.shellcheck.net/wiki/SC2086 -- Double quote to prevent globbing ...\n`,
    },
    "cat s.txt; false",
    { failure: ["Couldn't find 'fi' for this 'if'"], place: ["In a.sh line 43:"] },
  ],
  [
    "actionlint",
    {
      "a.txt": `${lines(30, (n) => `.github/workflows/a.yml:${n * 4 + 6}:19: property "nothing" is not defined in object type {} [expression]\n  |\n${n * 4 + 6} |       - run: echo \${{ github.event.nothing }}\n  |                   ^~~~~~~~~~~~~~~~~~~~\n`)}.github/workflows/a.yml:123:3: job "last" needs job "nowhere" which does not exist in this workflow [job-needs]\n    |\n123 |   last:\n    |   ^~~~~\n`,
    },
    "cat a.txt; false",
    {
      failure: ['"nowhere" which does not exist', "is not defined in object type"],
      place: ["a.yml:6:19", "a.yml:123:3"],
    },
  ],
  [
    "ninja",
    {
      "build.ninja": `rule cc\n  command = gcc -Wall -c $in -o $out\n  description = CC $out\n${lines(80, (n) => `build f${n}.o: cc f${n}.c\n`)}`,
      ...Object.fromEntries(
        range(80, (n) => [`f${n}.c`, `int f${n}(void) { int u; return ${n === 33 ? "nowhere" : n}; }\n`]),
      ),
    },
    "{py}/ninja -k 0 -j 1",
    { verdict: ["ninja: build stopped"], failure: ["FAILED: ", "‘nowhere’ undeclared"], place: ["f33.c:1:"] },
  ],
  [
    "ctest",
    {
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\nenable_testing()\n${lines(120, (n) => `add_test(NAME price_${n} COMMAND true)\n`)}add_test(NAME tax COMMAND sh -c "echo expected 119 but got 107; exit 3")\n`,
    },
    "{py}/cmake . >/dev/null && {py}/ctest --output-on-failure",
    {
      verdict: ["1 tests failed out of 121"],
      failure: ["expected 119 but got 107", "121 - tax (Failed)"],
    },
  ],
  [
    "prove",
    {
      "t/a.t": `use Test::More tests => 122;\nok(1, "price $_") for 1..120;\nis(107, 119, "adds the tax");\nlike("plum", qr/apple/, "has apples");\n`,
    },
    "prove -v t/a.t",
    {
      verdict: ["Result: FAIL"],
      failure: ["adds the tax", "Failed tests:  121-122"],
      place: ["t/a.t line 3"],
      total: ["Files=1, Tests=122"],
    },
  ],
  [
    "jasmine",
    {
      "a.spec.js": `describe("shop", () => {\n${lines(80, (n) => `it("price ${n}", () => { expect(${n}).toBe(${n}); });\n`)}it("adds the tax", () => { expect(107).toBe(119); });\nit("rounds", () => { throw new TypeError("rate is not a number"); });\n${lines(60, (n) => `xit("later ${n}", () => {});\n`)}});\n`,
    },
    "{js}/jasmine --random=false a.spec.js",
    {
      verdict: ["142 specs, 2 failures, 60 pending specs"],
      failure: ["Expected 107 to be 119", "rate is not a number"],
      place: ["a.spec.js:82:"],
    },
  ],
  [
    "deno test",
    {
      "a.test.ts": `${lines(100, (n) => `Deno.test("price ${n}", () => {});\n`)}Deno.test("adds the tax", () => { if (107 !== 119 as number) throw new Error("got 107, want 119"); });\n${lines(40, (n) => `Deno.test("other ${n}", () => {});\n`)}`,
    },
    "{js}/deno test --no-check a.test.ts",
    {
      verdict: ["140 passed | 1 failed"],
      failure: ["adds the tax", "got 107, want 119"],
      place: ["a.test.ts:101:"],
    },
  ],
  [
    "bun test",
    {
      "a.test.ts": `import { expect, test } from "bun:test";\n${lines(100, (n) => `test("price ${n}", () => {});\n`)}test("adds the tax", () => { expect(107).toBe(119); });\n${lines(60, (n) => `test("other ${n}", () => {});\n`)}`,
    },
    "{js}/bun test",
    {
      verdict: ["1 fail"],
      failure: ["adds the tax", "Expected: 119", "Received: 107"],
      place: ["a.test.ts:102:"],
      total: ["160 pass"],
    },
  ],
  [
    "jest with coverage",
    {
      "package.json": '{"jest":{"coverageThreshold":{"global":{"lines":90}}}}',
      ...Object.fromEntries(
        range(60, (n) => [
          `src/m${n}.js`,
          `exports.f = (x) => {\n  if (x) {\n    return 1;\n  }\n  return ${n};\n};\n`,
        ]),
      ),
      "a.test.js": lines(60, (n) => `it("calls ${n}", () => { require("./src/m${n}").f(${n % 2}); });\n`),
    },
    "{js}/jest --ci --coverage",
    {
      verdict: ['Coverage for lines (75%) does not meet "global" threshold (90%)'],
      place: ["All files"],
      total: ["60 passed, 60 total"],
    },
  ],
  [
    "stylelint",
    {
      ".stylelintrc.json":
        '{"rules":{"color-no-invalid-hex":true,"block-no-empty":true,"unit-no-unknown":[true,{"severity":"warning"}]}}',
      "a.css": `${lines(40, (n) => `.a${n} { color: #xy${n}; width: 1pq; }\n`)}.b { }\n`,
    },
    "{js}/stylelint a.css",
    {
      verdict: ["81 problems (41 errors, 40 warnings)"],
      failure: ["block-no-empty", "color-no-invalid-hex"],
      place: ["41:4"],
    },
  ],
  [
    "oxlint",
    { "a.js": `${lines(40, (n) => `let unused${n} = ${n};\n`)}debugger;\nif (NaN === x) { y(); }\n` },
    "{js}/oxlint a.js",
    { verdict: ["Found 42 warnings and 0 errors"], failure: ["use-isnan", "no-debugger"], place: ["a.js:42:"] },
  ],
  [
    "markdownlint",
    { "a.md": `# A\n${lines(60, (n) => `- item ${n}   \n\n\n* other ${n}\t\n`)}` },
    "{js}/markdownlint-cli2 a.md",
    { verdict: ["Summary: "], failure: ["MD012/no-multiple-blanks"], place: ["a.md:2"] },
  ],
  [
    "rollup",
    {
      "a.js": `${lines(60, (n) => `import { f${n} } from "library-${n}";\nf${n}();\n`)}import { x } from "./b.js";\nx();\n`,
      "b.js": "export const y = 1;\n",
    },
    "{js}/rollup a.js --format es",
    { verdict: ["RollupError"], failure: ['"x" is not exported by "b.js"'], place: ["a.js (121:"] },
  ],
  [
    "cargo fmt --check",
    {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n',
      "src/lib.rs": `mod tax;\n${lines(40, (n) => `pub fn f${n}()  {  }\n`)}`,
      "src/tax.rs": lines(40, (n) => `pub fn t${n}(a:u8)->u8{a}\n`),
    },
    "cargo fmt --check",
    { verdict: ["src/lib.rs", "src/tax.rs"], failure: ["-pub fn f0()  {  }", "+pub fn t0(a: u8) -> u8 {"] },
  ],
  [
    "django test",
    {
      "manage.py": `import os, sys\nfrom django.core.management import execute_from_command_line\nos.environ["DJANGO_SETTINGS_MODULE"] = "settings"\nexecute_from_command_line(sys.argv)\n`,
      "settings.py": `SECRET_KEY = "x"\nINSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes"]\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}\n`,
      "tests.py": `from django.test import TestCase\nclass Shop(TestCase):\n    def test_tax(self): self.assertEqual(107, 119)\n    def test_user(self):\n        from django.contrib.auth.models import User\n        User.objects.get(username="plum")\nfor n in range(90): setattr(Shop, f"test_ok_{n}", lambda self: None)\n`,
    },
    "{py}/python manage.py test -v 2",
    {
      verdict: ["FAILED (failures=1, errors=1)"],
      failure: ["107 != 119", "User matching query does not exist"],
      place: ['tests.py", line 3'],
      total: ["Ran 92 tests"],
    },
  ],
  [
    "behave",
    {
      "features/a.feature": `Feature: shop\n${lines(40, (n) => `  Scenario: price ${n}\n    Given a price of ${n}\n`)}  Scenario: tax\n    Given a price of 107\n    Then it is 119\n`,
      "features/steps/a.py": `from behave import given, then\n@given("a price of {n:d}")\ndef step(c, n): c.n = n\n@then("it is {n:d}")\ndef check(c, n): assert c.n == n, f"got {c.n}, want {n}"\n`,
    },
    "{py}/behave",
    {
      verdict: ["40 scenarios passed, 1 failed"],
      failure: ["got 107, want 119"],
      place: ["features/a.feature:82"],
      total: ["Failing scenarios:"],
    },
  ],
  [
    "robot",
    {
      "a.robot": `*** Test Cases ***\n${lines(60, (n) => `Price ${n}\n    Should Be Equal    ${n}    ${n}\n`)}Adds The Tax\n    Should Be Equal    107    119\n`,
    },
    "{py}/robot --output NONE a.robot",
    { verdict: ["61 tests, 60 passed, 1 failed"], failure: ["Adds The Tax", "107 != 119"] },
  ],
  [
    "codespell",
    { "a.md": `${REPORT}${lines(70, (n) => `teh item ${n} is recieved\n`)}` },
    "{py}/codespell a.md",
    { failure: ["teh ==> the", "recieved ==> received"], place: ["a.md:61"] },
  ],
  [
    "perl syntax and warnings",
    { "a.pl": `use strict; use warnings;\n${lines(60, (n) => `my $x = ${n};\n`)}print $nowhere;\n` },
    "perl -c a.pl",
    { verdict: ["a.pl had compilation errors"], failure: ['Global symbol "$nowhere"'], place: ["a.pl line 62"] },
  ],
  [
    "golangci-lint",
    {
      "g.txt": `${lines(40, (n) => `internal/shop/f${n}.go:${n + 12}:5: Error return value of \`db.Close\` is not checked (errcheck)\n\tdb.Close()\n\t        ^\n`)}internal/shop/tax.go:12:9: SA5011: possible nil pointer dereference (staticcheck)\n\treturn r.Rate\n\t        ^\n41 issues:\n* errcheck: 40\n* staticcheck: 1\n`,
    },
    "cat g.txt; false",
    {
      verdict: ["41 issues"],
      failure: ["possible nil pointer dereference", "is not checked (errcheck)"],
      place: ["internal/shop/tax.go:12:9"],
      total: ["errcheck: 40"],
    },
  ],
  [
    "rubocop",
    {
      "r.txt": `Inspecting 90 files\n${lines(3, () => `${"..C....W...".repeat(3)}\n`)}\nOffenses:\n\n${lines(40, (n) => `lib/f${n}.rb:${n + 3}:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings when you don't need string interpolation or special symbols.\n    "f${n}"\n    ^^^^\n`)}lib/tax.rb:12:7: E: Lint/Syntax: unexpected token kEND\n      end\n      ^^^\n\n90 files inspected, 41 offenses detected, 40 offenses autocorrectable\n`,
    },
    "cat r.txt; false",
    {
      verdict: ["41 offenses detected"],
      failure: ["Lint/Syntax: unexpected token kEND"],
      place: ["lib/tax.rb:12:7"],
      total: ["90 files inspected"],
    },
  ],
  [
    "phpstan",
    {
      "p.txt": ` 90/90 [▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓] 100%\n\n${lines(30, (n) => ` ------ ---------------------------------------------------------------\n  Line   src/F${n}.php\n ------ ---------------------------------------------------------------\n  ${n + 12}     Method F${n}::get() has no return type specified.\n         🪪 missingType.return\n ------ ---------------------------------------------------------------\n\n`)} ------ ---------------------------------------------------------------\n  Line   src/Tax.php\n ------ ---------------------------------------------------------------\n  12     Call to an undefined method Tax::rate().\n         🪪 method.notFound\n ------ ---------------------------------------------------------------\n\n\n [ERROR] Found 31 errors\n\n`,
    },
    "cat p.txt; false",
    { verdict: ["Found 31 errors"], failure: ["Call to an undefined method Tax::rate()"], place: ["src/Tax.php"] },
  ],
  [
    "dart analyze",
    {
      "d.txt": `Analyzing shop...\n\n  error • lib/tax.dart:12:10 • Undefined name 'rate'. Try correcting the name to one that is defined, or defining the name. • undefined_identifier\n${lines(50, (n) => `warning • lib/f${n}.dart:${n + 2}:8 • Unused import: 'dart:io'. Try removing the import directive. • unused_import\n`)}${lines(50, (n) => `   info • lib/g${n}.dart:${n + 2}:3 • Don't invoke 'print' in production code. Try using a logging framework. • avoid_print\n`)}\n101 issues found.\n`,
    },
    "cat d.txt; false",
    { verdict: ["101 issues found."], failure: ["Undefined name 'rate'"], place: ["lib/tax.dart:12:10"] },
  ],
  [
    "bazel test",
    {
      "b.txt": `INFO: Analyzed 92 targets (0 packages loaded, 0 targets configured).\nINFO: Found 1 target and 91 test targets...\nFAIL: //shop:tax_test (see /srv/a/.cache/bazel/testlogs/shop/tax_test/test.log)\nINFO: From Testing //shop:tax_test:\n==================== Test output for //shop:tax_test:\nshop/tax_test.cc:12: Failure\nExpected equality of these values:\n  Price(100)\n    Which is: 107\n  119\n================================================================================\nINFO: Elapsed time: 12.345s, Critical Path: 3.21s\nINFO: 184 processes: 92 internal, 92 linux-sandbox.\nINFO: Build completed, 1 test FAILED, 184 total actions\n${lines(90, (n) => `//shop:price_${n}_test                                                  PASSED in 0.${n % 9}s\n`)}//shop:tax_test                                                         FAILED in 0.3s\n  /srv/a/.cache/bazel/testlogs/shop/tax_test/test.log\n\nExecuted 91 out of 91 tests: 90 tests pass and 1 fails locally.\n`,
    },
    "cat b.txt; false",
    {
      verdict: ["90 tests pass and 1 fails locally"],
      failure: ["//shop:tax_test", "Which is: 107"],
      place: ["shop/tax_test.cc:12"],
    },
  ],
  [
    "gtest",
    {
      "g.txt": `[==========] Running 121 tests from 1 test suite.\n[----------] Global test environment set-up.\n${lines(90, (n) => `[ RUN      ] Shop.Price${n}\n[       OK ] Shop.Price${n} (0 ms)\n`)}[ RUN      ] Shop.Tax\n/app/tax_test.cc:12: Failure\nExpected equality of these values:\n  Price(100)\n    Which is: 107\n  119\n\n[  FAILED  ] Shop.Tax (0 ms)\n${lines(30, (n) => `[ RUN      ] Shop.Other${n}\n[       OK ] Shop.Other${n} (0 ms)\n`)}[----------] 121 tests from Shop (3 ms total)\n\n[==========] 121 tests from 1 test suite ran. (3 ms total)\n[  PASSED  ] 120 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Shop.Tax\n\n 1 FAILED TEST\n`,
    },
    "cat g.txt; false",
    {
      verdict: ["1 FAILED TEST"],
      failure: ["Shop.Tax", "Which is: 107"],
      place: ["/app/tax_test.cc:12"],
      total: ["[  PASSED  ] 120 tests."],
    },
  ],
  [
    "rails test",
    {
      "m.txt": `Running 122 tests in parallel using 2 processes\nRun options: -v --seed 41\n\n# Running:\n\n${lines(90, (n) => `ShopTest#test_price_${n} = 0.00 s = .\n`)}ShopTest#test_tax = 0.00 s = F\n\n\nFailure:\nShopTest#test_tax [test/shop_test.rb:12]:\nExpected: 119\n  Actual: 107\n\nbin/rails test test/shop_test.rb:10\n\n${lines(30, (n) => `ShopTest#test_other_${n} = 0.00 s = .\n`)}ShopTest#test_missing = 0.00 s = E\n\n\nError:\nShopTest#test_missing:\nKeyError: key not found: :plum\n    test/shop_test.rb:17:in \`fetch'\n\nbin/rails test test/shop_test.rb:16\n\n\n\nFinished in 0.412s, 296.1165 runs/s, 730.5825 assertions/s.\n\n122 runs, 301 assertions, 1 failures, 1 errors, 0 skips\n`,
    },
    "cat m.txt; false",
    {
      verdict: ["122 runs, 301 assertions, 1 failures, 1 errors, 0 skips"],
      failure: ["ShopTest#test_tax", "Actual: 107", "key not found: :plum"],
      place: ["test/shop_test.rb:12"],
    },
  ],
  [
    "sbt test",
    {
      "s.txt": `[info] welcome to sbt 1.10.0 (Eclipse Adoptium Java 21)\n[info] compiling 90 Scala sources to /app/target/classes ...\n[warn] one feature warning; re-run with -feature for details\n[info] ShopSpec:\n${lines(120, (n) => `[info] - price ${n}\n`)}[info] - adds the tax *** FAILED ***\n[info]   107 did not equal 119 (ShopSpec.scala:12)\n${lines(20, (n) => `[info] - other ${n}\n`)}[info] Run completed in 412 milliseconds.\n[info] Total number of tests run: 141\n[info] Suites: completed 1, aborted 0\n[info] Tests: succeeded 140, failed 1, canceled 0, ignored 0, pending 0\n[info] *** 1 TEST FAILED ***\n[error] Failed tests:\n[error] \tShopSpec\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n[error] Total time: 3 s, completed Nov 20, 2026, 9:26:00 AM\n`,
    },
    "cat s.txt; false",
    {
      verdict: ["Tests: succeeded 140, failed 1", "Tests unsuccessful"],
      failure: ["adds the tax", "107 did not equal 119"],
      place: ["ShopSpec.scala:12"],
    },
  ],
  [
    "mix test",
    {
      "m.txt": `Running ExUnit with seed: 41, max_cases: 4\n\n${lines(8, () => `${".".repeat(80)}\n`)}\n\n  1) test adds the tax (ShopTest)\n     test/shop_test.exs:12\n     Assertion with == failed\n     code:  assert Shop.price(100) == 119\n     left:  107\n     right: 119\n     stacktrace:\n       test/shop_test.exs:13: (test)\n\n${lines(12, () => `${".".repeat(80)}\n`)}${lines(60, (n) => `warning: variable "u${n}" is unused (if the variable is not meant to be used, prefix it with an underscore)\n`)}\nFinished in 0.4 seconds (0.00s async, 0.4s sync)\n1601 tests, 1 failure\n`,
    },
    "cat m.txt; false",
    {
      verdict: ["1601 tests, 1 failure"],
      failure: ["adds the tax", "left:  107"],
      place: ["test/shop_test.exs:1"],
    },
  ],
  [
    "dotnet build",
    {
      "d.txt": `  Determining projects to restore...\n  All projects are up-to-date for restore.\n${lines(40, (n) => `/app/F${n}.cs(${n + 3},13): warning CS0168: The variable 'u${n}' is declared but never used [/app/Shop.csproj]\n`)}/app/Tax.cs(12,5): error CS0103: The name 'rate' does not exist in the current context [/app/Shop.csproj]\n\nBuild FAILED.\n\n${lines(40, (n) => `/app/F${n}.cs(${n + 3},13): warning CS0168: The variable 'u${n}' is declared but never used [/app/Shop.csproj]\n`)}/app/Tax.cs(12,5): error CS0103: The name 'rate' does not exist in the current context [/app/Shop.csproj]\n    40 Warning(s)\n    1 Error(s)\n\nTime Elapsed 00:00:03.21\n`,
    },
    "cat d.txt; false",
    {
      verdict: ["Build FAILED.", "1 Error(s)"],
      failure: ["The name 'rate' does not exist"],
      place: ["/app/Tax.cs(12,5)"],
      total: ["40 Warning(s)"],
    },
  ],
  [
    "gradle with Kotlin",
    {
      "g.txt": `${lines(60, (n) => `> Task :lib${n}:compileKotlin UP-TO-DATE\n`)}> Task :shop:compileKotlin FAILED\n${lines(40, (n) => `w: file:///app/shop/src/main/kotlin/F${n}.kt:${n + 3}:9 Variable 'u${n}' is never used\n`)}e: file:///app/shop/src/main/kotlin/Tax.kt:12:5 Unresolved reference 'rate'.\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':shop:compileKotlin'.\n> A failure occurred while executing org.jetbrains.kotlin.compilerRunner.GradleCompilerRunnerWithWorkers$GradleKotlinCompilerWorkAction\n   > Compilation error. See log for more details\n\n* Try:\n> Run with --stacktrace option to get the stack trace.\n> Run with --info or --debug option to get more log output.\n> Get more help at https://help.gradle.org.\n\nBUILD FAILED in 12s\n61 actionable tasks: 1 executed, 60 up-to-date\n`,
    },
    "cat g.txt; false",
    { verdict: ["BUILD FAILED in 12s"], failure: ["Unresolved reference 'rate'"], place: ["Tax.kt:12:5"] },
  ],
  [
    "next build",
    {
      "n.txt": `   ▲ Next.js 15.0.3\n\n   Creating an optimized production build ...\n ✓ Compiled successfully\n   Linting and checking validity of types ...\n${lines(40, (n) => `\n./app/page${n}.tsx\n${n + 3}:9  Warning: 'u${n}' is assigned a value but never used.  @typescript-eslint/no-unused-vars\n`)}\ninfo  - Need to disable some ESLint rules? Learn more here: https://nextjs.org/docs/app/api-reference/config/eslint\nFailed to compile.\n\n./app/tax.tsx:12:5\nType error: Type 'string' is not assignable to type 'number'.\n\n  10 | export function tax(price: number) {\n  11 |   let rate: number;\n> 12 |   rate = "19";\n     |   ^\n  13 |   return price * rate;\n  14 | }\nNext.js build worker exited with code: 1 and signal: null\n`,
    },
    "cat n.txt; false",
    {
      verdict: ["Failed to compile."],
      failure: ["Type error: Type 'string' is not assignable to type 'number'."],
      place: ["./app/tax.tsx:12:5"],
    },
  ],
  [
    "svelte-check",
    {
      "s.txt": `\n====================================\nLoading svelte-check in workspace: /app\nGetting Svelte diagnostics...\n\n${lines(40, (n) => `/app/src/F${n}.svelte:${n + 3}:2\nWarn: Unused CSS selector ".u${n}" (svelte)\n<style>\n  .u${n} {\n    color: red;\n\n`)}/app/src/Tax.svelte:12:9\nError: Type 'string' is not assignable to type 'number'. (ts)\n  let rate: number;\n  rate = "19";\n\n\n====================================\nsvelte-check found 1 error and 40 warnings in 41 files\n`,
    },
    "cat s.txt; false",
    {
      verdict: ["svelte-check found 1 error and 40 warnings in 41 files"],
      failure: ["Type 'string' is not assignable"],
      place: ["/app/src/Tax.svelte:12:9"],
    },
  ],
  [
    "cypress run",
    {
      "c.txt": `====================================================================================================\n\n  (Run Starting)\n\n  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐\n  │ Cypress:        13.15.0                                                                        │\n  │ Browser:        Electron 118 (headless)                                                        │\n  │ Specs:          1 found (shop.cy.js)                                                           │\n  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n\n\n────────────────────────────────────────────────────────────────────────────────────────────────────\n\n  Running:  shop.cy.js                                                                      (1 of 1)\n\n\n  shop\n${lines(60, (n) => `    ✓ price ${n} (${n + 40}ms)\n`)}    1) pays\n\n\n  60 passing (12s)\n  1 failing\n\n  1) shop\n       pays:\n     AssertionError: Timed out retrying after 4000ms: Expected to find content: 'Paid' but never did.\n      at Context.eval (webpack:///./cypress/e2e/shop.cy.js:99:7)\n\n\n\n\n  (Results)\n\n  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐\n  │ Tests:        61                                                                               │\n  │ Passing:      60                                                                               │\n  │ Failing:      1                                                                                │\n  │ Screenshots:  1                                                                                │\n  │ Spec Ran:     shop.cy.js                                                                       │\n  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n\n\n  (Screenshots)\n\n  -  /app/cypress/screenshots/shop.cy.js/shop -- pays (failed).png                     (1280x720)\n\n\n====================================================================================================\n\n  (Run Finished)\n\n\n       Spec                                              Tests  Passing  Failing  Pending  Skipped  \n  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐\n  │ ✖  shop.cy.js                               00:16       61       60        1        -        - │\n  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n    ✖  1 of 1 failed (100%)                     00:16       61       60        1        -        -  \n`,
    },
    "cat c.txt; false",
    {
      verdict: ["1 of 1 failed (100%)"],
      failure: ["pays", "Expected to find content: 'Paid'"],
      place: ["cypress/e2e/shop.cy.js:99"],
      total: ["60 passing"],
    },
  ],
  [
    "trivy image",
    {
      "t.txt": `2026-11-20T09:26:00Z\tINFO\t[vuln] Vulnerability scanning is enabled\n2026-11-20T09:26:01Z\tINFO\tDetected OS\tfamily="debian" version="12.1"\n\nshop/web:1.4 (debian 12.1)\n==========================\nTotal: 61 (UNKNOWN: 0, LOW: 50, MEDIUM: 10, HIGH: 0, CRITICAL: 1)\n\n┌────────────────┬────────────────┬──────────┬──────────────┬───────────────────┬───────────────┬──────────────────────────────────────┐\n│    Library     │ Vulnerability  │ Severity │    Status    │ Installed Version │ Fixed Version │                Title                 │\n├────────────────┼────────────────┼──────────┼──────────────┼───────────────────┼───────────────┼──────────────────────────────────────┤\n${lines(61, (n) => `│ ${`lib${n}`.padEnd(14)} │ CVE-2023-${4000 + n}  │ ${(n === 33 ? "CRITICAL" : n % 6 ? "LOW" : "MEDIUM").padEnd(8)} │ ${(n === 33 ? "fixed" : "affected").padEnd(12)} │ 1.${n}.0-${String(n % 9).padEnd(11)} │ ${(n === 33 ? "1.33.1" : "").padEnd(13)} │ ${(n === 33 ? "remote code execution via crafted file" : `out-of-bounds read in lib${n}`).padEnd(36)} │\n├────────────────┼────────────────┼──────────┼──────────────┼───────────────────┼───────────────┼──────────────────────────────────────┤\n`)}└────────────────┴────────────────┴──────────┴──────────────┴───────────────────┴───────────────┴──────────────────────────────────────┘\n`,
    },
    "cat t.txt; false",
    {
      verdict: ["Total: 61 (UNKNOWN: 0, LOW: 50, MEDIUM: 10, HIGH: 0, CRITICAL: 1)"],
      failure: ["CVE-2023-4033", "remote code execution"],
    },
  ],
  [
    "cargo audit",
    {
      "c.txt": `    Fetching advisory database from \`https://github.com/RustSec/advisory-db.git\`\n      Loaded 800 security advisories (from /srv/.cargo/advisory-db)\n    Scanning Cargo.lock for vulnerabilities (353 crate dependencies)\nCrate:     smallvec\nVersion:   0.6.9\nTitle:     Double-free and use-after-free in SmallVec::grow()\nDate:      2019-06-06\nID:        RUSTSEC-2019-0009\nURL:       https://rustsec.org/advisories/RUSTSEC-2019-0009\nSeverity:  9.8 (critical)\nSolution:  Upgrade to >=0.6.10\nDependency tree:\nsmallvec 0.6.9\n${lines(30, (n) => `${"    ".repeat(n % 7)}└── crate-${n} 1.${n}.0\n`)}\n${lines(20, (n) => `Crate:     old-${n}\nVersion:   0.${n}.1\nWarning:   unmaintained\nTitle:     old-${n} is unmaintained\nDate:      2021-08-20\nID:        RUSTSEC-2021-01${n + 10}\nURL:       https://rustsec.org/advisories/RUSTSEC-2021-01${n + 10}\nDependency tree:\nold-${n} 0.${n}.1\n└── shop 0.1.0\n\n`)}error: 1 vulnerability found!\nwarning: 20 allowed warnings found\n`,
    },
    "cat c.txt; false",
    {
      verdict: ["error: 1 vulnerability found!"],
      failure: ["Double-free and use-after-free", "smallvec"],
      total: ["20 allowed warnings found"],
    },
  ],
  [
    "cargo nextest",
    {
      "n.txt": `    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.12s\n────────────\n Nextest run ID 1f2e with nextest profile: default\n    Starting 121 tests across 3 binaries\n${lines(100, (n) => `        PASS [   0.00${n % 9}s] shop tests::price_${n}\n`)}        FAIL [   0.004s] shop tests::tax\n  stdout ───\n\n    running 1 test\n    test tests::tax ... FAILED\n\n  stderr ───\n    thread 'tests::tax' panicked at src/lib.rs:12:5:\n    assertion \`left == right\` failed: tax is wrong\n      left: 107\n     right: 119\n\n${lines(20, (n) => `        PASS [   0.00${n % 9}s] shop tests::other_${n}\n`)}────────────\n     Summary [   0.121s] 121 tests run: 120 passed, 1 failed, 0 skipped\n        FAIL [   0.004s] shop tests::tax\nerror: test run failed\n`,
    },
    "cat n.txt; false",
    {
      verdict: ["121 tests run: 120 passed, 1 failed"],
      failure: ["tests::tax", "tax is wrong", "left: 107"],
      place: ["src/lib.rs:12:5"],
    },
  ],
  [
    "pre-commit",
    {
      "p.txt": `trim trailing whitespace.................................................Passed\nfix end of files.........................................................Passed\ncheck yaml...............................................................Passed\nblack....................................................................Failed\n- hook id: black\n- files were modified by this hook\n\n${lines(60, (n) => `reformatted src/f${n}.py\n`)}\nAll done! ✨ 🍰 ✨\n60 files reformatted, 41 files left unchanged.\n\nmypy.....................................................................Failed\n- hook id: mypy\n- exit code: 1\n\nsrc/tax.py:12: error: Name "rate" is not defined  [name-defined]\nFound 1 error in 1 file (checked 101 source files)\n\npytest...................................................................Skipped\n`,
    },
    "cat p.txt; false",
    {
      verdict: ["Found 1 error in 1 file"],
      failure: [
        "mypy.....................................................................Failed",
        "black....................................................................Failed",
        'Name "rate" is not defined',
      ],
      place: ["src/tax.py:12"],
    },
  ],
  [
    "cargo bench",
    {
      "b.txt": `    Finished \`bench\` profile [optimized] target(s) in 0.12s\n     Running benches/shop.rs (target/release/deps/shop-1f2e)\n${lines(30, (n) => `price/${n}                 time:   [1.${n + 10} µs 1.${n + 11} µs 1.${n + 12} µs]\n                        change: [${n === 21 ? "+41.2% +42.0% +43.1%] (p = 0.00 < 0.05)\n                        Performance has regressed." : "-0.4% +0.1% +0.6%] (p = 0.62 > 0.05)\n                        No change in performance detected."}\nFound 3 outliers among 100 measurements (3.00%)\n  2 (2.00%) high mild\n  1 (1.00%) high severe\n\n`)}`,
    },
    "cat b.txt",
    { failure: ["Performance has regressed.", "+42.0%"], place: ["price/21"] },
  ],
  [
    "k6 run",
    {
      "k.txt": `     execution: local\n        script: load.js\n\n     scenarios: (100.00%) 1 scenario, 20 max VUs, 2m30s max duration\n\n${lines(40, (n) => `running (${String(n * 3).padStart(4, "0")}s), 20/20 VUs, ${n * 46} complete and 0 interrupted iterations\ndefault   [ ${String(Math.floor(n * 2.5)).padStart(3)}% ] 20 VUs  ${n * 3}s/2m0s\n`)}\n\n  █ THRESHOLDS\n\n    http_req_duration\n    ✗ 'p(95)<500' p(95)=683.21ms\n\n    http_req_failed\n    ✓ 'rate<0.01' rate=0.00%\n\n\n  █ TOTAL RESULTS\n\n    checks_total.......................: 3694    30.4/s\n    checks_succeeded...................: 100.00% 3694 out of 3694\n    checks_failed......................: 0.00%   0 out of 3694\n\n    HTTP\n    http_req_duration.......................................................: avg=512ms  min=80ms  med=490ms  max=1.9s  p(90)=640ms  p(95)=683.21ms\n    http_req_failed.........................................................: 0.00%  0 out of 1847\n    http_reqs...............................................................: 1847   15.1/s\n\nrunning (2m01.3s), 00/20 VUs, 1847 complete and 0 interrupted iterations\ndefault ✓ [ 100% ] 20 VUs  2m0s\nlevel=error msg="thresholds on metrics 'http_req_duration' have been crossed"\n`,
    },
    "cat k.txt; false",
    {
      verdict: ["thresholds on metrics 'http_req_duration' have been crossed"],
      failure: ["✗ 'p(95)<500' p(95)=683.21ms"],
      total: ["1847 complete"],
    },
  ],
];
