import type { Filter, Json, MemoryEntry } from "@membus/protocol";
import { joinRecord, partKeys, type RecordKind, splitRecord } from "@membus/protocol/records";
import { type Check, memoryCheck } from "../../catalogue/check.js";
import type { MemoryContext } from "../../context.js";
import { type GoldenRecord, goldenId, goldenRecords } from "../../fixtures/golden-records.js";
import { readEntry } from "../../fixtures/read-entry.js";

const GOLDEN = goldenRecords();
const KINDS = [...new Set(GOLDEN.map(({ kind }) => kind))];
const COMPARED = ["key", "content", "metadata", "group", "text", "context"] as const;

function recordInput({ entry }: MemoryContext, golden: GoldenRecord) {
  return { ...entry(), ...golden.entry };
}

async function storeGolden(t: MemoryContext, golden: readonly GoldenRecord[] = GOLDEN): Promise<void> {
  const { errors } = await t.caller.store(golden.map((record) => recordInput(t, record)));
  t.expect.equal(errors, [], "errors of a store of records from chapter 7");
}

function named({ kind, name }: GoldenRecord): string {
  return `the record "${kind}: ${name}"`;
}

/** Returns the ids of the records of a kind that a retrieve finds. */
async function foundIds({ caller }: MemoryContext, kind: RecordKind, where?: Filter, group?: string) {
  const isOfKind: Filter = { field: "metadata.kind", op: "eq", value: kind };
  const all = where === undefined ? isOfKind : { all: [isOfKind, where] };
  const { entries } = await caller.retrieve({ where: all, group, limit: 100 });
  return entries.map(({ key }) => goldenId(key));
}

const formChecks: readonly Check[] = [
  memoryCheck({
    id: "records/come-back-as-stored",
    clauses: ["REC-6", "REC-1", "REC-2"],
    async run(t) {
      await storeGolden(t);
      for (const golden of GOLDEN) {
        const read = await readEntry(t.caller, golden.entry.key as never, ["context"]);
        for (const field of COMPARED) {
          t.expect.equal(read?.[field], golden.entry[field], `${field} of ${named(golden)}`);
        }
      }
    },
  }),
  memoryCheck({
    id: "records/survive-being-written-back",
    clauses: ["REC-4", "REC-6", "UPD-5"],
    async run(t) {
      await storeGolden(t);
      for (const golden of GOLDEN) {
        const { key } = golden.entry;
        const read = await readEntry(t.caller, key as never, ["context"]);
        t.expect.holds(read !== undefined, `${named(golden)}, read after it was stored`, read);
        const content = { ...(read?.content as object), x_written: [{ at: 0.5, by: [] }] } as Json;
        const metadata = { ...read?.metadata, x_written: [] as string[] };
        const { group, text, context } = read ?? {};
        await t.caller.store({ ...t.entry(), key: key as never, content, metadata, group, text, context });
        const again = await readEntry(t.caller, key as never, ["context"]);
        const what = `of ${named(golden)}, written back with an additional field`;
        const ofContent = { ...(golden.entry.content as object), x_written: [{ at: 0.5, by: [] }] };
        t.expect.equal(again?.content, ofContent, `content ${what}`);
        t.expect.equal(again?.metadata, { ...golden.entry.metadata, x_written: [] }, `metadata ${what}`);
        t.expect.equal(again?.group, golden.entry.group, `group ${what}`);
        t.expect.equal(again?.text, golden.entry.text, `text ${what}`);
        t.expect.equal(again?.seq, read?.seq, `seq ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "records/keep-the-order-of-arrival",
    clauses: ["REC-6", "ENTRY-15", "UPD-5"],
    async run(t) {
      const messages = GOLDEN.filter(({ kind }) => kind === "message");
      const inputs = messages.map((golden) => ({ ...recordInput(t, golden), occurred_at: null }));
      for (const input of inputs) await t.caller.store(input);
      const [first, second] = inputs;
      await t.caller.store({ ...first!, metadata: { ...first!.metadata, marks: ["changed"] } });
      await t.caller.store({ ...second!, content: { role: "user", content: "Edited" } });
      const { group } = messages[0]!.entry;
      const { entries } = await t.caller.retrieve({ group, limit: 100 });
      const bySeq = [...entries].sort((a, b) => a.seq - b.seq).map(({ key }) => goldenId(key));
      const expected = messages.map(({ entry }) => goldenId(entry.key));
      const what = "messages of a conversation after the first two were changed";
      t.expect.equal(bySeq, expected, `${what}, sorted by seq`);
    },
  }),
];

/** A metadata field, a filter on it, and the ids of the matching records. */
const BY_METADATA: readonly (readonly [RecordKind, string, Filter, readonly string[]])[] = (
  [
    ["message", "role", "eq", "tool", ["m-05"]],
    ["message", "role", "in", ["system", "developer"], ["m-01", "m-11"]],
    ["message", "name", "eq", "alice", ["m-02"]],
    ["message", "marks", "eq", "pinned", ["m-02"]],
    ["summary", "level", "gte", 2, ["s-2"]],
    ["fact", "about", "eq", "user:abc123", ["f-1", "f-2"]],
    ["fact", "trust", "eq", "web", ["f-3"]],
    ["fact", "category", "eq", "home", ["f-2"]],
    ["fact", "valid_from", "lt", 0, ["f-2"]],
    ["fact", "valid_until", "lte", 1_700_000_000.5, ["f-2"]],
    ["fact", "superseded_by", "exists", false, ["f-1", "f-3"]],
    ["fact", "confidence", "lt", 0.5, ["f-3"]],
    ["experience", "value", "gte", 0.75, ["e-1"]],
    ["experience", "outcome", "eq", "success", ["e-1"]],
    ["tool_call", "tool", "eq", "weather", ["t-1"]],
    ["tool_call", "success", "eq", false, ["t-2"]],
    ["guideline", "tool", "eq", "shell", ["shell"]],
    ["triple", "subject", "eq", "alice", ["acme"]],
    ["triple", "predicate", "starts_with", "instance", ["🦊"]],
    ["triple", "object", "eq", "🦊", ["🦊"]],
    ["triple", "trust", "ne", "user", ["🦊"]],
    ["block", "label", "eq", "human", ["human"]],
    ["target", "type", "eq", "personal", ["alice"]],
    ["target", "name", "contains", "merge", ["merge lists"]],
    ["offload", "tool", "eq", "shell", ["o-1"]],
    ["offload", "bytes", "gt", 0, ["o-1"]],
    ["file", "bytes", "lt", 1, ["..rc"]],
    ["file", "sha256", "starts_with", "bd5b", ["notes/2026/Zürich.md"]],
  ] as const
).map(([kind, name, op, value, ids]) => [
  kind,
  `${name} ${op} ${JSON.stringify(value)}`,
  { field: `metadata.${name}`, op, value } as Filter,
  ids,
]);

const findingChecks: readonly Check[] = [
  memoryCheck({
    id: "records/found-by-kind",
    clauses: ["REC-6", "REC-5"],
    async run(t) {
      await storeGolden(t);
      const others = [
        t.entry({ key: { dream: "d" }, metadata: { kind: "dream" } }),
        t.entry({ key: { message: "without a kind" } }),
      ];
      const { stored } = await t.caller.store(others);
      t.expect.equal(stored.length, 2, "stored entries, one with an unknown kind and one without a kind");
      for (const kind of KINDS) {
        const expected = GOLDEN.filter((golden) => golden.kind === kind).map(({ entry }) =>
          goldenId(entry.key),
        );
        t.expect.sameMembers(await foundIds(t, kind), expected, `records of the kind ${kind}`);
      }
      const ofOthers: Filter = { not: { field: "metadata.kind", op: "in", value: KINDS } };
      const { entries } = await t.caller.retrieve({ where: ofOthers });
      const ids = entries.map(({ key }) => goldenId(key));
      t.expect.sameMembers(ids, ["d", "without a kind"], "entries without a known kind");
    },
  }),
  memoryCheck({
    id: "records/found-by-group",
    clauses: ["REC-6"],
    async run(t) {
      await storeGolden(t);
      for (const group of new Set(GOLDEN.flatMap(({ entry }) => entry.group ?? []))) {
        for (const kind of KINDS) {
          const expected = GOLDEN.filter((golden) => golden.kind === kind && golden.entry.group === group);
          const ids = expected.map(({ entry }) => goldenId(entry.key));
          const found = await foundIds(t, kind, undefined, group);
          t.expect.sameMembers(found, ids, `records of the kind ${kind} in the group ${group}`);
        }
      }
    },
  }),
  memoryCheck({
    id: "records/found-by-metadata",
    clauses: ["REC-6", "REC-3"],
    async run(t) {
      await storeGolden(t);
      for (const [kind, asked, where, ids] of BY_METADATA) {
        t.expect.sameMembers(
          await foundIds(t, kind, where),
          ids,
          `records of the kind ${kind} with ${asked}`,
        );
      }
    },
  }),
];

const splitCheck = memoryCheck({
  id: "records/larger-than-an-entry",
  clauses: ["REC-11", "REC-12", "REC-13"],
  async run(t) {
    const { caller, expect } = t;
    const text = Array.from({ length: 16_000 }, (_, line) => `line ${line} "é" \\ 🦊`).join("\n");
    const content = { text, lines: [16_000, 1.2e18], empty: [] };
    const metadata = { kind: "offload", bytes: Buffer.byteLength(text) };
    const whole = t.entry({ key: { offload: "large" }, content, metadata, group: "c" });
    for (const entry of splitRecord(whole, { write: t.random.hex(16) })) {
      const { errors } = await caller.store(entry);
      expect.equal(errors, [], "errors of a store of a part, or of the head");
    }
    const head = await readEntry(caller, whole.key);
    const keys = head === undefined ? [] : partKeys(head);
    expect.equal(keys.length, 3, "parts that the head of a record of 420 KB names");
    const parts: MemoryEntry[] = [];
    for (const key of keys) parts.push(...(await caller.retrieve({ keys: [key as never] })).entries);
    const joined = head && joinRecord(head, parts);
    expect.holds(joined !== undefined, "the record, joined from its parts", parts.length, "whole");
    expect.equal(joined?.content, content, "content of the record, joined from its parts");
    expect.equal(joined?.metadata, metadata, "metadata of the record, joined from its parts");
    const noPart: Filter = { field: "metadata.kind", op: "ne", value: "part" };
    const { total } = await caller.retrieve({ where: noPart, limit: 0 });
    expect.equal(total, 1, "entries other than the parts");
  },
});

const cascadeCheck = memoryCheck({
  id: "records/parts-go-with-their-head",
  clauses: ["REC-15", "CASC-1"],
  features: ["sources", "cascade"],
  async run(t) {
    const { caller, expect } = t;
    const run = t.random.hex(16);
    const text = "line\n".repeat(50_000);
    const record = (offload: string) =>
      t.entry({
        key: { offload, run },
        content: { text },
        metadata: { kind: "offload", bytes: text.length },
      });
    const entries = ["goes", "stays"].flatMap((name) =>
      splitRecord(record(name), { sources: true, write: run }),
    );
    for (const entry of entries) await caller.store(entry);
    expect.equal((await caller.retrieve({ limit: 0 })).total, 6, "two heads, and two parts of each");
    const { receipt } = await caller.forget({ keys: [record("goes").key as never], cascade: true });
    expect.equal(receipt.cascaded, [2], "`cascaded` of a cascade of the head of two parts");
    const left: unknown[] = [];
    for (const { key } of entries) {
      const { total } = await caller.retrieve({ keys: [key as never], limit: 0 });
      left.push(total);
    }
    expect.equal(left, [0, 0, 0, 1, 1, 1], "entries left of two parts and their head, and of others");
  },
});

export const recordsChecks: readonly Check[] = [...formChecks, ...findingChecks, splitCheck, cascadeCheck];
