//! Statements that take more than they may, and the rows that they are about: for the tests and the benchmark.

/// The table `m`.
pub fn rows() -> String {
    let row = |at: usize| format!("{{\"k\":\"k{}\",\"n\":{at},\"d\":{{\"a\":[1,2,{{\"b\":{at}}}]}}}}", at % 100);
    format!("[{}]", (0..2000).map(row).collect::<Vec<_>>().join(","))
}

/// The table `deep`: lists in lists, and a long one.
pub fn document() -> String {
    let long: Vec<String> = (0..50_000).map(|number: usize| number.to_string()).collect();
    format!("{{\"deep\":{}{},\"long\":[{}]}}", "[".repeat(900), "]".repeat(900), long.join(","))
}

/// Each is stopped, by whichever limit.
pub const ENDLESS: [&str; 55] = [
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r",
    "WITH RECURSIVE r(n,s) AS (SELECT 1,'x' UNION ALL SELECT n+1,s||s FROM r) SELECT length(s) FROM r",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n+1 FROM r) SELECT max(n) FROM r",
    "SELECT count(*) FROM m a, m b, m c, m d, m e, m f, m g",
    "SELECT a.n, b.n, c.n FROM m a, m b, m c ORDER BY a.n + b.n + c.n",
    "SELECT length(printf('%1000001d',1))",
    "SELECT length(printf('%.*c',25000000,'x'))",
    "SELECT length(group_concat(a.k||printf('%100000d',1))) FROM m a, m b",
    "SELECT length(replace(printf('%*s',100000,' '),' ',printf('%*s',1000,'x')))",
    "SELECT length(json_group_array(printf('%*s',10000,'x'))) FROM m",
    "SELECT count(*) FROM m a, m b WHERE replace(printf('%*s',20000,' '),' ','a')||a.n LIKE '%a%a%a%a%a%a%a%a%a%_b'",
    "SELECT count(*) FROM m a, m b WHERE replace(printf('%*s',2000,' '),' ','a')||a.n||b.n LIKE '%a%a%a%b'",
    "SELECT count(*) FROM m a, m b WHERE replace(printf('%*s',3000,' '),' ','a')||a.n||b.n GLOB '*a*a*a*a*b'",
    "SELECT count(*) FROM m a, m b WHERE instr(replace(printf('%*s',200000,' '),' ','a')||a.k, replace(printf('%*s',100000,' '),' ','a')||'b')",
    "SELECT count(*) FROM m a, m b WHERE trim(replace(printf('%*s',200000,' '),' ','a')||a.k, printf('%*s',20000,'xa'))='b'",
    "SELECT count(*) FROM m a, m b WHERE replace(printf('%*s',100000,' '),' ','a')||a.k REGEXP '(a*)*b'",
    "SELECT k REGEXP '((a{1,100}){1,100}){1,100}' FROM m",
    "SELECT sum(length(x)) FROM (SELECT printf('%*s',100000,'x')||a.n x FROM m a, m b, m c ORDER BY 1)",
    "SELECT count(DISTINCT printf('%*s%d',100000,' ',a.n)) FROM m a",
    "SELECT median(a.n * b.n) FROM m a, m b, m c",
    "SELECT max(length(a.k || b.k)) FROM m a LEFT JOIN m b ON a.n < b.n LEFT JOIN m c ON c.n > b.n",
    "SELECT sum(n) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), (SELECT count(*) FROM m x, m y WHERE x.n < y.n + m.n) FROM m",
    "SELECT regexp_replace(printf('%*s',100000,' '), ' ', printf('%*s',1000,'x'))",
    "SELECT count(*) FROM m a, m b WHERE json_valid(printf('%*s',500000,'[1]')||b.n)",
    "WITH t AS MATERIALIZED (SELECT json_group_array(n) v FROM m, (SELECT 1 FROM m LIMIT 50)) SELECT count(*) FROM m a, m b, t WHERE json_array_length(t.v) = a.n + b.n",
    "WITH t AS MATERIALIZED (SELECT json_group_array(n) v FROM m, (SELECT 1 FROM m LIMIT 50)) SELECT count(*) FROM m a, m b, t WHERE t.v->>(a.n+90000) = b.n",
    "WITH t AS MATERIALIZED (SELECT json_group_array(n) v FROM m, (SELECT 1 FROM m LIMIT 50)) SELECT count(*) FROM m a, m b, t WHERE json_extract(t.v, '$[#-' || (a.n + 1) || ']') = b.n",
    "SELECT count(*) FROM m a, m b WHERE json_type(json_array(a.d, b.d, a.d, b.d), '$[3].a[2].b') = 'x'",
    "SELECT count(*) FROM m a, json_each((SELECT json_group_array(n) FROM m)) j, m b",
    "SELECT count(*) FROM m a, json_tree((SELECT json_group_array(d) FROM m)) j, m b WHERE j.fullkey = b.k",
    "SELECT count(*) FROM deep a, json_tree(doc) x, json_tree(doc) y WHERE x.path < y.path",
    "SELECT count(*) FROM m a, m b, deep WHERE deep.doc -> 'long' ->> a.n = b.n",
    "SELECT max(x) FROM (SELECT json_group_object(a.k, b.d) x FROM m a, m b)",
    "WITH t AS MATERIALIZED (SELECT printf('%*s',900000,'a') v) SELECT count(*) FROM m a, m b, t WHERE length(t.v) = a.n + b.n",
    "WITH t AS MATERIALIZED (SELECT printf('%*s',900000,'a') v) SELECT count(*) FROM m a, m b, t WHERE substr(t.v, 800000 + a.n, 1) = b.k",
    "WITH t AS MATERIALIZED (SELECT printf('%*s',900000,'a') v) SELECT count(*) FROM m a, m b, t WHERE upper(t.v) = a.k || b.k",
    "WITH t AS MATERIALIZED (SELECT printf('%*s',900000,'a') v) SELECT count(*) FROM m a, m b, t WHERE replace(t.v, ' ', '') = a.k || b.k",
    "WITH t AS MATERIALIZED (SELECT printf('%*s',400000,'a') v) SELECT count(*) FROM m a, m b, t WHERE hex(t.v) = a.k || quote(t.v) || b.k",
    "SELECT count(*) FROM m a, m b WHERE cast(printf('%*s',90000,'a') || b.n AS blob) > a.k",
    "SELECT count(*) FROM m a, m b WHERE printf('%.900000f', a.n + b.n) = b.k",
    "SELECT count(*) FROM m a, m b WHERE format('%,d%*d', a.n, 900000, b.n) = b.k",
    "SELECT count(*) FROM m a, m b WHERE strftime(printf('%*s',100000,'%Y') || b.n, a.n) = b.k",
    "SELECT count(*) FROM m a, m b WHERE concat_ws(a.k, printf('%*s',90000,'a'), b.k, printf('%*s',90000,'a')) = b.k",
    "SELECT count(*) FROM m a, m b WHERE char(a.n, b.n, 1114111) LIKE '%' || printf('%*s', 9000, '%') || '_'",
    "SELECT count(*) FROM m a, m b WHERE a.k REGEXP '(a|b|k){1,400}' || b.n",
    "SELECT group_concat(k) OVER (ORDER BY a ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM (SELECT a.k, a.n a FROM m a, m b)",
    "SELECT avg(CASE a.n%2 WHEN 0 THEN 1e300 ELSE 1e-300 END) OVER (ORDER BY a.n ROWS 10 PRECEDING) FROM m a, m b",
    "SELECT percentile(a.n,50), percentile(b.n,51), percentile(a.n,52), percentile(b.n,53), percentile(a.n,54), percentile(b.n,55) FROM m a, m b",
    "SELECT count(*) FROM m WHERE n IN (SELECT a.n*b.n FROM m a, m b)",
    "SELECT DISTINCT a.n*2000+b.n FROM m a, m b",
    "SELECT date('2024-01-01', '+' || a.n || ' days', '+' || b.n || ' months', 'weekday 1') FROM m a, m b ORDER BY 1",
    "SELECT count(*) FROM m a, m b WHERE replace(hex(a.k||b.k||a.n||b.n), '3', 'ab') REGEXP '(a|b|6)*a([ab6-9]{200}|b{30})x'",
    "SELECT count(*) FROM m a, m b WHERE capture(a.k||','||b.k||','||a.n, '(([a-z0-9]{1,60})*,?){1,60}x') = 'x'",
    "SELECT count(*) FROM m a, m b WHERE regexp_replace(printf('%*s',3000,' ')||a.n||b.n, '(?m)^( {1,9}){1,90}x|$', '') = 'x'",
];
