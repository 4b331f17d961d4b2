import type { Message } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import {
  accepted,
  answer,
  entryAccepted,
  entryRefused,
  listOf,
  type Operation,
  recordOf,
  refused,
  request,
  storedEntries,
  understood,
} from "../../fixtures/bare-messages.js";
import { expectDetail, letters, record } from "../../fixtures/limits-detail.js";

const ENTRY_BYTES = 262_144;

/** Returns an entry of exactly `bytes` bytes as JSON. */
function entryOf(t: HostContext, bytes: number): Message {
  const entry = { ...t.entry(), content: "" };
  return { ...entry, content: letters(bytes - JSON.stringify(entry).length) };
}

const sizeChecks: readonly Check[] = [
  hostTierCheck({
    id: "limits/entry-of-256-kib",
    clauses: ["LIMIT-1", "LIMIT-3"],
    async run(t) {
      const limit = { name: "entryBytes", max: ENTRY_BYTES, of: "its bytes as JSON" };
      const largest = request(t, "store", { entries: [entryOf(t, ENTRY_BYTES)] });
      await entryAccepted(t, `an entry of exactly ${ENTRY_BYTES} bytes as JSON`, largest);
      const over = `an entry of ${ENTRY_BYTES + 1} bytes as JSON`;
      const larger = request(t, "store", { entries: [entryOf(t, ENTRY_BYTES + 1), t.entry()] });
      expectDetail(t, await entryRefused(t, over, larger, "too_large"), limit, ENTRY_BYTES + 1, over);
      t.expect.equal(
        (await storedEntries(t)).length,
        2,
        "entries after a store of one too large and one beside it",
      );
    },
  }),
  hostTierCheck({
    id: "limits/entry-size-is-that-of-its-json",
    clauses: ["LIMIT-1"],
    async run(t) {
      // A control character takes one byte in MessagePack and six in JSON.
      const entries = [
        t.entry({ content: "\u0001".repeat(44_000) }),
        t.entry({ content: "\u0001".repeat(40_000) }),
      ];
      const sent = request(t, "store", { entries });
      const what = "a store in MessagePack of entries of 264 kB and 240 kB as JSON";
      const { errors } = await accepted(t, what, "store", sent, { encoding: "msgpack" });
      const got = listOf(errors).map(({ index, code }) => ({ index, code }));
      t.expect.equal(got, [{ index: 0, code: "too_large" }], `errors of ${what}`);
    },
  }),
  hostTierCheck({
    id: "limits/store-of-1000-entries",
    clauses: ["STORE-1", "LIMIT-2", "LIMIT-3"],
    async run(t) {
      const limit = { name: "storeEntries", max: 1_000, of: "entries" };
      const sent = (count: number) =>
        request(t, "store", { entries: Array.from({ length: count }, () => t.entry()) });
      const over = "a store of 1001 entries";
      expectDetail(t, await refused(t, over, "store", sent(1_001), "too_large"), limit, 1_001, over);
      t.expect.equal(await storedEntries(t), [], "entries after a store of 1001");
      const { errors, receipts } = await accepted(t, "a store of 1000 entries", "store", sent(1_000));
      t.expect.equal(errors, [], "errors of a store of 1000 entries");
      t.expect.equal(listOf(receipts).length, 1_000, "receipts of a store of 1000 entries");
    },
  }),
  hostCheck({
    id: "limits/cursor-length",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      const sent = (size: number) => request(t, "retrieve", { tier: t.tier, cursor: letters(size) });
      await refused(
        t,
        "a retrieve with an invalid cursor of 4096 characters",
        "retrieve",
        sent(4_096),
        "schema_violation",
      );
      const over = "a retrieve with a cursor of 4097 characters";
      const limit = { name: "cursorLength", max: 4_096, of: "cursor" };
      expectDetail(t, await refused(t, over, "retrieve", sent(4_097), "too_large"), limit, 4_097, over);
    },
  }),
  hostCheck({
    id: "limits/embedding-dimensions",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      const limit = { name: "embeddingDimensions", max: 4_096, of: "components" };
      for (const list of [true, false]) {
        const vector = list ? new Array<number>(4_097).fill(0) : new Float32Array(4_097);
        const entry = t.entry({ embedding: vector as never, embedding_model: t.embedder?.id ?? "none" });
        const sent = request(t, "store", { entries: [entry] });
        const what = `an entry with a vector of 4097 components as ${list ? "a list" : "binary"}`;
        const options = { encoding: list ? "json" : "msgpack" } as const;
        const { message } = await answer(t, `a store of ${what}`, "store", sent, options);
        const [error] = listOf(message.errors);
        t.expect.equal(error?.code, "too_large", `code of the error of ${what}`);
        expectDetail(t, { detail: recordOf(error?.detail) }, limit, 4_097, what);
      }
    },
  }),
];

function emptyLists(count: number): unknown[] {
  return Array.from({ length: count }, () => []);
}

function nestedCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((count: number, part) => count + nestedCount(part), 1);
}

const shapeChecks: readonly Check[] = [
  hostCheck({
    id: "limits/depth-of-64",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      // The message is level 0, its list of entries 1, the entry 2, the content 3.
      const lists = (levels: number): unknown => (levels === 0 ? 1 : [lists(levels - 1)]);
      const limit = { name: "depth", max: 64, of: "levels" };
      for (const encoding of ["json", "msgpack"] as const) {
        const sent = (levels: number) =>
          request(t, "store", { entries: [t.entry({ content: lists(levels - 2) as never })] });
        const { errors } = await accepted(t, `a store of 64 levels in ${encoding}`, "store", sent(64), {
          encoding,
        });
        t.expect.equal(errors, [], `errors of a store of 64 levels below the message in ${encoding}`);
        const over = `a store of 65 levels below the message in ${encoding}`;
        const error = await refused(t, over, "store", sent(65), "too_large", { encoding });
        expectDetail(t, error, limit, 65, over);
      }
      t.expect.equal(
        (await storedEntries(t)).length,
        2,
        "entries after two stores of 64 levels and two of 65",
      );
    },
  }),
  hostCheck({
    id: "limits/object-of-1024-fields",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      const limit = { name: "objectFields", max: 1_024, of: "fields" };
      const sent = (count: number) =>
        request(t, "store", { entries: [t.entry({ content: [record(count)] as never })] });
      await entryAccepted(t, "an object of 1024 fields in content", sent(1_024));
      const over = "a store with an object of 1025 fields in content";
      expectDetail(t, await refused(t, over, "store", sent(1_025), "too_large"), limit, 1_025, over);
      t.expect.equal((await storedEntries(t)).length, 1, "entries after objects of 1024 and 1025 fields");
    },
  }),
  hostCheck({
    id: "limits/nested-values-of-100000",
    clauses: ["LIMIT-2", "LIMIT-3"],
    async run(t) {
      const limit = { name: "nestedValues", max: 100_000, of: "objects and lists" };
      const sent = (count: number) => {
        // Two entries, because one cannot contain all these lists.
        const storeOf = (contents: readonly unknown[]) =>
          request(t, "store", { entries: contents.map((content) => t.entry({ content: content as never })) });
        const rest = count - nestedCount(storeOf([[], []]));
        return storeOf([emptyLists(60_000), emptyLists(rest - 60_000)]);
      };
      for (const encoding of ["json", "msgpack"] as const) {
        const at = `a store of 100000 objects and lists in ${encoding}`;
        const { errors } = await accepted(t, at, "store", sent(100_000), { encoding });
        t.expect.equal(errors, [], `errors of ${at}`);
        const over = `a store of 100001 objects and lists in ${encoding}`;
        const error = await refused(t, over, "store", sent(100_001), "too_large", { encoding });
        expectDetail(t, error, limit, 100_001, over);
      }
      t.expect.equal(
        (await storedEntries(t)).length,
        4,
        "entries after two stores of 2 at the limit and two over it",
      );
    },
  }),
  hostCheck({
    id: "limits/namespace-of-8-segments-of-64",
    clauses: ["LIMIT-2", "NS-1"],
    async run(t) {
      const own = t.caller.namespace;
      const below = (count: number, length: number) => `${own}${`/${letters(length)}`.repeat(count)}`;
      const left = 8 - own.split("/").length;
      const sent = (namespace: string) => request(t, "store", { namespace, entries: [t.entry()] });
      await entryAccepted(t, "a namespace of 8 segments", sent(below(left, 64)));
      for (const [what, namespace] of [
        ["a namespace of 9 segments", below(left + 1, 1)],
        ["a namespace with a segment of 65 characters", below(1, 65)],
      ] as const) {
        const { detail } = await refused(
          t,
          `a store to ${what}`,
          "store",
          sent(namespace),
          "schema_violation",
        );
        t.expect.equal(detail.path, "namespace", `detail.path of the error to a store to ${what}`);
      }
    },
  }),
];

const ASTRAL: readonly (readonly [of: string, Operation, fields: (text: string) => Message, max: number])[] =
  [
    ["id", "ping", (id) => ({ id }), 128],
    ["session_id", "ping", (session_id) => ({ session_id }), 128],
    ["query", "retrieve", (query) => ({ query }), 8_192],
    ["one tag", "retrieve", (tag) => ({ tags: [tag] }), 256],
    ["a value of where", "retrieve", (value) => ({ where: { field: "tags", op: "eq", value } }), 4_096],
  ];

const unitCheck = hostCheck({
  id: "limits/lengths-are-in-utf-16-code-units",
  clauses: ["LIMIT-5"],
  async run(t) {
    for (const [of, operation, fields, max] of ASTRAL) {
      for (const [character, name] of [
        ["é", "of two bytes in UTF-8"],
        ["🦊", "of two code units in UTF-16"],
      ] as const) {
        const text = character.repeat(max / character.length);
        const at = `a ${operation} with ${of} of ${text.length} code units, in characters ${name}`;
        await understood(t, at, operation, request(t, operation, fields(text)));
        const over = `a ${operation} with ${of} of ${text.length + 1} code units, in characters ${name}`;
        await refused(t, over, operation, request(t, operation, fields(`${text}x`)), "too_large");
      }
    }
  },
});

export const limitsOfSizesChecks: readonly Check[] = [...sizeChecks, ...shapeChecks, unitCheck];
