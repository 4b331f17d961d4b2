import { expect, it } from "vitest";
import type { ChatMessage } from "../src/index.js";
import { openLongTerm } from "./long-term-fixture.js";

const said = (name: string, content: string): ChatMessage => ({ role: "user", name, content });
const TALK = [
  said("Ada", "Where did you go on Sunday?"),
  said("Ben", "To the lighthouse"),
  said("Ben", "It rained all day"),
  said("Ada", "Pity"),
];
const NAMESPACE = "about/user:abc123";

it("a message is stored with its speaker, its time, its group and the two messages before it", async () => {
  const { longTerm, memory } = await openLongTerm();
  await longTerm.record(TALK, { group: "trip", at: 1_700_000_000 });
  const { entries } = await memory.inNamespace(NAMESPACE).retrieve({ group: "trip", include: ["context"] });
  const stored = new Map(
    entries.map(({ content, context, group, occurred_at, metadata }) => [
      (content as { text: string }).text,
      { context, group, occurred_at, speaker: metadata?.speaker },
    ]),
  );
  const common = { group: "trip", occurred_at: 1_700_000_000 };
  expect(Object.fromEntries(stored)).toEqual({
    "Ada: Where did you go on Sunday?": { ...common, speaker: "Ada" },
    "Ben: To the lighthouse": {
      ...{ ...common, speaker: "Ben", context: "Ada: Where did you go on Sunday?" },
    },
    "Ben: It rained all day": {
      ...{ ...common, speaker: "Ben" },
      context: "Ada: Where did you go on Sunday?\nBen: To the lighthouse",
    },
    "Ada: Pity": { ...common, speaker: "Ada", context: "Ben: To the lighthouse\nBen: It rained all day" },
  });
});

it("an answer is found by the words of its question", async () => {
  const { longTerm } = await openLongTerm();
  await longTerm.record([said("Ada", "Sunday trip?"), said("Ben", "Boats, boats and yet more boats")]);
  await longTerm.record([said("Ben", "The cat sleeps")]);
  const { memories } = await longTerm.retrieve("Sunday trip", { minScore: 0 });
  expect(memories.map(({ text }) => text).slice(0, 2)).toEqual([
    "Ada: Sunday trip?",
    "Ben: Boats, boats and yet more boats",
  ]);
});

it("the messages of a call form a group, and separate texts do not", async () => {
  const { longTerm, memory } = await openLongTerm();
  await longTerm.record(TALK.slice(0, 2));
  await longTerm.record(["has a cello", "has a piano"]);
  const { entries } = await memory.inNamespace(NAMESPACE).retrieve({ order: "oldest", include: ["context"] });
  const groups = entries.map(({ group }) => group);
  expect(groups[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(groups).toEqual([groups[0], groups[0], undefined, undefined]);
  expect(entries.filter(({ context }) => context !== undefined)).toHaveLength(1);
});

it.each([
  ["its id", (id: string) => ({ ids: [id] })],
  ["its category", () => ({ category: "trip" })],
])("a fact that is forgotten by %s leaves no text in the context of others", async (_, targetOf) => {
  const { longTerm, memory } = await openLongTerm();
  const options = { group: "trip" };
  const { outcomes } = await longTerm.record([TALK[0]!], { ...options, category: "trip" });
  await longTerm.record(TALK, options);
  expect((await longTerm.forget(targetOf(outcomes[0]!.id!))).count).toBe(1);
  const { entries } = await memory.inNamespace(NAMESPACE).retrieve({ include: ["context"] });
  expect(entries).toHaveLength(3);
  expect(JSON.stringify(entries)).not.toContain("Sunday");
  expect(entries.filter(({ context }) => context !== undefined)).toHaveLength(1);
});

it("queued work keeps its group", async () => {
  const { longTerm, memory } = await openLongTerm();
  await longTerm.record(TALK.slice(0, 1), { group: "trip", wait: false });
  await longTerm.settled();
  const { entries } = await memory.inNamespace(NAMESPACE).retrieve({ group: "trip" });
  expect(entries).toHaveLength(1);
});

it("a group is 1 to 4,096 characters", async () => {
  const { longTerm } = await openLongTerm();
  await expect(longTerm.record("cello", { group: "" })).rejects.toThrow(TypeError);
  await expect(longTerm.record("cello", { group: "x".repeat(4_097) })).rejects.toThrow(/group.*4096/);
});
