// The code to copy: the policy of the form in each language, and for the relay.

import type { PolicyOptions } from "../protocol.js";

export interface Snippet {
  readonly name: string;
  /** What to run once before. */
  readonly install: string;
  readonly files: readonly { readonly title: string; readonly code: string }[];
}

export function snippets(policy: PolicyOptions): Snippet[] {
  const isEmpty = Object.keys(policy).length === 0;
  const typescript = isEmpty ? "shapeServer(server);" : `shapeServer(server, ${spelled(policy, TYPESCRIPT)});`;
  const python = isEmpty
    ? "mcp.add_middleware(ShapingMiddleware())"
    : `mcp.add_middleware(ShapingMiddleware(${spelled(policy, PYTHON)}))`;
  const sdk = isEmpty ? "shape_server(server)" : `shape_server(server, ${spelled(policy, PYTHON)})`;
  const relay = "npx -y toolshape-cli -- npx -y your-mcp-server\nuvx toolshape -- uvx your-mcp-server";
  return [
    {
      name: "TypeScript",
      install: "npm install toolshape",
      files: [
        {
          title: "your server, one line more",
          code: `import { shapeServer } from "toolshape/mcp"; // fastmcp: "toolshape/fastmcp"\n\n${typescript}`,
        },
      ],
    },
    {
      name: "Python",
      install: 'pip install "toolshape[fastmcp]"',
      files: [
        { title: "your server with fastmcp", code: `from toolshape.fastmcp import ShapingMiddleware\n\n${python}` },
        {
          title: 'or with the official SDK: pip install "toolshape[mcp]"',
          code: `from toolshape.mcp import shape_server\n\n${sdk}`,
        },
      ],
    },
    {
      name: "Any server",
      install: "",
      files: [
        { title: "in place of the server's command", code: relay },
        ...(isEmpty
          ? []
          : [{ title: "toolshape.json, in the working directory", code: JSON.stringify(policy, null, 2) }]),
      ],
    },
  ];
}

interface Language {
  key(name: string): string;
  literal(value: unknown): string;
}

const NAME = /^[A-Za-z_$][\w$]*$/u;
const TYPESCRIPT: Language = {
  key: (name) => (NAME.test(name) ? name : JSON.stringify(name)),
  literal: (value) => JSON.stringify(value),
};
const PYTHON: Language = {
  key: (name) => JSON.stringify(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  literal: (value) => (value === true ? "True" : value === false ? "False" : JSON.stringify(value)),
};

const WIDE = 60;

/** A value as a literal: on one line if it is short. */
function spelled(value: unknown, language: Language, indent = ""): string {
  const inside = `${indent}  `;
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return language.literal(value);
  const entries = Object.entries(value).map(
    ([key, part]) => `${isList ? "" : `${language.key(key)}: `}${spelled(part, language, inside)}`,
  );
  const [open, close, gap] = isList ? ["[", "]", ""] : ["{", "}", language === TYPESCRIPT ? " " : ""];
  const line = `${open}${gap}${entries.join(", ")}${gap}${close}`;
  return line.length <= WIDE && !line.includes("\n")
    ? line
    : `${open}\n${entries.map((entry) => `${inside}${entry},\n`).join("")}${indent}${close}`;
}
