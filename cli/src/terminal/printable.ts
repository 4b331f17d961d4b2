/**
 * Characters that control a terminal or the direction of text, except tab and line feed. Contents of memories
 * and answers of models are written by others: they could clear the screen, set the clipboard or hide text.
 */
const CONTROLS = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Characters that JSON.stringify does not escape. */
const CONTROLS_IN_JSON = /\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text that is safe to print: control characters become `\uXXXX`. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(CONTROLS, escaped);
}

/** Returns the same JSON without characters that control a terminal. */
export function printableJson(json: string): string {
  return json.replaceAll(CONTROLS_IN_JSON, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
