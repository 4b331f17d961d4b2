/** One token of an inbox prefix: no white space, wildcard or brace, and one placeholder at most. */
const TOKEN = String.raw`[^\s.*>{}]*(?:\{(?:tenant|agent)\}[^\s.*>{}]*)?`;
const INBOX = new RegExp(`^(?![{$])(?:(?!\\.|$)${TOKEN})(?:\\.(?!\\.|$)${TOKEN})*$`);

/**
 * A list of what inboxes begin with. Two placeholders in one token would be the same inbox for `a_b` and `c` as for
 * `a` and `b_c`.
 */
export function inboxPrefixesOption(value: unknown, name: string): void {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length > 0 && list.every((inbox) => typeof inbox === "string" && INBOX.test(inbox))) return;
  throw new TypeError(
    `${name} must be a list of one or more inbox prefixes, such as _INBOX_{agent}: tokens without wildcards, ` +
      "at most one {tenant} or {agent} in each, and neither `{` nor `$` at the begin",
  );
}
