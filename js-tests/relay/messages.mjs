/** Generated lines of a conversation, in spellings that no writer chooses: none of them is one that the relay touches. */
import fc from "fast-check";

/** Spaces that JSON has between its tokens and that end no line. */
const gap = fc.constantFrom("", "", "", " ", "\t", "\r", " \t ");

const number = fc.oneof(
  fc.constantFrom(
    "-0",
    "0.0",
    "-0.0e-0",
    "1E+2",
    "1e400",
    "1.000",
    "123456789012345678901234567890",
    "9007199254740993",
    "0.1000000000000000055511151231257827",
    "5e-324",
  ),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.constantFrom("", ".0", ".50", "e0", "E+07", "e-3"))
    .map(([whole, rest]) => `${whole}${rest}`),
);

const string = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\\u0041",
        "\\/",
        "/",
        "\\ud800",
        "\\uDFFF",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\n",
        '\\"',
        "\\\\",
        "é",
        "漢",
        "😀",
        "\u2028",
        "\ufeff",
        "\u007f",
      ),
      fc.constantFrom(..."abcxyz {}[]:,01"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => `"${parts.join("")}"`);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    number,
    string,
    fc.constantFrom("true", "false", "null"),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .array(fc.tuple(gap, tie("value"), gap), { maxLength: 4 })
    .map((items) => `[${items.flat().length ? items.map((item) => item.join("")).join(",") : " "}]`),
  /** Keys may be repeated. */
  object: fc
    .array(
      member(
        fc.oneof(fc.constantFrom('"a"', '"\\u0061"', '"id"', '"method"', '"result"', '"__proto__"', '""'), string),
        tie("value"),
      ),
      { maxLength: 4 },
    )
    .map(braced),
}));

function member(key, of) {
  return fc
    .tuple(gap, key, gap, gap, of, gap)
    .map(([before, name, after, then, is, last]) => `${before}${name}${after}:${then}${is}${last}`);
}

function braced(members) {
  return `{${members.join(",")}}`;
}

/** An object with these members, in any order, with members that nobody knows. */
function message(...members) {
  const unknown = fc.array(member(fc.constantFrom('"x"', '"x-trace"', '"_meta"'), value), { maxLength: 2 });
  return fc
    .tuple(gap, unknown, ...members.map(([name, of]) => member(fc.constant(`"${name}"`), of)))
    .chain(([before, more, ...known]) =>
      fc
        .shuffledSubarray([...known, ...more], { minLength: known.length + more.length })
        .map((all) => before + braced(all)),
    );
}

/** Ids that are one for some readers and two for others, and the same on both sides. */
const id = fc.oneof(
  fc.constantFrom(
    "0",
    '"0"',
    "0.0",
    "-0",
    "1e2",
    "100",
    '"100"',
    "1",
    '"1"',
    "null",
    '"\\u0030"',
    "123456789012345678901234567890",
    "-7",
    "0.5",
  ),
  string,
);
const version = ["jsonrpc", fc.constantFrom('"2.0"', '"\\u0032.0"')];

/** Requests and notifications of either side; no method whose messages the relay touches. */
const method = fc
  .oneof(
    fc.constantFrom(
      "initialize",
      "ping",
      "server/discover",
      "prompts/list",
      "prompts/get",
      "resources/list",
      "resources/subscribe",
      "completion/complete",
      "logging/setLevel",
      "sampling/createMessage",
      "elicitation/create",
      "roots/list",
      "tasks/list",
      "tasks/cancel",
      "subscriptions/listen",
      "x/unknown",
      "",
      "tools\\/of_mine",
      "TOOLS/LIST",
      "tools/list ",
    ),
    fc.constantFrom(
      "notifications/initialized",
      "notifications/progress",
      "notifications/cancelled",
      "notifications/message",
      "notifications/tools/list_changed",
      "notifications/roots/list_changed",
      "notifications/unknown",
    ),
  )
  .map((name) => `"${name}"`);

/** A request says which era it is of. */
const modern = fc.constant(
  '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}},"n":1.0}',
);
const params = fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: modern });

const request = message(version, ["id", id], ["method", method], ["params", params]);
const notification = message(version, ["method", method], ["params", params]);
const answer = message(version, ["id", id], ["result", value]);
const refusal = message(version, ["id", id], ["error", value]);
const single = fc.oneof(request, notification, answer, refusal);
const batch = fc.array(single, { maxLength: 3 }).map((all) => `[${all.join(" , ")}]`);
const json = fc.oneof(
  { weight: 12, arbitrary: single },
  { weight: 1, arbitrary: batch },
  { weight: 1, arbitrary: value },
);

const noise = fc
  .oneof(
    fc.constantFrom(
      "",
      " ",
      "Server listening on stdio",
      "{",
      "}",
      '{"jsonrpc":"2.0",}',
      "{'a':1}",
      "01",
      "\ufeff{}",
      '{"a":1} {"b":2}',
      "Content-Length: 12",
      '"\\x"',
      "undefined",
      "\u001b[32mready\u001b[0m",
    ),
    fc
      .string({ unit: "grapheme", maxLength: 20 })
      .map((text) => text.replaceAll("\n", " "))
      .filter((text) => !isJson(text)),
  )
  .map((text) => Buffer.from(text));
const binary = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((bytes) => Buffer.concat([Buffer.from([0xff]), Buffer.from(bytes.map((byte) => (byte === 10 ? 11 : byte)))]));

const end = fc.constantFrom("\n", "\n", "\n", "\r\n").map((text) => Buffer.from(text));
const line = (content) => fc.tuple(content, end).map((parts) => Buffer.concat(parts));

const messageLine = line(json.map((text) => Buffer.from(text)));
const noiseLine = line(fc.oneof({ weight: 4, arbitrary: noise }, { weight: 1, arbitrary: binary }));

/** Lines in pieces of this many bytes. */
const piece = fc.constantFrom(1, 3, 4096, 1 << 20);
/** The lines that one side writes: messages, and between them what is none. */
const lines = fc.array(fc.oneof({ weight: 9, arbitrary: messageLine }, { weight: 1, arbitrary: noiseLine }), {
  maxLength: 60,
});

/** A server answers what it was asked: other answers are dropped. */
const serverLines = lines.map((all) => all.filter((one) => !hasAnswer(one.toString())));

export const conversation = fc.record({ client: lines, server: serverLines, clientPiece: piece, serverPiece: piece });

/** Whether a line has an answer. */
function hasAnswer(text) {
  if (!isJson(text)) return false;
  const isAnswer = (one) =>
    typeof one?.method !== "string" && (one?.id ?? null) !== null && ("result" in one || "error" in one);
  return [parsed(text)].flat().some((one) => typeof one === "object" && isAnswer(one));
}

/** A line of a server as standard error shows it. */
export function printed(line) {
  const hidden =
    /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
  const text = line.toString().replace(/\r?\n$/, "");
  const escaped = (char) => (char === "\t" ? char : `\\u{${char.codePointAt(0).toString(16)}}`);
  return Buffer.from(`${text.replace(hidden, escaped)}\n`);
}

/** What JSON says, by another's reader; a byte order mark before it may be ignored (RFC 8259, section 8.1). */
const parsed = (text) => JSON.parse(text.replace(/^\ufeff/, ""));

/** Whether a line is JSON. */
export function isJson(text) {
  try {
    parsed(text);
    return true;
  } catch {
    return false;
  }
}
