// The editor of what a tool returned: CodeMirror, with JSON coloured.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ink)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--p1)",
  },
});

/** Longer texts are pasted past the editor, which would take seconds to show them. */
export const PASTED = 200_000;

export interface EditorHandlers {
  onText(text: string): void;
  /** A text that replaces the one that is shown, past the editor. */
  onPasted(text: string): void;
}

export class Editor {
  readonly #view: EditorView;
  readonly #readOnly = new Compartment();
  readonly #language = new Compartment();
  #isSetting = false;

  constructor(parent: HTMLElement, { onText, onPasted }: EditorHandlers) {
    this.#view = new EditorView({
      parent,
      extensions: [
        history(),
        drawSelection({ cursorBlinkRate: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 1200 }),
        placeholder("Paste what a tool returned: JSON, a text, or a whole result"),
        // Tab leaves the editor, so that the keyboard reaches what follows.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "What the tool returned", spellcheck: "false", tabindex: "0" }),
        syntaxHighlighting(COLOURS),
        THEME,
        this.#readOnly.of([]),
        this.#language.of([]),
        EditorView.domEventHandlers({
          paste: (event, { state }) => {
            const text = event.clipboardData?.getData("text/plain") ?? "";
            // What is only the beginning of a text is replaced: nobody means to add to it.
            if (text.length <= PASTED && !state.readOnly) return false;
            event.preventDefault();
            onPasted(text);
            return true;
          },
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !this.#isSetting) onText(state.doc.toString());
        }),
      ],
    });
  }

  /** Shows another text; a part of one cannot be changed. */
  show(text: string, isWhole: boolean): void {
    const isJson = /^\s*(?:\{\s*["}]|\[\s*[[{"\d\]-])/u.test(text);
    const effects = [
      this.#readOnly.reconfigure(isWhole ? [] : EditorState.readOnly.of(true)),
      this.#language.reconfigure(isJson ? json() : []),
    ];
    const isSame = text === this.#view.state.doc.toString();
    this.#isSetting = true;
    this.#view.dispatch(
      isSame
        ? { effects }
        : { changes: { from: 0, to: this.#view.state.doc.length, insert: text }, selection: { anchor: 0 }, effects },
    );
    this.#isSetting = false;
    if (!isSame) this.#view.scrollDOM.scrollTop = 0;
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}
