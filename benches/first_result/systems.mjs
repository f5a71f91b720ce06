// What systems, networks, databases, services and pipelines print, run here or as their documentation prints it.
import { range } from "./files.mjs";

const lines = (n, of) => range(n, of).join("");
const at = (n) => `09:${String(20 + Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}`;
const COMMITTED = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm 'first commit'";
const AGAIN = "git -c user.name=b -c user.email=b@c commit -qam";

export const SYSTEMS = [
  [
    "gdb",
    {
      "a.c":
        "static int f(int n, int *p) {\n  if (n == 0)\n    return *p;\n  return f(n - 1, p) + 1;\n}\nint main(void) { return f(60, 0); }\n",
    },
    "gcc -g -O0 a.c && gdb -nx -batch -ex run -ex bt ./a.out",
    { verdict: ["received signal SIGSEGV"], failure: ["return *p;"], place: ["a.c:3"] },
  ],
  [
    "strace",
    {},
    "LC_ALL=C strace ls /nowhere/at/all",
    { verdict: ["+++ exited with 2 +++"], failure: ['"/nowhere/at/all", ', "No such file or directory"] },
  ],
  [
    "curl -v",
    {
      "s.mjs": `import http from "node:http";\nhttp.createServer((q, r) => { for (let n = 0; n < 40; n++) r.setHeader("x-trace-" + n, "value of the trace " + n); r.statusCode = 503; r.end("upstream orders is not reachable\\n"); }).listen(0, "127.0.0.1", function () { import("node:child_process").then((c) => c.spawn("curl", ["-v", "-sS", "http://127.0.0.1:" + this.address().port + "/orders/7"], { stdio: "inherit" }).on("exit", () => process.exit(0))); });\n`,
    },
    "node s.mjs",
    { verdict: ["503 Service Unavailable"], failure: ["upstream orders is not reachable"], place: ["GET /orders/7"] },
  ],
  [
    "openssl x509",
    {},
    "openssl req -x509 -newkey rsa:4096 -nodes -keyout k.pem -out c.pem -days 30 -subj /CN=shop.example.org -addext subjectAltName=DNS:shop.example.org 2>/dev/null; openssl x509 -in c.pem -noout -text",
    { verdict: ["Not After :"], place: ["CN = shop.example.org", "DNS:shop.example.org"] },
  ],
  [
    "find with errors",
    Object.fromEntries(range(120, (n) => [`a/dir${n}/file.txt`, "x"])),
    "find a nowhere -type f | sort",
    { failure: ["nowhere", "No such file or directory"], place: ["a/dir0/file.txt"] },
  ],
  [
    "rm and cp in a script",
    {
      "a.sh": `for n in $(seq 1 120); do echo "copying file $n of errors.txt"; done\ncp /nowhere/config.yml .\nfor n in $(seq 1 60); do echo "cleaning $n"; done\n`,
    },
    "LC_ALL=C sh a.sh",
    { failure: ["cp: cannot stat '/nowhere/config.yml'"] },
  ],
  [
    "bash -x",
    {
      "a.sh": `set -ex\nfor n in $(seq 1 80); do mkdir -p d$n; done\nnowhere-tool --deploy\necho done\n`,
    },
    "LC_ALL=C bash a.sh",
    { verdict: ["nowhere-tool: command not found"], place: ["a.sh: line 3"] },
  ],
  [
    "git bisect run",
    { "a.txt": "0" },
    `${COMMITTED} && for n in $(seq 1 60); do echo $n > a.txt; ${AGAIN} "Change number $n"; done; git bisect start HEAD HEAD~59 >/dev/null && git bisect run sh -c 'for n in $(seq 1 40); do echo "running check $n"; done; test $(cat a.txt) -lt 41'`,
    { verdict: ["is the first bad commit"], failure: ["Change number 41"] },
  ],
  [
    "tree",
    {
      "t.txt": `.\n├── README.md\n├── node_modules\n${lines(150, (n) => `│   ├── pkg${n}\n│   │   └── index.js\n`)}├── package.json\n└── src\n    ├── app\n    │   └── view.js\n    └── main.js\n\n153 directories, 154 files\n`,
    },
    "cat t.txt",
    { verdict: ["153 directories, 154 files"], place: ["README.md", "package.json", "src", "main.js"] },
  ],
  [
    "top",
    {
      "t.txt": `top - 09:26:00 up 14:58,  1 user,  load average: 8.41, 2.17, 1.55\nTasks: 160 total,   2 running, 158 sleeping,   0 stopped,   0 zombie\n%Cpu(s): 97.0 us,  2.1 sy,  0.0 ni,  0.9 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\nMiB Mem :  16004.1 total,    102.3 free,  15100.2 used,    801.6 buff/cache\nMiB Swap:   2048.0 total,      0.0 free,   2048.0 used.    500.9 avail Mem\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   4711 app       20   0   18.1g  12.0g   4096 R 198.7  76.8 123:45.67 java\n${lines(140, (n) => `${String(n + 7).padStart(7)} root      20   0   12345   4567   3456 S   0.0   0.1   0:0${n % 10}.12 daemon${n}\n`)}`,
    },
    "cat t.txt",
    { verdict: ["load average: 8.41"], failure: ["198.7", "java"], place: ["102.3 free", "PID USER"] },
  ],
  [
    "ss -tlnp",
    {
      "s.txt": `State  Recv-Q Send-Q Local Address:Port  Peer Address:Port Process\n${lines(90, (n) => `LISTEN 0      128        127.0.0.1:${n + 30000}      0.0.0.0:*    users:(("worker",pid=${n + 400},fd=7))\n`)}LISTEN 129    128          0.0.0.0:8080       0.0.0.0:*    users:(("node",pid=4711,fd=20))\n${lines(30, (n) => `LISTEN 0      128        127.0.0.1:${n + 40000}      0.0.0.0:*    users:(("worker",pid=${n + 600},fd=7))\n`)}`,
    },
    "cat s.txt",
    { failure: ["0.0.0.0:8080", "pid=4711"], place: ["Local Address:Port"] },
  ],
  [
    "systemctl list-units",
    {
      "s.txt": `  UNIT                         LOAD   ACTIVE SUB     DESCRIPTION\n${lines(110, (n) => (n === 71 ? "● shop-web.service             loaded failed failed  Shop web server\n" : `  ${`daemon-${n}.service`.padEnd(28)} loaded active running Daemon number ${n}\n`))}\nLOAD   = Reflects whether the unit definition was properly loaded.\nACTIVE = The high-level unit activation state, i.e. generalization of SUB.\nSUB    = The low-level unit activation state, values depend on unit type.\n110 loaded units listed. Pass --all to see loaded but inactive units, too.\n`,
    },
    "cat s.txt",
    { verdict: ["shop-web.service"], failure: ["loaded failed failed"], total: ["110 loaded units listed"] },
  ],
  [
    "journalctl",
    {
      "j.txt": `${lines(90, (n) => `Nov 20 ${at(n)} host-1 shop[4711]: handled request ${n} in ${n % 9} ms\n`)}Nov 20 09:21:31 host-1 shop[4711]: Error: connect ECONNREFUSED 10.0.0.7:5432\nNov 20 09:21:31 host-1 systemd[1]: shop.service: Main process exited, code=exited, status=1/FAILURE\nNov 20 09:21:31 host-1 systemd[1]: shop.service: Failed with result 'exit-code'.\nNov 20 09:21:36 host-1 systemd[1]: shop.service: Scheduled restart job, restart counter is at 5.\n${lines(60, (n) => `Nov 20 09:22:${String(n).padStart(2, "0")} host-1 CRON[${n + 100}]: (root) CMD (test -x /usr/sbin/job${n})\n`)}`,
    },
    "cat j.txt",
    {
      verdict: ["Failed with result 'exit-code'"],
      failure: ["connect ECONNREFUSED 10.0.0.7:5432", "status=1/FAILURE"],
    },
  ],
  [
    "dmesg",
    {
      "d.txt": `${lines(120, (n) => `[    ${n}.123456] usb 1-${n % 4}: new high-speed USB device number ${n} using xhci_hcd\n`)}[  812.100000] node invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n[  812.100001] CPU: 1 PID: 4711 Comm: node Not tainted 6.1.0\n${lines(30, (n) => `[  812.20000${n % 10}] [   ${n + 400}]     0 ${n + 400}    12345     1234   123456        0             0 daemon${n}\n`)}[  812.300000] Out of memory: Killed process 4711 (node) total-vm:18100000kB, anon-rss:12000000kB, file-rss:0kB\n${lines(60, (n) => `[  ${n + 900}.123456] eth0: renewed lease ${n}\n`)}`,
    },
    "cat d.txt",
    { verdict: ["Out of memory: Killed process 4711 (node)"], failure: ["invoked oom-killer"] },
  ],
  [
    "nginx access log",
    {
      "n.txt": lines(
        160,
        (n) =>
          `10.0.0.${n % 9} - - [20/Nov/2026:${at(n)} +0000] "GET /orders/${n}?error=0 HTTP/1.1" ${n === 87 ? "502 157" : "200 4512"} "-" "curl/8.5.0"\n`,
      ),
    },
    "cat n.txt",
    { verdict: ["502 157"], failure: ["GET /orders/87"] },
  ],
  [
    "nginx error log",
    {
      "n.txt": `${lines(90, (n) => `2026/11/20 ${at(n)} [notice] 7#7: signal process ${n} started\n`)}2026/11/20 09:22:10 [error] 29#29: *187 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, server: shop.example.org, request: "GET /orders/87 HTTP/1.1", upstream: "http://10.0.0.7:8080/orders/87"\n2026/11/20 09:22:11 [emerg] 7#7: bind() to 0.0.0.0:443 failed (98: Address already in use)\n${lines(40, (n) => `2026/11/20 09:23:${String(n).padStart(2, "0")} [warn] 29#29: *${n + 200} an upstream response is buffered to a temporary file /var/cache/nginx/${n} while reading upstream\n`)}`,
    },
    "cat n.txt",
    { verdict: ["bind() to 0.0.0.0:443 failed"], failure: ["while connecting to upstream"] },
  ],
  [
    "docker compose logs",
    {
      "c.txt": `${lines(90, (n) => `web-1  | handled request ${n} in ${n % 9} ms\ncache-1  | 1:M 20 Nov 2026 ${at(n)}.123 * DB saved on disk\n`)}web-1  | Error: connect ECONNREFUSED 172.18.0.2:5432\nweb-1  |     at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16) {\nweb-1  |   errno: -111,\nweb-1  |   code: 'ECONNREFUSED'\nweb-1  | }\nweb-1 exited with code 1\n${lines(60, (n) => `cache-1  | 1:M 20 Nov 2026 ${at(n + 90)}.123 * DB saved on disk\n`)}`,
    },
    "cat c.txt",
    { verdict: ["web-1 exited with code 1"], failure: ["connect ECONNREFUSED 172.18.0.2:5432"] },
  ],
  [
    "ping",
    {
      "p.txt": `PING shop.example.org (10.0.0.7) 56(84) bytes of data.\n${lines(120, (n) => (n % 40 === 21 ? `From 10.0.0.1 icmp_seq=${n + 1} Destination Host Unreachable\n` : `64 bytes from 10.0.0.7: icmp_seq=${n + 1} ttl=57 time=${n % 9}.12 ms\n`))}\n--- shop.example.org ping statistics ---\n120 packets transmitted, 117 received, +3 errors, 2.5% packet loss, time 119123ms\nrtt min/avg/max/mdev = 0.120/4.120/8.120/2.100 ms\n`,
    },
    "cat p.txt; false",
    { verdict: ["2.5% packet loss"], failure: ["Destination Host Unreachable"], total: ["rtt min/avg/max/mdev"] },
  ],
  [
    "wget",
    {
      "w.txt": `--2026-11-20 09:26:00--  https://example.org/data.tar.gz\nResolving example.org (example.org)... 10.0.0.7\nConnecting to example.org (example.org)|10.0.0.7|:443... connected.\nHTTP request sent, awaiting response... 200 OK\nLength: 10485760 (10M) [application/gzip]\nSaving to: ‘data.tar.gz’\n\n${lines(150, (n) => `${String(n * 50).padStart(6)}K .......... .......... .......... .......... .......... ${String(Math.floor(n / 2.05)).padStart(2)}% 1.2${n % 9}M ${8 - Math.floor(n / 20)}s\n`)}\n2026-11-20 09:26:08 (1.20 MB/s) - Read error at byte 7680000/10485760 (Connection reset by peer). Giving up.\n\n`,
    },
    "cat w.txt; false",
    { verdict: ["Giving up."], failure: ["Connection reset by peer"], place: ["https://example.org/data.tar.gz"] },
  ],
  [
    "rsync",
    {
      "r.txt": `sending incremental file list\n${lines(200, (n) => `src/errors/file${n}.js\n`)}rsync: [sender] send_files failed to open "/app/secret.key": Permission denied (13)\n${lines(80, (n) => `src/views/file${n}.js\n`)}\nsent 123,456 bytes  received 7,890 bytes  87,564.00 bytes/sec\ntotal size is 1,234,567  speedup is 9.40\nrsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]\n`,
    },
    "cat r.txt; false",
    {
      verdict: ["some files/attrs were not transferred"],
      failure: ['failed to open "/app/secret.key": Permission denied'],
      total: ["total size is 1,234,567"],
    },
  ],
  [
    "ffmpeg",
    {
      "f.txt": `ffmpeg version 6.1 Copyright (c) 2000-2023 the FFmpeg developers\n  built with gcc 12\n  configuration: --enable-gpl --enable-libx264\nInput #0, mov,mp4,m4a,3gp,3g2,mj2, from 'in.mp4':\n  Duration: 00:10:00.00, start: 0.000000, bitrate: 5123 kb/s\n  Stream #0:0[0x1](und): Video: h264 (High), yuv420p, 1920x1080, 25 fps\nOutput #0, mp4, to 'out.mp4':\n  Stream #0:0(und): Video: h264, yuv420p, 1920x1080, q=2-31, 25 fps\n${lines(160, (n) => `frame=${String(n * 25).padStart(5)} fps= 98 q=28.0 size=${String(n * 256).padStart(8)}kB time=00:00:${String(n % 60).padStart(2, "0")}.00 bitrate=2097.2kbits/s speed=3.9x    \r`)}\nav_interleaved_write_frame(): No space left on device\n[out#0/mp4 @ 0x55d0] Error writing trailer: No space left on device\n[out#0/mp4 @ 0x55d0] Error closing file: No space left on device\nframe= 4000 fps= 98 q=28.0 Lsize=   40960kB time=00:02:40.00 bitrate=2097.2kbits/s speed=3.9x\nvideo:40000kB audio:0kB subtitle:0kB other streams:0kB global headers:0kB muxing overhead: 2.4%\n[libx264 @ 0x55d1] kb/s:2048.00\nConversion failed!\n`,
    },
    "cat f.txt; false",
    { verdict: ["Conversion failed!"], failure: ["No space left on device"], place: ["in.mp4"] },
  ],
  [
    "pdflatex",
    {
      "l.txt": `This is pdfTeX, Version 3.141592653-2.6-1.40.25 (TeX Live 2023) (preloaded format=pdflatex)\n restricted \\write18 enabled.\nentering extended mode\n(./paper.tex\nLaTeX2e <2023-06-01>\n${lines(90, (n) => `(/usr/share/texmf/tex/latex/pkg${n}/pkg${n}.sty)\n`)}\nLaTeX Warning: Reference \`fig:errors' on page 3 undefined on input line 40.\n\n${lines(40, (n) => `Overfull \\hbox (${n}.1pt too wide) in paragraph at lines ${n + 50}--${n + 52}\n[]\\OT1/cmr/m/n/10 some words that are too long for the line\n\n`)}! Undefined control sequence.\nl.141 \\nowhere\n              {x}\n? \n! Emergency stop.\nl.141 \\nowhere\n              {x}\n!  ==> Fatal error occurred, no output PDF file produced!\nTranscript written on paper.log.\n`,
    },
    "cat l.txt; false",
    {
      verdict: ["Fatal error occurred, no output PDF file produced!"],
      failure: ["! Undefined control sequence."],
      place: ["l.141 \\nowhere"],
    },
  ],
  [
    "EXPLAIN ANALYZE",
    {
      "e.txt": `                                                        QUERY PLAN\n---------------------------------------------------------------------------------------------------------------------------\n Append  (cost=0.00..412345.67 rows=1200 width=64) (actual time=0.021..4510.112 rows=1200 loops=1)\n${lines(60, (n) => `   ->  Index Scan using orders_${n}_pkey on orders_${n}  (cost=0.42..8.44 rows=1 width=64) (actual time=0.0${n + 10}..0.0${n + 11} rows=20 loops=1)\n         Index Cond: (id = 7)\n`)}   ->  Seq Scan on orders_old  (cost=0.00..381234.00 rows=1 width=64) (actual time=4490.012..4490.013 rows=0 loops=1)\n         Filter: (id = 7)\n         Rows Removed by Filter: 19999999\n${lines(20, (n) => `   ->  Index Scan using other_${n}_pkey on other_${n}  (cost=0.42..8.44 rows=1 width=64) (actual time=0.0${n + 10}..0.0${n + 11} rows=20 loops=1)\n         Index Cond: (id = 7)\n`)} Planning Time: 1.234 ms\n Execution Time: 4512.331 ms\n(167 rows)\n\n`,
    },
    "cat e.txt",
    {
      verdict: ["Execution Time: 4512.331 ms"],
      failure: ["Seq Scan on orders_old", "Rows Removed by Filter: 19999999"],
    },
  ],
  [
    "psql \\d",
    {
      "d.txt": `                                          Table "public.orders"\n    Column     |           Type           | Collation | Nullable |              Default\n---------------+--------------------------+-----------+----------+------------------------------------\n id            | bigint                   |           | not null | nextval('orders_id_seq'::regclass)\n${lines(60, (n) => ` ${`column_${n}`.padEnd(13)} | text                     |           |          | \n`)} created_at    | timestamp with time zone |           | not null | now()\nIndexes:\n    "orders_pkey" PRIMARY KEY, btree (id)\n    "orders_created_at_idx" btree (created_at)\nForeign-key constraints:\n    "orders_user_id_fkey" FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE\n\n`,
    },
    "cat d.txt",
    { verdict: ['"public.orders"', "PRIMARY KEY, btree (id)"], place: ["REFERENCES users(id)", "nextval("] },
  ],
  [
    "mysql",
    {
      "m.txt": `+------+-----------+--------+---------------------+\n| id   | name      | state  | created_at          |\n+------+-----------+--------+---------------------+\n${lines(200, (n) => `| ${String(n).padStart(4)} | order ${String(n).padEnd(3)} | ${n === 133 ? "failed" : "paid  "} | 2026-11-20 09:26:${String(n % 60).padStart(2, "0")} |\n`)}+------+-----------+--------+---------------------+\n200 rows in set (0.01 sec)\n\n`,
    },
    "cat m.txt",
    { verdict: ["200"], place: ["name", "created_at"], total: ["order 0"] },
  ],
  [
    "psql of a migration",
    {
      "p.txt": `BEGIN\n${lines(80, (n) => `CREATE TABLE\nCREATE INDEX\nNOTICE:  relation "errors_${n}" already exists, skipping\n`)}psql:migrate.sql:241: ERROR:  column "total" of relation "orders" already exists\n${lines(40, (n) => `psql:migrate.sql:${n + 242}: ERROR:  current transaction is aborted, commands ignored until end of transaction block\n`)}ROLLBACK\n`,
    },
    "cat p.txt; false",
    {
      verdict: ["ROLLBACK"],
      failure: ['column "total" of relation "orders" already exists'],
      place: ["migrate.sql:241"],
    },
  ],
  [
    "redis-cli INFO",
    {
      "r.txt": `# Server\nredis_version:7.2.4\nredis_mode:standalone\n${lines(20, (n) => `server_fact_${n}:${n}\n`)}\n# Memory\nused_memory:104857600\nused_memory_human:100.00M\nmaxmemory_human:100.00M\nmaxmemory_policy:noeviction\n${lines(40, (n) => `mem_fact_${n}:${n * 7}\n`)}\n# Persistence\nloading:0\nrdb_last_bgsave_status:err\naof_last_write_status:ok\n\n# Stats\nrejected_connections:0\n${lines(40, (n) => `stat_${n}:${n * 3}\n`)}\n# Replication\nrole:master\nconnected_slaves:0\n\n# Keyspace\ndb0:keys=412345,expires=12,avg_ttl=0\n`,
    },
    "cat r.txt",
    { verdict: ["rdb_last_bgsave_status:err"], place: ["redis_version:7.2.4", "db0:keys=412345"] },
  ],
  [
    "gh run view --log",
    {
      "g.txt": `${lines(60, (n) => `build\tSet up job\t2026-11-20T${at(n)}.0000000Z Download action repository ${n}\n`)}${lines(90, (n) => `build\tRun tests\t2026-11-20T${at(n + 60)}.0000000Z   ✓ price ${n} (1 ms)\n`)}build\tRun tests\t2026-11-20T09:24:00.0000000Z   ✕ adds the tax (3 ms)\nbuild\tRun tests\t2026-11-20T09:24:00.1000000Z     Expected: 119\nbuild\tRun tests\t2026-11-20T09:24:00.1000000Z     Received: 107\nbuild\tRun tests\t2026-11-20T09:24:00.1000000Z       at Object.<anonymous> (tax.test.js:12:5)\nbuild\tRun tests\t2026-11-20T09:24:01.0000000Z Tests:       1 failed, 90 passed, 91 total\nbuild\tRun tests\t2026-11-20T09:24:01.2000000Z ##[error]Process completed with exit code 1.\n${lines(30, (n) => `build\tPost Run actions/checkout\t2026-11-20T09:24:02.0000000Z Removed setting ${n}\n`)}`,
    },
    "cat g.txt",
    {
      verdict: ["1 failed, 90 passed, 91 total", "Process completed with exit code 1."],
      failure: ["adds the tax", "Received: 107"],
      place: ["tax.test.js:12:5"],
    },
  ],
  [
    "GitLab CI",
    {
      "g.txt": `Running with gitlab-runner 17.5.0 (1f2e3d4c)\n  on runner-1 abcdef, system ID: s_1\nPreparing the "docker" executor\nUsing Docker executor with image node:20 ...\n${lines(120, (n) => `Checking cache for package-${n}...\n`)}$ npm ci\nadded 412 packages in 9s\n$ npm test\n${lines(60, (n) => `  ✓ price ${n}\n`)}  1) adds the tax\n\n  60 passing (12ms)\n  1 failing\n\n  1) adds the tax:\n     AssertionError [ERR_ASSERTION]: 107 == 119\n      at Context.<anonymous> (test/tax.js:12:10)\n\nCleaning up project directory and file based variables\nERROR: Job failed: exit code 1\n`,
    },
    "cat g.txt; false",
    {
      verdict: ["ERROR: Job failed: exit code 1"],
      failure: ["adds the tax", "107 == 119"],
      place: ["test/tax.js:12"],
      total: ["1 failing"],
    },
  ],
  [
    "Jenkins",
    {
      "j.txt": `Started by user a\n[Pipeline] Start of Pipeline\n[Pipeline] node\nRunning on agent-1 in /srv/jenkins/workspace/shop\n[Pipeline] {\n[Pipeline] stage\n[Pipeline] { (Build)\n[Pipeline] sh\n+ make all\n${lines(120, (n) => `cc -c errors${n}.c\n`)}[Pipeline] }\n[Pipeline] stage\n[Pipeline] { (Deploy)\n[Pipeline] sh\n+ ./deploy.sh production\ndeploy.sh: the image shop/web:1.5 is not in the registry\n[Pipeline] }\n${lines(30, () => "[Pipeline] // stage\n[Pipeline] }\n")}[Pipeline] End of Pipeline\nERROR: script returned exit code 4\nFinished: FAILURE\n`,
    },
    "cat j.txt; false",
    { verdict: ["Finished: FAILURE"], failure: ["script returned exit code 4", "is not in the registry"] },
  ],
  [
    "pulumi up",
    {
      "p.txt": `Updating (dev)\n\n     Type                      Name            Status                  Info\n +   pulumi:pulumi:Stack       shop-dev        **creating failed**     1 error\n${lines(60, (n) => ` +   ├─ aws:ec2:Instance       web-${String(n).padEnd(11)} created (12s)\n`)} +   └─ aws:s3:Bucket          assets          **creating failed**     1 error\n\nDiagnostics:\n  pulumi:pulumi:Stack (shop-dev):\n    error: update failed\n\n  aws:s3:Bucket (assets):\n    error: sdk-v2/provider2.go:515: creating S3 Bucket (assets): BucketAlreadyExists: the requested bucket name is not available\n\n${lines(40, (n) => `  aws:ec2:Instance (web-${n}):\n    warning: property ${n} is deprecated\n\n`)}Resources:\n    + 60 created\n\nDuration: 1m12s\n\n`,
    },
    "cat p.txt; false",
    {
      verdict: ["error: update failed"],
      failure: ["BucketAlreadyExists", "aws:s3:Bucket (assets)"],
      total: ["+ 60 created"],
    },
  ],
  [
    "helm upgrade with debug",
    {
      "h.txt": `upgrade.go:150: [debug] preparing upgrade for shop\nupgrade.go:158: [debug] performing update for shop\n${lines(40, (n) => `client.go:310: [debug] Looks like there are no changes for Deployment "web-${n}"\n`)}${lines(60, (n) => `ready.go:303: [debug] Deployment is not ready: prod/web-7. ${n % 2} out of 2 expected pods are ready\n`)}upgrade.go:454: [debug] warning: Upgrade "shop" failed: context deadline exceeded\nError: UPGRADE FAILED: context deadline exceeded\nhelm.go:84: [debug] context deadline exceeded\nUPGRADE FAILED\nmain.newUpgradeCmd.func2\n\thelm.sh/helm/v3/cmd/helm/upgrade.go:235\n`,
    },
    "cat h.txt; false",
    { verdict: ["Error: UPGRADE FAILED: context deadline exceeded"], failure: ["Deployment is not ready: prod/web-7"] },
  ],
  [
    "aws cloudformation events",
    {
      "a.txt": `-----------------------------------------------------------------------------------------------\n|                                     DescribeStackEvents                                     |\n+----------------------+-------------------+--------------------------------------------------+\n${lines(90, (n) => `|  2026-11-20T${at(n)}Z|  ${(n === 51 ? "CREATE_FAILED" : "CREATE_COMPLETE").padEnd(17)}|  ${(n === 51 ? "Database: Cannot find version 5.6 for mysql" : `Instance${n}`).padEnd(48)}|\n`)}+----------------------+-------------------+--------------------------------------------------+\n`,
    },
    "cat a.txt",
    { verdict: ["CREATE_FAILED"], failure: ["Cannot find version 5.6 for mysql"] },
  ],
  [
    "kubectl rollout and logs",
    {
      "k.txt": `${lines(80, (n) => `Waiting for deployment "web" rollout to finish: ${Math.floor(n / 40)} out of 3 new replicas have been updated...\n`)}error: deployment "web" exceeded its progress deadline\n${lines(60, (n) => `{"time":"2026-11-20T${at(n)}Z","level":"info","msg":"handled request ${n}"}\n`)}{"time":"2026-11-20T09:22:00Z","level":"error","msg":"cannot read the secret db-password"}\n`,
    },
    "cat k.txt; false",
    {
      verdict: ['deployment "web" exceeded its progress deadline'],
      failure: ["cannot read the secret db-password"],
    },
  ],
  [
    "spark-submit",
    {
      "s.txt": `${lines(150, (n) => `26/11/20 ${at(n)} INFO TaskSetManager: Finished task ${n}.0 in stage 3.0 (TID ${n}) in 412 ms on 10.0.0.${n % 9} (executor ${n % 4}) (${n}/200)\n`)}26/11/20 09:23:00 WARN TaskSetManager: Lost task 151.0 in stage 3.0 (TID 151) (10.0.0.3 executor 3): java.lang.OutOfMemoryError: Java heap space\n26/11/20 09:23:01 ERROR TaskSetManager: Task 151 in stage 3.0 failed 4 times; aborting job\nException in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 151 in stage 3.0 failed 4 times\n\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:2844)\n${lines(40, (n) => `\tat org.apache.spark.rdd.RDD${n}.compute(RDD.scala:${n})\n`)}Caused by: java.lang.OutOfMemoryError: Java heap space\n\tat shop.Orders.load(Orders.scala:12)\n26/11/20 09:23:02 INFO ShutdownHookManager: Shutdown hook called\n`,
    },
    "cat s.txt; false",
    {
      verdict: ["Job aborted due to stage failure"],
      failure: ["OutOfMemoryError: Java heap space"],
      place: ["Orders.scala:12"],
    },
  ],
  [
    "conda install",
    {
      "c.txt": `Channels:\n - conda-forge\nPlatform: linux-64\nCollecting package metadata (repodata.json): done\nSolving environment: failed\n\nLibMambaUnsatisfiableError: Encountered problems while solving:\n  - package pkg-a-1.0 requires numpy >=2.0, but none of the providers can be installed\n\nCould not solve for environment specs\nThe following packages are incompatible\n${lines(60, (n) => `├─ pkg-${n} 1.${n}.* is installable with the potential options\n│  ├─ pkg-${n} 1.${n}.0 would require\n│  │  └─ python >=3.${(n % 5) + 8},<3.${(n % 5) + 9}.0a0, which can be installed;\n`)}└─ pkg-a is not installable because it requires\n   └─ numpy >=2.0, which conflicts with any installable versions previously reported.\n\n`,
    },
    "cat c.txt; false",
    {
      verdict: ["LibMambaUnsatisfiableError"],
      failure: ["package pkg-a-1.0 requires numpy >=2.0", "which conflicts with any installable versions"],
    },
  ],
  [
    "npm install with peers",
    {
      "n.txt": `npm error code ERESOLVE\nnpm error ERESOLVE could not resolve\nnpm error\nnpm error While resolving: react-old@1.2.3\nnpm error Found: react@19.0.0\nnpm error node_modules/react\n${lines(60, (n) => `npm error   peer react@"^18 || ^19" from lib-${n}@1.${n}.0\nnpm error   node_modules/lib-${n}\nnpm error     lib-${n}@"^1.0.0" from the root project\n`)}npm error\nnpm error Could not resolve dependency:\nnpm error peer react@"^17.0.0" from react-old@1.2.3\nnpm error node_modules/react-old\nnpm error   react-old@"^1.2.3" from the root project\nnpm error\nnpm error Fix the upstream dependency conflict, or retry\nnpm error this command with --force or --legacy-peer-deps\nnpm error A complete log of this run can be found in: /srv/.npm/_logs/debug-0.log\n`,
    },
    "cat n.txt; false",
    {
      verdict: ["npm error code ERESOLVE"],
      failure: ["While resolving: react-old@1.2.3", 'peer react@"^17.0.0" from react-old@1.2.3'],
    },
  ],
  [
    "npm outdated",
    {
      "o.txt": `Package      Current  Wanted  Latest  Location                  Depended by\n${lines(90, (n) => `${`lib-${n}`.padEnd(12)} ${n === 61 ? "MISSING" : `1.${n}.0`.padEnd(7)}  1.${n}.4  ${(n % 3) + 1}.0.0   node_modules/lib-${String(n).padEnd(9)} shop\n`)}`,
    },
    "cat o.txt; false",
    { verdict: ["MISSING"], place: ["Package", "Latest"], failure: ["lib-61"] },
  ],
  [
    "celery worker",
    {
      "c.txt": `${lines(120, (n) => `[2026-11-20 ${at(n)},123: INFO/MainProcess] Task shop.tasks.bill[${n}] received\n[2026-11-20 ${at(n)},223: INFO/ForkPoolWorker-1] Task shop.tasks.bill[${n}] succeeded in 0.1s: None\n`)}[2026-11-20 09:22:30,123: ERROR/ForkPoolWorker-1] Task shop.tasks.bill[121] raised unexpected: ValueError('order 7 has no items')\nTraceback (most recent call last):\n  File "/app/celery/app/trace.py", line 453, in trace_task\n    R = retval = fun(*args, **kwargs)\n  File "/app/shop/tasks.py", line 12, in bill\n    raise ValueError("order 7 has no items")\nValueError: order 7 has no items\n${lines(60, (n) => `[2026-11-20 ${at(n + 150)},123: INFO/MainProcess] Task shop.tasks.bill[${n + 130}] received\n`)}`,
    },
    "cat c.txt",
    {
      verdict: ["raised unexpected: ValueError('order 7 has no items')"],
      failure: ["ValueError: order 7 has no items"],
      place: ['/app/shop/tasks.py", line 12'],
    },
  ],
];
