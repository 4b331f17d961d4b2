import type { MemoryClient } from "@membus/agent-client";
import { describe, expect, it } from "vitest";
import { type Summary, summaryEntry } from "../src/conversation/index.js";
import { openConversation, renameUser } from "../src/index.js";
import { cursorEntry } from "../src/learner/cursor.js";
import { isPositioned, messageNamespace, withPositions } from "../src/memory/positioned-record.js";
import type { Places } from "../src/positions.js";
import { openMemory } from "./memory-fixture.js";

const later: Places = {
  position: (seq) => seq + 100,
  range: ({ from, to }) => ({ from: from + 100, to: to + 100 }),
};

const SUMMARY: Summary = {
  text: "They chose a hotel",
  keyFacts: [],
  openThreads: [],
  covers: { from: 2, to: 5 },
  level: 1,
  userRequests: "",
  images: [{ message: "m1", index: 1 }],
  sources: [],
};

describe("records with positions", () => {
  it("moves the range of a summary in its key, content and metadata", () => {
    const entry = summaryEntry("trip", SUMMARY) as Parameters<typeof withPositions>[0];
    const moved = withPositions(entry, later);
    expect(moved.key).toEqual({ conversation: "trip", summary: "105" });
    expect(moved.content).toMatchObject({ covers: { from: 102, to: 105 }, images: [{ index: 1 }] });
    expect(moved.metadata).toEqual({ kind: "summary", level: 1, from: 102, to: 105 });
  });

  it("moves each position of a learner's cursor, and keeps its times and counts", () => {
    const entry = cursorEntry({
      ...{ conversation: "trip", state: "held", due: 50, attempts: 1, revision: 3, faults: 1 },
      ...{ learned: 4, seen: 9, since: 10, last: 20, batchTo: 6, suspectTo: 8, countMax: 2, holder: "h" },
      setAside: [{ message: "m1", seq: 3, code: "refused", reason: "no", at: 30 }],
    }) as Parameters<typeof withPositions>[0];
    expect(withPositions(entry, later).content).toEqual({
      ...{ learned: 104, seen: 109, since: 10, last: 20, batchTo: 106, suspectTo: 108, countMax: 2 },
      ...{ holder: "h", faults: 1 },
      setAside: [{ message: "m1", seq: 103, code: "refused", reason: "no", at: 30 }],
    });
    expect(messageNamespace({ namespace: "learner", metadata: entry.metadata! })).toBe("conversations");
  });

  it("resets the frontier of a learner, so that its search finds all messages", () => {
    const frontier = {
      key: { learner: "frontier" },
      content: { seq: 7, created: 70 },
      metadata: { kind: "learner_frontier" },
    };
    expect(isPositioned(frontier)).toBe(true);
    expect(withPositions(frontier, later).content).toEqual({ seq: 0, created: 0 });
  });

  it("leaves other records as they are", () => {
    const fact = { key: { fact: "f" }, content: { text: "x" }, metadata: { kind: "fact", from: 1, to: 2 } };
    expect(isPositioned(fact)).toBe(false);
    expect(withPositions(fact, later)).toBe(fact);
  });
});

it("moves the range of a summary with its user, so that it is forgotten with one of its messages", async () => {
  const { memory: client } = await openMemory();
  const before = await openConversation(client, { id: "user:ada/trip" });
  await before.add(["m1", "m2", "m3"].map((id) => ({ id, message: { role: "user", content: id } })));
  const [first, second] = await before.get();
  await before.setSummary({ text: "m1 and m2", covers: { from: first!.seq, to: second!.seq } });
  await renameUser(client, "ada", "ann");
  const after = await openConversation(client, { id: "user:ann/trip" });
  const [moved, last] = await after.get();
  expect((await after.summary())?.covers).toEqual({ from: moved!.seq, to: last!.seq });
  const { entries } = await client.retrieve({
    namespace: "conversations",
    where: { field: "metadata.kind", op: "eq", value: "summary" },
  });
  expect(entries.map(({ key }) => key.summary)).toEqual([String(last!.seq)]);
  await after.remove({ ids: ["m2"] });
  expect(await after.summary()).toBeUndefined();
});

it("keeps the positions of a user's records when a rename continues after some messages were forgotten", async () => {
  const { memory: client } = await openMemory();
  const before = await openConversation(client, { id: "user:ada" });
  await before.add(["m1", "m2", "m3"].map((id) => ({ id, message: { role: "user", content: id } })));
  const [first, second] = await before.get();
  await before.setSummary({ text: "m1 and m2", covers: { from: first!.seq, to: second!.seq } });
  const cursor = cursorEntry({
    ...{ conversation: "user:ada", state: "open", due: 50, attempts: 0, revision: 0, faults: 0 },
    ...{ learned: second!.seq, seen: second!.seq, since: 10, last: 20, setAside: [] },
  });
  await client.inNamespace("learner").store({ ...cursor, tier: "episodic" });
  await expect(renameUser(withStoppingForget(client), "ada", "ann")).rejects.toThrow("the host stopped");
  await renameUser(client, "ada", "ann");
  const after = await openConversation(client, { id: "user:ann" });
  const [one, two] = await after.get();
  const key = { learner: "cursor", conversation: "user:ann" };
  const { entries } = await client.retrieve({ namespace: "learner", keys: [key] });
  expect(entries[0]?.content).toMatchObject({ learned: two!.seq, seen: two!.seq });
  expect((await after.summary())?.covers).toEqual({ from: one!.seq, to: two!.seq });
  const summaries = { field: "metadata.kind", op: "eq" as const, value: "summary" };
  expect((await client.retrieve({ namespace: "conversations", where: summaries })).entries).toHaveLength(1);
});

/** Returns a client that forgets only the messages of a user, then fails. */
function withStoppingForget(client: MemoryClient): MemoryClient {
  const forget = async () => {
    const where = { field: "metadata.kind", op: "eq" as const, value: "message" };
    await client.forget({ namespace: "conversations", tier: "episodic", group: "user:ada", where });
    throw new Error("the host stopped");
  };
  const stopping = (memory: object): unknown =>
    new Proxy(memory, {
      get(target, name) {
        if (name === "forget") return forget;
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        const bound = own.bind(target);
        return name === "inNamespace" ? (namespace: string) => stopping(bound(namespace)) : bound;
      },
    });
  return stopping(client) as MemoryClient;
}
