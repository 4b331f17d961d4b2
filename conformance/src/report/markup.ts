const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes text for HTML or XML, between tags and in quotes. Characters that XML 1.0 does not allow become
 * U+FFFD.
 */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_IN_XML, "\ufffd")
    .replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes prose and turns `names` in backquotes into code elements. */
export function markupOf(prose: string): string {
  return escapeMarkup(prose).replace(/`([^`]+)`/g, "<code>$1</code>");
}
