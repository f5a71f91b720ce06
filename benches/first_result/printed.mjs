// What is printed to be read row by row: tables, listings, searches, histories, snapshots; with what a reader of each needs.
import { range } from "./files.mjs";

const COMMITTED = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm 'first commit'";
const AGAIN = "git -c user.name=b -c user.email=b@c commit -qam";
const code = (n, lines = 40) =>
  range(lines, (l) => `def step_${n}_${l}(errors):\n    return errors or ${l}  # raise Error ${l}\n`).join("");

export const PRINTED = [
  [
    "git log",
    { "a.txt": "x" },
    `${COMMITTED} && for n in $(seq 1 120); do echo $n > a.txt; ${AGAIN} "Fix error $n in the parser"; done; git log`,
    { verdict: ["Fix error 120 in the parser"], failure: ["first commit"], place: ["Author: b <b@c>"] },
  ],
  [
    "git log --stat",
    Object.fromEntries(range(12, (n) => [`src/f${n}.txt`, "x"])),
    `${COMMITTED} && for n in $(seq 1 40); do echo $n > src/f$((n % 12)).txt; ${AGAIN} "Change $n"; done; git log --stat`,
    { verdict: ["Change 40"], failure: ["first commit"], place: ["src/f4.txt"] },
  ],
  [
    "git log --oneline",
    { "a.txt": "x" },
    `${COMMITTED} && for n in $(seq 1 300); do echo $n > a.txt; ${AGAIN} "Change number $n of the file"; done; git log --oneline`,
    { verdict: ["Change number 300"], failure: ["first commit"] },
  ],
  [
    "git blame",
    { "a.py": code(1, 60) },
    `${COMMITTED} && sed -i '50s/.*/    return nothing at all/' a.py && ${AGAIN} second && git blame a.py`,
    { verdict: ["def step_1_0("], failure: ["return nothing at all"], place: ["def step_1_59("] },
  ],
  [
    "git diff of one file",
    { "a.py": code(1, 150) },
    `${COMMITTED} && sed -i 's/return errors or 1/return errors and 1/' a.py && sed -i '/step_1_77/,+1d' a.py && git diff`,
    { failure: ["-def step_1_77", "+    return errors and 1 "], place: ["@@ -"] },
  ],
  [
    "git diff --stat",
    Object.fromEntries(range(150, (n) => [`src/module${n}/file.txt`, "a\n"])),
    `${COMMITTED} && for f in src/*/file.txt; do echo b >> $f; done; rm src/module9/file.txt; git diff --stat`,
    { verdict: ["150 files changed, 149 insertions(+), 1 deletion(-)"], place: ["src/module0/file.txt"] },
  ],
  [
    "git status -s",
    Object.fromEntries(range(400, (n) => [`dir${n % 7}/file${n}.txt`, "x"])),
    `${COMMITTED} && rm dir3/file3.txt && for n in $(seq 10 390); do echo y > dir$((n % 7))/file$n.txt; done; echo new > new.txt; git status -s`,
    { verdict: ["?? new.txt"], failure: [" D dir3/file3.txt"], place: [" M dir0/file"] },
  ],
  [
    "git merge",
    Object.fromEntries(range(60, (n) => [`src/f${n}.txt`, "base\n"])),
    `${COMMITTED} && git checkout -qb other && for f in src/*; do echo other > $f; done; ${AGAIN} other; git checkout -q - && echo mine > src/f7.txt && ${AGAIN} mine; git merge other; git diff --stat HEAD`,
    { verdict: ["Automatic merge failed"], failure: ["CONFLICT (content): Merge conflict in src/f7.txt"] },
  ],
  [
    "ls -R",
    Object.fromEntries(range(400, (n) => [`${n < 300 ? "node_modules/" : ""}pkg${n % 20}/lib/file${n}.js`, "x"])),
    "touch package.json README.md; mkdir -p src/app docs; touch src/main.js src/app/view.js docs/start.md; ls -R",
    { verdict: ["README.md", "package.json"], place: ["src", "docs", "main.js"] },
  ],
  [
    "find",
    Object.fromEntries(range(400, (n) => [`${n < 300 ? "node_modules/" : ""}pkg${n % 20}/lib/file${n}.js`, "x"])),
    "mkdir -p src/app docs; touch src/main.js src/app/view.js docs/start.md; find . | sort",
    { verdict: ["./src"], place: ["./docs", "./node_modules", "./src/main.js"] },
  ],
  [
    "ls -la",
    Object.fromEntries(range(200, (n) => [`file${n}.log`, "x".repeat(n === 123 ? 900_000 : 10)])),
    "mkdir zeta .config; ls -la",
    { verdict: [".config", "zeta"], place: ["total"], failure: ["900000"] },
  ],
  [
    "grep -rn, one file with most",
    {
      "src/a.py": code(1, 30),
      "src/b.py": code(2, 90),
      "src/z.py": "def other(errors): pass\n",
    },
    "grep -rn errors src | sort",
    { place: ["src/a.py", "src/b.py", "src/z.py"] },
  ],
  [
    "grep -rn -C2",
    Object.fromEntries(range(25, (n) => [`src/f${n}.py`, code(n, 8)])),
    "grep -rn -C2 'or 3' src",
    { place: ["src/f0.py", "src/f24.py", "src/f13.py"] },
  ],
  [
    "grep -rc",
    Object.fromEntries(range(250, (n) => [`src/f${n}.py`, n === 200 ? "errors\n".repeat(7) : "x"])),
    "grep -rc errors src | sort",
    { failure: ["src/f200.py:7"], place: ["src/f0.py"] },
  ],
  [
    "ps aux",
    {
      "ps.txt": `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n${range(
        160,
        (n) =>
          `root     ${String(n + 1).padStart(7)} ${n === 97 ? "99.8" : " 0.0"}  0.1  ${String(12345 + n * 7)}  4567 ?        S    09:26   0:0${n % 10} /usr/sbin/daemon${n} --flag\n`,
      ).join("")}`,
    },
    "cat ps.txt",
    { verdict: ["99.8"], failure: ["daemon97"], place: ["USER", "%CPU"] },
  ],
  [
    "df -h",
    {
      "df.txt": `Filesystem      Size  Used Avail Use% Mounted on\n${range(
        130,
        (n) =>
          `/dev/sd${String(n).padEnd(9)}  98G   ${n === 61 ? "98G     0 100%" : "12G   86G  13%"} /mnt/volume${n}\n`,
      ).join("")}`,
    },
    "cat df.txt",
    { verdict: ["100%"], failure: ["/mnt/volume61"], place: ["Mounted on"] },
  ],
  [
    "docker ps",
    {
      "d.txt": `CONTAINER ID   IMAGE          COMMAND                  CREATED        STATUS                     PORTS      NAMES\n${range(
        110,
        (n) =>
          `${(0xabc000000000 + n * 7919).toString(16)}   shop/web:1.${n}   "docker-entrypoint.s…"   2 hours ago    ${n === 40 ? "Exited (137) 5 minutes ago" : "Up 2 hours                "} 80/tcp     web-${n}\n`,
      ).join("")}`,
    },
    "cat d.txt",
    { verdict: ["Exited (137)"], failure: ["web-40"], place: ["CONTAINER ID"] },
  ],
  [
    "psql",
    {
      "t.txt": `  id  |   name    | state  |         at          |  total  \n------+-----------+--------+---------------------+---------\n${range(
        200,
        (n) =>
          ` ${String(n).padStart(4)} | order ${String(n).padEnd(3)} | ${n === 133 ? "failed" : "paid  "} | 2026-11-20 09:26:${String(n % 60).padStart(2, "0")} | ${String(n * 3).padStart(7)}\n`,
      ).join("")}(200 rows)\n\n`,
    },
    "cat t.txt",
    { verdict: ["200"], place: ["name", "state"], total: ["order 0"] },
  ],
  [
    "sqlite3 -box",
    {},
    `sqlite3 -box :memory: "with recursive n(id) as (select 1 union all select id + 1 from n where id < 200) select id, 'order ' || id as name, case id when 133 then 'failed' else 'paid' end as state from n"`,
    { verdict: ["200"], place: ["name", "state"], total: ["order 1"] },
  ],
  [
    "duckdb",
    {
      "a.py": `import duckdb
duckdb.sql("set threads = 1")
duckdb.sql("select range as id, 'order ' || range as name, case range when 133 then 'failed' else 'paid' end as state, range * 1.5 as total from range(200)").show(max_rows=300)
`,
    },
    "{py}/python a.py",
    { verdict: ["200"], place: ["name", "state"], total: ["order 0"] },
  ],
  [
    "df.to_string()",
    {
      "a.py": `import pandas
n = range(200)
print(pandas.DataFrame({"name": [f"order {i}" for i in n], "at": pandas.date_range("2026-11-20", periods=200, freq="h"), "state": ["error" if i == 133 else "paid" for i in n], "total": [i * 1.5 for i in n]}).to_string())
`,
    },
    "{py}/python a.py",
    { verdict: ["order 199"], place: ["name", "state", "order 0"], failure: ["order 133"] },
  ],
  [
    "df.describe of many columns",
    {
      "a.py": `import pandas
print(pandas.DataFrame({f"column {c}": [c * i % 17 for i in range(50)] for c in range(60)}).describe().T.to_string())
`,
    },
    "{py}/python a.py",
    { verdict: ["count", "mean", "std"], place: ["column 0", "column 59"] },
  ],
  [
    "snapshot of a page",
    {
      "s.yml": `- generic [ref=e1]:\n  - banner [ref=e2]:\n    - link "Shop" [ref=e3] [cursor=pointer]:\n      - /url: /\n    - navigation [ref=e4]:\n${range(8, (n) => `      - link "Section ${n}" [ref=e${n + 10}]:\n        - /url: /s/${n}\n`).join("")}  - main [ref=e30]:\n    - heading "Orders" [level=1] [ref=e31]\n    - textbox "Search orders" [ref=e32]\n    - alert [ref=e33]: Your session ends in 5 minutes\n    - table [ref=e34]:\n${range(90, (n) => `      - row "Order ${n} paid" [ref=e${n * 5 + 100}]:\n        - cell "Order ${n}" [ref=e${n * 5 + 101}]\n        - cell "paid" [ref=e${n * 5 + 102}]\n        - button "Open" [ref=e${n * 5 + 103}] [cursor=pointer]\n`).join("")}    - button "Pay all" [ref=e900] [cursor=pointer]\n  - contentinfo [ref=e901]:\n    - link "Imprint" [ref=e902]:\n      - /url: /imprint\n`,
    },
    "cat s.yml",
    {
      verdict: ['heading "Orders"'],
      failure: ["Your session ends in 5 minutes"],
      place: ['textbox "Search orders"', 'button "Pay all"', "contentinfo", 'row "Order 0 paid"'],
    },
  ],
  [
    "YAML list",
    {
      "l.yml": `apiVersion: v1\nkind: List\nitems:\n${range(60, (n) => `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-${n}\n    labels:\n      app: web\n      tier: front\n  status:\n    phase: ${n === 41 ? "Failed" : "Running"}\n    hostIP: 10.0.0.${n}\n`).join("")}`,
    },
    "cat l.yml",
    { verdict: ["kind: List"], place: ["name: web-0"], failure: ["Failed"] },
  ],
  [
    "kubectl describe",
    {
      "d.txt": `Name:             web-61\nNamespace:        prod\nPriority:         0\nNode:             node-3/10.0.0.3\nStatus:           Running\nIP:               10.1.0.61\nContainers:\n  web:\n    Image:          shop/web:1.4\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Restart Count:  17\n    Environment:\n${range(120, (n) => `      SETTING_${n}:     value of setting ${n}\n`).join("")}Conditions:\n  Type              Status\n  Ready             False\nEvents:\n  Type     Reason     Age                   From     Message\n  ----     ------     ----                  ----     -------\n  Warning  BackOff    2m (x80 over 20m)     kubelet  Back-off restarting failed container\n`,
    },
    "cat d.txt",
    {
      verdict: ["Back-off restarting failed container"],
      failure: ["OOMKilled", "CrashLoopBackOff"],
      place: ["web-61"],
    },
  ],
  [
    "kubectl events",
    {
      "e.txt": `LAST SEEN   TYPE      REASON             OBJECT                MESSAGE\n${range(110, (n) => `${n}s         ${n === 57 ? "Warning   FailedScheduling   pod/web-57            0/3 nodes are available: 3 Insufficient memory." : `Normal    Pulled             pod/web-${String(n).padEnd(13)} Container image "shop/web:1.4" already present`}\n`).join("")}`,
    },
    "cat e.txt",
    { verdict: ["FailedScheduling"], failure: ["Insufficient memory"], place: ["pod/web-0", "LAST SEEN"] },
  ],
  [
    "pip list",
    {
      "p.txt": `Package                   Version\n------------------------- ----------\n${range(320, (n) => `${`package-number-${n}`.padEnd(25)} ${n % 9}.${n % 7}.0\n`).join("")}`,
    },
    "cat p.txt",
    { verdict: ["Package", "Version"], place: ["package-number-0 ", "package-number-319"] },
  ],
  [
    "wc -l",
    Object.fromEntries(range(300, (n) => [`src/f${n}.txt`, "x\n".repeat(n)])),
    "wc -l src/*",
    { verdict: ["44850 total"], place: ["src/f0.txt"] },
  ],
  [
    "du",
    Object.fromEntries(range(300, (n) => [`src/dir${n}/f.txt`, "x".repeat(n === 77 ? 9_000_000 : 10)])),
    "du -k --apparent-size . | sort -k2",
    { verdict: ["\t."], failure: ["src/dir77"] },
  ],
];
