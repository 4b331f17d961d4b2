/**
 * Data in a prompt, a line of JSON each, between marks that nothing in it can close: `<` is escaped, as JSON allows, and so
 * are line breaks.
 */
export function quoted(mark: string, items: readonly unknown[]): string {
  const lines = items.map((item) => JSON.stringify(item).replaceAll("<", "\\u003c"));
  return [`<${mark}>`, ...lines, `</${mark}>`].join("\n");
}

/** A name or description of others on one line of a list, without anything that could pass for a mark. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").replaceAll("<", "‹");
}
