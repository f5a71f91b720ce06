// A text that may quote a server, with escapes in place of what a terminal would follow or hide.

/** The text in one line. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
