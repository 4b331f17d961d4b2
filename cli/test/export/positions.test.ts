import { type Conversation, openConversation } from "@membus/agentic";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readExportedFile } from "../../src/import/read-markdown-export.js";
import type { OpenedMemory } from "../../src/index.js";
import { ExportFixture, exportTo, importFrom } from "./export-fixture.js";

let fixture: ExportFixture;
let target: OpenedMemory;
let copied: Conversation;
let path: string;

const say = (id: string) => ({ id, message: { role: "user" as const, content: id } });

/** Stores the records of a learner that learned all but the last message, and set one aside. */
async function storeCursor({ client }: OpenedMemory, seqs: readonly number[]): Promise<void> {
  await client.inNamespace("learner").store([
    {
      key: { learner: "cursor", conversation: "trip" },
      content: {
        ...{ learned: seqs[2]!, seen: seqs[3]!, batchTo: seqs[3]!, since: 1, last: 2, faults: 0 },
        setAside: [{ message: "m1", seq: seqs[0]!, code: "refused", reason: "no", at: 1 }],
      },
      metadata: { kind: "learner_cursor", state: "open", due: 0, attempts: 0, set_aside: 1 },
      ...{ text: "cursor", group: "trip", tier: "episodic" as const },
    },
    {
      key: { learner: "frontier" },
      content: { seq: seqs[3]!, created: 1 },
      metadata: { kind: "learner_frontier" },
      ...{ text: "frontier", tier: "episodic" as const },
    },
  ]);
}

const cursorOf = async ({ client }: OpenedMemory) =>
  (
    await client.retrieve({
      ...{ namespace: "learner", tier: "episodic" },
      keys: [{ learner: "cursor", conversation: "trip" }],
    })
  ).entries[0]?.content;

beforeAll(async () => {
  fixture = await ExportFixture.create();
  path = fixture.path("all.jsonl");
  const source = await fixture.host("source");
  target = await fixture.host("target");
  const before = await openConversation(source.client, { id: "before" });
  await before.add(["a", "b", "c"].map(say));
  const trip = await openConversation(source.client, { id: "trip" });
  await trip.add(["m1", "m2", "gone", "m4", "m5"].map(say));
  const seqs = (await trip.get()).map(({ seq }) => seq);
  await trip.remove({ ids: ["gone"] });
  await before.clear();
  await trip.setSummary({ text: "about m1 and m2", covers: { from: seqs[0]!, to: seqs[2]! } });
  await storeCursor(source, [seqs[0]!, seqs[1]!, seqs[3]!, seqs[4]!]);
  await exportTo(source.client, path);
  expect(await importFrom(target.client, path)).toMatchObject({ items: 7, stored: 7, failed: {} });
  copied = await openConversation(target.client, { id: "trip" });
});

afterAll(() => fixture.stop());

it("imports the progress of a learner with the positions of the new host", async () => {
  const seqs = (await copied.get()).map(({ seq }) => seq);
  expect(await cursorOf(target)).toEqual({
    ...{ learned: seqs[2], seen: seqs[3], batchTo: seqs[3], since: 1, last: 2, faults: 0 },
    setAside: [{ message: "m1", seq: seqs[0], code: "refused", reason: "no", at: 1 }],
  });
  const { entries } = await target.client.retrieve({
    ...{ namespace: "learner", tier: "episodic" },
    keys: [{ learner: "frontier" }],
  });
  expect(entries[0]?.content).toEqual({ seq: 0, created: 0 });
});

it("changes nothing when records with positions are imported a second time", async () => {
  expect(await importFrom(target.client, path)).toMatchObject({ stored: 0, unchanged: 7, failed: {} });
});

it("rejects records with positions in Markdown, because it does not contain these", () => {
  const metadata = { kind: "summary", level: 1, from: 3, to: 4 };
  const front = { key: { conversation: "trip", summary: "4" }, tier: "episodic", namespace: "conversations" };
  const membus = { ...front, metadata, content: "json" };
  expect(readExportedFile("---\n---\n{}", { membus }, 2)).toMatchObject({
    code: "schema_violation",
    problem: expect.stringMatching(/^it names messages by positions of another host/),
  });
});

it("forgets an imported summary with one of its messages", async () => {
  const [first, second] = await copied.get();
  expect((await copied.summary())?.covers).toEqual({ from: first!.seq, to: second!.seq });
  await copied.remove({ ids: ["m5"] });
  expect(await copied.summary()).toMatchObject({ text: "about m1 and m2" });
  await copied.remove({ ids: ["m2"] });
  expect(await copied.summary()).toBeUndefined();
});
