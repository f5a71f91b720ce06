// Markdown to HTML, as on GitHub: tables, anchors of headings, highlighted code.

import GithubSlugger from "github-slugger";
import hljs from "highlight.js";
import MarkdownIt from "markdown-it";

const md = new MarkdownIt({ html: true, highlight: (code, language) => highlighted(code, language) });

/** Code as HTML, highlighted if the language is known. */
export function highlighted(code, language) {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : md.utils.escapeHtml(code);
}

export const escape = (text) => md.utils.escapeHtml(text);

/** The HTML of inline Markdown, such as a name with code in it. */
export const inline = (text) => md.renderInline(text);

/** The tokens of a page, its headings with anchors, and the text of each section. */
export function read(text) {
  const tokens = md.parse(text, {});
  const slugger = new GithubSlugger();
  const sections = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const { content, children } = tokens[at + 1];
      const plain = children.map((child) => child.content).join("");
      token.attrSet("id", slugger.slug(plain));
      sections.push({ level: Number(token.tag[1]), id: token.attrGet("id"), name: plain, source: content, words: [] });
    } else if (token.type === "inline" && tokens[at - 1].type !== "heading_open") {
      sections
        .at(-1)
        ?.words.push(token.children.map(({ type, content }) => (type === "softbreak" ? " " : content)).join(""));
    } else if (token.type === "fence") {
      sections.at(-1)?.words.push(token.content);
    }
  }
  return { tokens, sections };
}

/** The HTML of a page: `link` resolves its links, and `below` returns the HTML to insert below a heading. */
export function render({ tokens }, { link, below }) {
  const env = {};
  const shown = tokens.flatMap((token, at) => {
    for (const child of token.children ?? []) {
      if (child.type === "link_open") child.attrSet("href", link(child.attrGet("href")));
    }
    if (token.type === "th_open" && tokens[at + 1].content === "") [token.tag, tokens[at + 2].tag] = ["td", "td"];
    if (token.type === "table_open") return [html('<div class="table scrolls">'), token];
    if (token.type === "table_close") return [token, html("</div>")];
    if (token.type === "heading_close")
      return [anchorBefore(token, tokens[at - 2]), token, html(below(tokens[at - 1].content))];
    return [token];
  });
  return md.renderer.render(shown, md.options, env);
}

/** A link to the heading itself. */
function anchorBefore({ tag }, open) {
  return html(
    tag === "h1" ? "" : ` <a class="anchor" href="#${open.attrGet("id")}" aria-label="A link to this section">#</a>`,
  );
}

const Token = md.parse("x", {})[0].constructor;

function html(content) {
  return Object.assign(new Token("html_block", "", 0), { content });
}

/** Short code does not wrap. */
md.renderer.rules.code_inline = (tokens, at) => {
  const { content } = tokens[at];
  return `<code${content.length <= 20 ? ' class="name"' : ""}>${escape(content)}</code>`;
};

md.renderer.rules.fence = (tokens, at, options) => {
  const { info, content } = tokens[at];
  const language = info.trim().split(/\W/)[0];
  return `<pre class="scrolls"><code>${options.highlight(content, language)}</code></pre>\n`;
};
