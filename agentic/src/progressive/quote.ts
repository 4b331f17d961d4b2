/**
 * Formats data for a prompt, one line of JSON each, between tags that the data cannot close, because `<` and
 * line breaks are escaped.
 */
export function quoted(mark: string, items: readonly unknown[]): string {
  const lines = items.map((item) => JSON.stringify(item).replaceAll("<", "\\u003c"));
  return [`<${mark}>`, ...lines, `</${mark}>`].join("\n");
}

/** Puts a name or description on one line, without characters that could form a tag. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").replaceAll("<", "‹");
}
