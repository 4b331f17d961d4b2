import type { Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import {
  entryAccepted,
  entryRefused,
  type Operation,
  refused,
  request,
  storedEntries,
  understood,
} from "../../fixtures/bare-messages.js";
import { expectDetail, type Limit, letters, names, record } from "../../fixtures/limits-detail.js";
import { limitsOfNumbersChecks } from "./limits-numbers.js";
import { limitsOfSizesChecks } from "./limits-sizes.js";
import { limitsOfTimesChecks } from "./limits-times.js";

interface RequestLimit extends Limit {
  readonly operation: Operation;
  /** Returns request fields with a value of the given size. */
  fields(size: number): Message;
}

interface EntryLimit extends Limit {
  /** Returns entry fields with a value of the given size. */
  entry(size: number): Message;
}

const leaf = { field: "tags", op: "eq", value: "a" };

function nested(levels: number): unknown {
  return levels === 1 ? leaf : { not: nested(levels - 1) };
}

const REQUEST_STRINGS: readonly RequestLimit[] = [
  {
    name: "queryLength",
    max: 8_192,
    of: "query",
    operation: "retrieve",
    fields: (size) => ({ query: letters(size) }),
  },
  {
    name: "stringLength",
    max: 4_096,
    of: "group",
    operation: "retrieve",
    fields: (size) => ({ group: letters(size) }),
  },
  {
    name: "tagLength",
    max: 256,
    of: "one tag",
    operation: "retrieve",
    fields: (size) => ({ tags: [letters(size)] }),
  },
  {
    name: "tagLength",
    max: 256,
    of: "one tag",
    operation: "forget",
    fields: (size) => ({ tags: [letters(size)] }),
  },
  {
    name: "idLength",
    max: 128,
    of: "session_id",
    operation: "retrieve",
    fields: (size) => ({ session_id: letters(size) }),
  },
  {
    name: "idLength",
    max: 128,
    of: "session_id",
    operation: "ping",
    fields: (size) => ({ session_id: letters(size) }),
  },
  {
    name: "stringLength",
    max: 4_096,
    of: "a value of where",
    operation: "retrieve",
    fields: (size) => ({ where: { field: "tags", op: "eq", value: letters(size) } }),
  },
  ...(["retrieve", "forget"] as const).map((operation) => ({
    name: "keyBytes",
    max: 4_096,
    of: "the bytes of match",
    operation,
    fields: (size: number) => ({ match: { a: letters(size - 8) } }),
  })),
];

const REQUEST_COUNTS: readonly RequestLimit[] = [
  {
    name: "criteriaKeys",
    max: 1_000,
    of: "keys",
    operation: "retrieve",
    fields: (size) => ({ keys: names(size) }),
  },
  {
    name: "criteriaKeys",
    max: 1_000,
    of: "keys",
    operation: "forget",
    fields: (size) => ({ keys: names(size) }),
  },
  { name: "tags", max: 256, of: "tags", operation: "retrieve", fields: (size) => ({ tags: names(size) }) },
  { name: "tags", max: 256, of: "tags", operation: "forget", fields: (size) => ({ tags: names(size) }) },
  {
    name: "metadataFields",
    max: 256,
    of: "match",
    operation: "retrieve",
    fields: (size) => ({ match: record(size) }),
  },
  {
    name: "listElements",
    max: 1_024,
    of: "the value of an in",
    operation: "retrieve",
    fields: (size) => ({ where: { field: "tags", op: "in", value: names(size) } }),
  },
];

const WHERE_TREES: readonly RequestLimit[] = [
  {
    name: "whereNodes",
    max: 64,
    of: "the nodes of where",
    operation: "retrieve",
    fields: (size) => ({ where: { any: Array.from({ length: size - 1 }, () => leaf) } }),
  },
  {
    name: "whereNodes",
    max: 64,
    of: "the nodes of where",
    operation: "forget",
    fields: (size) => ({ where: { all: Array.from({ length: size - 1 }, () => leaf) } }),
  },
  {
    name: "whereDepth",
    max: 8,
    of: "the levels of where",
    operation: "retrieve",
    fields: (size) => ({ where: nested(size) }),
  },
];

const ENTRY_STRINGS: readonly EntryLimit[] = [
  { name: "tagLength", max: 256, of: "one tag", entry: (size) => ({ tags: ["a", letters(size)] }) },
  { name: "stringLength", max: 4_096, of: "source", entry: (size) => ({ source: letters(size) }) },
  { name: "stringLength", max: 4_096, of: "group", entry: (size) => ({ group: letters(size) }) },
  {
    name: "stringLength",
    max: 4_096,
    of: "a text in metadata",
    entry: (size) => ({ metadata: { a: letters(size) } }),
  },
];

const ENTRY_COUNTS: readonly EntryLimit[] = [
  { name: "tags", max: 256, of: "tags", entry: (size) => ({ tags: names(size) }) },
  { name: "metadataFields", max: 256, of: "metadata", entry: (size) => ({ metadata: record(size) }) },
  {
    name: "listElements",
    max: 1_024,
    of: "a list in metadata",
    entry: (size) => ({ metadata: { a: names(size) } }),
  },
];

/** Keys of the given size as canonical JSON, `{"a":"..."}` or `{"name":"..."}`. */
const KEYS: readonly EntryLimit[] = [
  {
    name: "keyBytes",
    max: 4_096,
    of: "the bytes of a key",
    entry: (size) => ({ key: { a: letters(size - 8) } }),
  },
  { name: "keyBytes", max: 4_096, of: "the bytes of a key", entry: (size) => ({ key: letters(size - 11) }) },
  {
    name: "keyBytes",
    max: 4_096,
    of: "the bytes of a key in UTF-8",
    entry: (size) => ({ key: { a: "é".repeat((size - 8) / 2) + letters((size - 8) % 2) } }),
  },
];

function requestCheck(
  id: string,
  clauses: readonly [string, ...string[]],
  limits: readonly RequestLimit[],
): Check {
  return hostCheck({
    id,
    clauses,
    async run(t) {
      const tier = (operation: Operation) =>
        operation === "ping" || operation === "store" ? {} : { tier: t.tier };
      const entries = (operation: Operation) => (operation === "store" ? { entries: [t.entry()] } : {});
      for (const limit of limits) {
        const { operation, of, max } = limit;
        const sent = (size: number) =>
          request(t, operation, { ...tier(operation), ...entries(operation), ...limit.fields(size) });
        const at = `a ${operation} with ${of} at its limit of ${max}`;
        await understood(t, at, operation, sent(max));
        const over = `a ${operation} with ${of} of ${max + 1}, one over its limit`;
        expectDetail(t, await refused(t, over, operation, sent(max + 1), "too_large"), limit, max + 1, over);
      }
    },
  });
}

function entryCheck(id: string, limits: readonly EntryLimit[]): Check {
  return hostTierCheck({
    id,
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      for (const limit of limits) {
        const { of, max } = limit;
        const sent = (size: number) =>
          request(t, "store", { entries: [{ ...t.entry(), ...limit.entry(size) }] });
        await entryAccepted(t, `an entry with ${of} at its limit of ${max}`, sent(max));
        const over = `an entry with ${of} of ${max + 1}, one over its limit`;
        expectDetail(t, await entryRefused(t, over, sent(max + 1), "too_large"), limit, max + 1, over);
      }
      t.expect.equal(
        (await storedEntries(t)).length,
        limits.length,
        "entries after one at each limit and one over it",
      );
    },
  });
}

export const limitsChecks: readonly Check[] = [
  requestCheck("limits/strings-of-requests", ["LIMIT-2", "LIMIT-3"], REQUEST_STRINGS),
  requestCheck("limits/counts-in-requests", ["LIMIT-2", "LIMIT-3"], REQUEST_COUNTS),
  requestCheck("limits/where-trees", ["CRIT-6", "LIMIT-2", "LIMIT-3"], WHERE_TREES),
  entryCheck("limits/strings-of-entries", ENTRY_STRINGS),
  entryCheck("limits/counts-in-entries", ENTRY_COUNTS),
  entryCheck("limits/bytes-of-keys", KEYS),
  ...limitsOfSizesChecks,
  ...limitsOfNumbersChecks,
  ...limitsOfTimesChecks,
];
