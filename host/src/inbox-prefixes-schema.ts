import { option } from "@membus/protocol";

/**
 * Regular expression for one token of an inbox prefix: no white space, wildcard or brace, and at most one
 * placeholder.
 */
const TOKEN = String.raw`[^\s.*>{}]*(?:\{(?:tenant|agent)\}[^\s.*>{}]*)?`;
const INBOX = new RegExp(`^(?![{$])(?:(?!\\.|$)${TOKEN})(?:\\.(?!\\.|$)${TOKEN})*$`);

/**
 * A list of inbox prefixes. Two placeholders in one token are refused, because `a_b` with `c` would give the
 * same inbox as `a` with `b_c`.
 */
export const InboxPrefixesSchema = option.list(
  option.value<string>(
    (value) => typeof value === "string" && INBOX.test(value),
    "must be an inbox prefix such as _INBOX_{agent}: tokens without wildcards, at most one {tenant} or " +
      "{agent} in each, not starting with `{` or `$`",
  ),
  1,
);
