/**
 * Regular expression for one token of an inbox prefix: no white space, wildcard or brace, and at most one
 * placeholder.
 */
const TOKEN = String.raw`[^\s.*>{}]*(?:\{(?:tenant|agent)\}[^\s.*>{}]*)?`;
const INBOX = new RegExp(`^(?![{$])(?:(?!\\.|$)${TOKEN})(?:\\.(?!\\.|$)${TOKEN})*$`);

/**
 * Checks a list of inbox prefixes. Two placeholders in one token are refused, because `a_b` with `c` would
 * give the same inbox as `a` with `b_c`.
 */
export function inboxPrefixesOption(value: unknown, name: string): void {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length > 0 && list.every((inbox) => typeof inbox === "string" && INBOX.test(inbox))) return;
  throw new TypeError(
    `${name} must be a list of one or more inbox prefixes, such as _INBOX_{agent}: tokens without wildcards, ` +
      "at most one {tenant} or {agent} in each, not starting with `{` or `$`",
  );
}
