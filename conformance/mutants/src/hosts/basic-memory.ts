import type { Mutant } from "../mutant.js";
import { basicMutant, reading, returning } from "./basic-mutant.js";
import { rewriteBytes, rewriteErrors, rewriteReplies, rewriteReplyHeaders } from "./intercept.js";
import { isFields, readingEntries, without } from "./rewrite-entries.js";

const memoryMutants: readonly Mutant[] = [
  basicMutant(
    {
      id: "basic-oldest-first",
      defect: "the entries of a page are in the order of arrival",
      check: "basic/newest-comes-first",
      names: /limit 5 of 30 entries/,
    },
    (bus) =>
      rewriteReplies(bus, (reply) =>
        Array.isArray(reply.entries) ? { ...reply, entries: reply.entries.toReversed() } : reply,
      ),
  ),
  basicMutant(
    {
      id: "basic-cut-page-is-empty",
      defect: "a page that exceeds a message is returned without entries",
      check: "basic/page-is-cut-to-payload",
      names: /ids on a page of \d+ entries of 200 kB/,
    },
    (bus) =>
      rewriteReplies(bus, (reply, { asked }) => {
        const isCut =
          Array.isArray(reply.entries) &&
          reply.entries.length < Math.min(Number(reply.total), Number(asked?.limit));
        return isCut ? { ...reply, entries: [] } : reply;
      }),
  ),
  basicMutant(
    {
      id: "basic-keys-or-tags",
      defect: "tags are ignored if keys are given",
      check: "basic/criteria-are-anded",
      names: /ids of entries with one of two keys and one of two tags/,
    },
    reading("retrieve", (fields) => (fields.keys ? without(fields, "tags") : fields)),
  ),
  basicMutant(
    {
      id: "basic-forgets-by-keys-alone",
      defect: "a forget with keys ignores its tags",
      check: "basic/criteria-are-anded",
      names: /deleted by a forget with the same criteria/,
    },
    reading("forget", (fields) => (fields.keys ? without(fields, "tags") : fields)),
  ),
  basicMutant(
    {
      id: "basic-no-tags-are-no-criterion",
      defect: "a forget with an empty list of tags forgets everything",
      check: "basic/empty-criteria-are-refused",
      names: /the reply to a forget with \{"tags":\[\]/,
    },
    reading("forget", (fields) =>
      Array.isArray(fields.tags) && fields.tags.length === 0 ? without(fields, "tags") : fields,
    ),
  ),
  basicMutant(
    {
      id: "basic-forgets-everything-unasked",
      defect: "a forget without criteria needs no `all`",
      check: "basic/empty-criteria-are-refused",
      names: /the reply to a forget with \{\}, without `all`/,
    },
    reading("forget", (fields) => ({ all: true, ...fields })),
  ),
  basicMutant(
    {
      id: "basic-own-tier-needs-all",
      defect: "a forget with only a private tier is refused",
      check: "basic/own-tiers-are-cleared-by-name",
      names: /schema_violation/,
    },
    reading("forget", (fields) =>
      fields.keys || fields.tags || fields.all ? fields : without(fields, "tier"),
    ),
  ),
  basicMutant(
    {
      id: "basic-score-is-always-1",
      defect: "every entry has a score of 1",
      check: "basic/score-is-the-importance",
      names: /id, score and importance/,
    },
    returning((entry) => ({ ...entry, score: 1 })),
  ),
  basicMutant(
    {
      id: "basic-ttl-in-hours",
      defect: "`ttl` is treated as hours",
      check: "basic/ended-entries-are-gone",
      names: /when of 5 entries the last two have ended/,
    },
    readingEntries((entry) => (typeof entry.ttl === "number" ? { ...entry, ttl: entry.ttl * 3_600 } : entry)),
  ),
  basicMutant(
    {
      id: "basic-first-word-alone",
      defect: "only the first word of a query is searched",
      check: "basic/words-find-and-rank",
      names: /for a query of three words|ids for the query: all that have a word of it/,
    },
    reading("retrieve", (fields) =>
      typeof fields.query === "string" ? { ...fields, query: fields.query.split(" ")[0] } : fields,
    ),
  ),
  basicMutant(
    {
      id: "basic-query-is-of-the-working-tier",
      defect: "a query without tier searches only the working tier",
      check: "basic/a-query-without-tier-searches-all",
      names: /tiers of a query in all of them/,
    },
    reading("retrieve", (fields) => (fields.query ? { ...fields, tier: fields.tier ?? "working" } : fields)),
  ),
];

const valueMutants: readonly Mutant[] = [
  basicMutant(
    {
      id: "basic-null-is-lost",
      defect: "a content of null is returned as an empty text",
      check: "basic/values-come-back",
      names: /content of an entry stored with null/,
    },
    returning((entry) => ({ ...entry, content: entry.content ?? "" })),
  ),
  basicMutant(
    {
      id: "basic-proto-is-a-name",
      defect: "a field called `__proto__` is accepted under another name",
      check: "basic/values-of-no-json-are-refused",
      names: /with a field __proto__/,
    },
    (bus) => rewriteBytes(bus, (text) => text.replaceAll('"__proto__"', '"proto"')),
  ),
  basicMutant(
    {
      id: "basic-rounds-integers",
      defect: "an integer beyond 2^53 is rounded",
      check: "basic/values-of-no-json-are-refused",
      names: /with an integer of 2\^53/,
    },
    (bus) => rewriteBytes(bus, (text) => text.replaceAll("9007199254740992", "9007199254740991")),
  ),
  basicMutant(
    {
      id: "basic-errors-without-path",
      defect: "an error does not name the invalid field",
      check: "basic/errors-have-their-form",
      names: /detail\.path of the error/,
    },
    (bus) =>
      rewriteErrors(bus, (error) => ({
        ...error,
        detail: isFields(error.detail) ? without(error.detail, "path") : {},
      })),
  ),
  basicMutant(
    {
      id: "basic-errors-without-headers",
      defect: "an error has no header for NATS's own tools",
      check: "basic/errors-have-their-form",
      names: /header Nats-Service-Error-Code/,
    },
    (bus) =>
      rewriteReplyHeaders(
        bus,
        (headers) => without(headers, "Nats-Service-Error-Code") as Record<string, string>,
      ),
  ),
  basicMutant(
    {
      id: "basic-tags-are-cut",
      defect: "tags beyond the limit are left out of a request",
      check: "basic/limits-of-requests",
      names: /one over the limit tags/,
    },
    reading("retrieve", (fields) =>
      Array.isArray(fields.tags) ? { ...fields, tags: fields.tags.slice(0, 256) } : fields,
    ),
  ),
  basicMutant(
    {
      id: "basic-source-is-cut",
      defect: "a source is cut to its limit",
      check: "basic/limits-of-entries",
      names: /one over the limit stringLength/,
    },
    readingEntries((entry) =>
      typeof entry.source === "string" ? { ...entry, source: entry.source.slice(0, 4_096) } : entry,
    ),
  ),
  basicMutant(
    {
      id: "basic-limit-is-cut",
      defect: "a limit above the maximum is reduced to the maximum",
      check: "basic/numbers-in-range",
      names: /a retrieve with limit 1001/,
    },
    reading("retrieve", (fields) =>
      typeof fields.limit === "number" ? { ...fields, limit: Math.min(fields.limit, 1_000) } : fields,
    ),
  ),
  basicMutant(
    {
      id: "basic-levels-are-flattened",
      defect: "levels beyond the maximum are dropped",
      check: "basic/levels-are-bounded",
      names: /65 levels below the message/,
    },
    (bus) => rewriteBytes(bus, (text) => text.replace(/\[{63}1\]{63}/, "[1]")),
  ),
];

/** Mutants of memory, values and limits. */
export const basicMemoryMutants: readonly Mutant[] = [...memoryMutants, ...valueMutants];
