import type { Message } from "@membus/protocol";
import type { Mutant } from "../mutant.js";
import { basicMutant, returning } from "./basic-mutant.js";
import { refuseRequests, rewriteBytes, rewriteReplies } from "./intercept.js";
import { entriesOf, isFields, readingEntries } from "./rewrite-entries.js";

const ENTRY_BYTES = 262_144;

/** Returns the entry at the index of a receipt or error of a store. */
function entryAt(asked: Message | undefined, { index }: Message): Readonly<Record<string, unknown>> {
  const entry = Array.isArray(asked?.entries) ? entriesOf(asked)[Number(index)] : undefined;
  return isFields(entry) ? entry : {};
}

/** Mutants of sizes, times and answers at their limits. */
export const basicEdgeMutants: readonly Mutant[] = [
  basicMutant(
    {
      id: "basic-entry-size-in-characters",
      defect: "the size of an entry is counted in characters",
      check: "basic/entry-size-is-in-bytes",
      names: /an entry of 262145 bytes, of letters of two bytes/,
    },
    readingEntries((entry) => {
      const text = JSON.stringify(entry);
      const isLargeInBytes = Buffer.byteLength(text) > ENTRY_BYTES && text.length <= ENTRY_BYTES;
      return isLargeInBytes ? { ...entry, content: "cut" } : entry;
    }),
  ),
  basicMutant(
    {
      id: "basic-entry-size-with-escapes",
      defect: "the size of an entry is measured with every other letter than ASCII escaped",
      check: "basic/entry-size-is-in-bytes",
      names: /an entry of 262144 bytes, of letters of two bytes/,
    },
    readingEntries((entry) => {
      const text = JSON.stringify(entry);
      const escaped = text.length + 5 * text.replace(/[ -~]/g, "").length;
      return escaped > ENTRY_BYTES ? { ...entry, content: "x".repeat(ENTRY_BYTES) } : entry;
    }),
  ),
  basicMutant(
    {
      id: "basic-ttl-rounded-up",
      defect: "a `ttl` is rounded up to whole seconds",
      check: "basic/fractions-of-a-ttl-count",
      names: /whether an entry with ttl 0\.25 is found/,
    },
    readingEntries((entry) =>
      typeof entry.ttl === "number" ? { ...entry, ttl: Math.ceil(entry.ttl) } : entry,
    ),
  ),
  basicMutant(
    {
      id: "basic-ttl-told-in-seconds",
      defect: "the returned `ttl` has no fraction",
      check: "basic/fractions-of-a-ttl-count",
      names: /ttl of an entry stored with ttl 2\.75|ttl of an entry stored with ttl 900\.125/,
    },
    returning((entry) => (typeof entry.ttl === "number" ? { ...entry, ttl: Math.floor(entry.ttl) } : entry)),
  ),
  basicMutant(
    {
      id: "basic-ends-in-whole-seconds",
      defect: "`expires_at` is rounded to whole seconds",
      check: "basic/fractions-of-a-ttl-count",
      names: /expires_at minus updated/,
    },
    returning((entry) =>
      typeof entry.expires_at === "number" ? { ...entry, expires_at: Math.round(entry.expires_at) } : entry,
    ),
  ),
  basicMutant(
    {
      id: "basic-unchanged-by-content-alone",
      defect: "a store that changes only the source is acknowledged as `unchanged`",
      check: "basic/unchanged-only-where-nothing-changed",
      names: /outcome of a store of .*"source":"another"/,
    },
    (bus) =>
      rewriteReplies(bus, (reply, { asked }) => {
        if (!Array.isArray(reply.receipts)) return reply;
        const receipts = reply.receipts.map((receipt: Message) =>
          entryAt(asked, receipt).source !== undefined && receipt.outcome === "updated"
            ? { ...receipt, outcome: "unchanged" }
            : receipt,
        );
        return { ...reply, receipts };
      }),
  ),
  basicMutant(
    {
      id: "basic-features-before-the-form",
      defect: "a feature that is not offered is refused before the version and the fields are checked",
      check: "basic/first-problem-is-answered",
      names: /\(step \d\) and an unknown feature/,
    },
    (bus) => refuseRequests(bus, (fields) => (fields?.requires !== undefined ? "unsupported" : undefined)),
  ),
  basicMutant(
    {
      id: "basic-entries-by-their-names-first",
      defect: "an entry with a field of another profile is `unsupported`, whatever else is wrong with it",
      check: "basic/first-problem-is-answered",
      names: /an entry without content and with metadata/,
    },
    (bus) =>
      rewriteReplies(bus, (reply, { asked }) => {
        if (!Array.isArray(reply.errors)) return reply;
        const errors = reply.errors.map((error: Message) =>
          entryAt(asked, error).metadata !== undefined
            ? { ...error, code: "unsupported", detail: {} }
            : error,
        );
        return { ...reply, errors };
      }),
  ),
  basicMutant(
    {
      id: "basic-surrogates-mended-in-sources",
      defect: "a lone surrogate in the source of an entry is replaced by a question mark",
      check: "basic/lone-surrogates-refused-in-every-text",
      names: /as the source of an entry/,
    },
    (bus) => rewriteBytes(bus, (text) => text.replace(/("source":")\\ud83e"/, '$1?"')),
  ),
];
