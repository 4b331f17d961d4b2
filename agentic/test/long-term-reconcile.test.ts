import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import type { LongTermMemory } from "../src/index.js";
import {
  decided,
  factTexts,
  foundFacts,
  knownFacts,
  openLongTerm,
  openScripted,
  requestOf,
  type ScriptedDecision,
} from "./long-term-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

const PARIS = "The user lives in Paris";
const ROME = "The user lives in Rome";

/** Finds `news` in any conversation, and makes these decisions about them. */
function finding(news: readonly string[], ...decisions: readonly ScriptedDecision[]) {
  return (request: ReceivedChat): ScriptedAnswer =>
    requestOf(request).name === "facts" ? foundFacts(...news) : decided(request, ...decisions);
}

const TALK = [{ role: "user" as const, content: "I have moved to Rome" }];

async function historyOf(longTerm: LongTermMemory, id: string) {
  const versions = await longTerm.history(id);
  return versions.map(({ text, record }) => [text, "superseded_by" in record.metadata]);
}

describe("a model decides", () => {
  it("that a fact is superseded: it keeps its text and is found only by asOf", async () => {
    const { longTerm, server } = await openScripted(finding([ROME], { outcome: "superseded", about: PARIS }));
    await longTerm.record(PARIS, { infer: false, at: 1_000 });
    const { outcomes, cost } = await longTerm.record(TALK, { at: 2_000 });
    const old = (await longTerm.retrieve("lives", { asOf: 1_500 })).memories[0]!;
    expect(outcomes).toEqual([
      { outcome: "superseded", text: ROME, id: expect.any(String), replaced: old.id },
    ]);
    expect(old).toMatchObject({
      text: PARIS,
      record: { metadata: { valid_from: 1_000, valid_until: 2_000 } },
    });
    expect((await longTerm.retrieve("lives")).memories.map(({ text }) => text)).toEqual([ROME]);
    expect((await longTerm.retrieve("lives", { asOf: 2_000 })).memories.map(({ text }) => text)).toEqual([
      ROME,
    ]);
    expect((await longTerm.retrieve("lives", { asOf: 500 })).memories).toEqual([]);
    expect(await historyOf(longTerm, outcomes[0]!.id!)).toEqual([
      [PARIS, true],
      [ROME, false],
    ]);
    expect(cost).toMatchObject({ modelCalls: 2, entriesWritten: 2 });
    expect(cost.inputTokens).toBeGreaterThan(0);
    expect(server.requests.map((request) => requestOf(request).name)).toEqual(["facts", "decisions"]);
  });

  it.each([
    ["extended", "The user lives in Paris, in Rue Cler"],
    ["updated", "The user lives in Paris, Rue Cler"],
  ])("that a fact is %s, with a merged text", async (outcome, text) => {
    const { longTerm } = await openScripted(finding(["Rue Cler"], { outcome, about: PARIS, text }));
    await longTerm.record(PARIS, { infer: false });
    const { outcomes } = await longTerm.record("The user lives in Rue Cler in Paris");
    expect(outcomes).toMatchObject([{ outcome, text, replaced: expect.any(String) }]);
    expect(await factTexts(longTerm)).toEqual([text]);
  });

  it.each([
    ["extended", null, ["Rue Cler is quiet", PARIS]],
    ["extended", "The user lives somewhere", ["Rue Cler is quiet", PARIS]],
    ["superseded", null, ["Rue Cler is quiet", PARIS]],
    ["updated", null, ["Rue Cler is quiet", PARIS]],
    ["updated", "The user lives somewhere", ["Rue Cler is quiet", PARIS]],
    ["duplicate", null, ["Rue Cler is quiet", PARIS]],
  ])("that a fact is %s by %j, and no name is lost", async (outcome, text, left) => {
    const script = (request: ReceivedChat) =>
      decided(request, { outcome, about: PARIS, ...(text !== null && { text }) });
    const { longTerm } = await openScripted(script, { neighbourScore: 0 });
    await longTerm.record(PARIS, { infer: false });
    await longTerm.record("Rue Cler is quiet");
    expect(await factTexts(longTerm)).toEqual(left);
  });

  it.each([
    ["has a cat", "has a dog"],
    ["favourite tea is green", "favourite colour is red"],
    ["我喜欢绿茶", "他住在上海"],
  ])("that %j repeats %j, and both are kept", async (known, text) => {
    const { longTerm } = await openScripted(
      (request) => decided(request, { outcome: "duplicate", about: known }),
      { neighbourScore: 0 },
    );
    await longTerm.record(known, { infer: false });
    await longTerm.record(text);
    expect(await factTexts(longTerm)).toEqual([known, text].sort());
  });

  it("which facts are duplicates, and which are new but similar", async () => {
    const { longTerm } = await openScripted(
      finding([], { outcome: "duplicate", about: PARIS }, { outcome: "new" }),
    );
    const [first] = (await longTerm.record(PARIS, { infer: false })).outcomes;
    const { outcomes } = await longTerm.record([
      "Paris is where the user lives",
      "The user's sister lives in Paris",
    ]);
    expect(outcomes).toMatchObject([{ outcome: "duplicate", id: first!.id }, { outcome: "new" }]);
    expect(await factTexts(longTerm)).toEqual([PARIS, "The user's sister lives in Paris"]);
  });

  it("nothing if there are no similar facts: it is not called", async () => {
    const { longTerm, server } = await openScripted(finding([ROME]));
    expect((await longTerm.record(TALK)).outcomes).toMatchObject([{ outcome: "new", text: ROME }]);
    expect(server.requests).toHaveLength(1);
  });

  it("only about known facts: unknown ids, missing decisions and unknown numbers result in new facts", async () => {
    const { longTerm } = await openScripted((request) => ({
      json: {
        decisions: [
          { news: 1, outcome: "superseded", fact: 77, text: null },
          { news: 9, outcome: "superseded", fact: knownFacts(request)[0]!.id, text: null },
        ],
      },
    }));
    await longTerm.record(PARIS, { infer: false });
    const { outcomes } = await longTerm.record([ROME, "The user lives in Paris in summer"]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["new", "new"]);
    expect(await factTexts(longTerm)).toHaveLength(3);
  });

  it("once about each fact: a second replacement becomes a new fact", async () => {
    const { longTerm } = await openScripted(
      finding([], { outcome: "superseded", about: PARIS }, { outcome: "superseded", about: PARIS }),
    );
    await longTerm.record(PARIS, { infer: false });
    const { outcomes } = await longTerm.record([ROME, "The user lives in no town"]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["superseded", "new"]);
    expect(await factTexts(longTerm)).toEqual(["The user lives in Rome", "The user lives in no town"]);
  });

  it("nothing about facts with higher trust", async () => {
    const { longTerm } = await openScripted(finding([ROME], { outcome: "superseded", about: PARIS }));
    await longTerm.record(PARIS, { infer: false });
    const { outcomes } = await longTerm.record([{ role: "tool", content: "lives in Rome" }]);
    expect(outcomes).toMatchObject([{ outcome: "new", text: ROME }]);
    expect(await factTexts(longTerm)).toEqual([PARIS, ROME]);
  });
});

it("that a fact repeated by the user gets the user's trust, and one repeated by a tool does not", async () => {
  const { longTerm } = await openLongTerm();
  await longTerm.record(PARIS, { trust: "tool" });
  const trust = async () => (await longTerm.retrieve("lives")).memories[0]!.record.metadata.trust;
  const { outcomes, cost } = await longTerm.record(PARIS);
  expect([outcomes[0]!.outcome, cost.entriesWritten, await trust()]).toEqual(["duplicate", 1, "user"]);
  const again = await longTerm.record(PARIS, { trust: "web" });
  expect([again.cost.entriesWritten, await trust()]).toEqual([0, "user"]);
});

it("a superseded fact may become true again, with two periods of validity", async () => {
  const { longTerm } = await openScripted((request) =>
    decided(request, { outcome: "superseded", about: knownFacts(request)[0]!.text }),
  );
  for (const [n, town] of [PARIS, ROME, PARIS, ROME, PARIS].entries()) {
    await longTerm.record(town, { at: 1_000 * (n + 1) });
  }
  expect(await factTexts(longTerm)).toEqual([PARIS]);
  expect(await longTerm.sizes()).toMatchObject({ fact: 1, superseded: 4 });
  for (const [n, town] of [PARIS, ROME, PARIS, ROME, PARIS].entries()) {
    const { memories } = await longTerm.retrieve("lives", { asOf: 1_000 * (n + 1) + 1 });
    expect(memories.map(({ text }) => text)).toEqual([town]);
  }
  const [now] = (await longTerm.retrieve("lives")).memories;
  expect((await historyOf(longTerm, now!.id)).map(([text]) => text)).toEqual([
    PARIS,
    ROME,
    PARIS,
    ROME,
    PARIS,
  ]);
});

it("two hundred contradictions: each old fact is superseded with its lineage, and found as of yesterday", async () => {
  const DAY = 86_400;
  const today = 1_700_000_000;
  const { longTerm } = await openScripted((request) => {
    const news = requestOf(request)
      .prompt.split("\n")
      .filter((line) => line.startsWith('{"news":'));
    const known = knownFacts(request);
    return decided(
      request,
      ...news.map((line) => {
        const thing = /drawer number (\d+) /.exec(line)![1]!;
        const about = known.find(({ text }) => text.includes(`drawer number ${thing} `))?.text ?? "none";
        return { outcome: "superseded", about };
      }),
    );
  });
  const numbers = Array.from({ length: 200 }, (_, n) => n + 1000);
  const before = numbers.map((n) => `drawer number ${n} holds red socks`);
  const after = numbers.map((n) => `drawer number ${n} holds blue shirts`);
  await longTerm.record(before, { infer: false, at: today - 2 * DAY });
  const { outcomes } = await longTerm.record(after, { at: today });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(200).fill("superseded"));
  expect(await factTexts(longTerm)).toEqual([...after].sort());
  const yesterday: string[] = [];
  for await (const { text } of longTerm.entries({ kinds: ["fact"], asOf: today - DAY })) yesterday.push(text);
  expect(yesterday.sort()).toEqual([...before].sort());
  for (const [n, outcome] of outcomes.entries()) {
    expect((await longTerm.history(outcome.id!)).map(({ text }) => text)).toEqual([before[n], after[n]]);
  }
});

describe("update and forget", () => {
  it("replace a fact for a new text, and change other fields in place", async () => {
    const { longTerm } = await openLongTerm();
    const [fact] = (await longTerm.record(PARIS, { category: "home" })).outcomes;
    const changed = await longTerm.update(fact!.id!, { category: "address", confidence: 0.5 });
    expect(changed).toMatchObject({ outcome: "updated", id: fact!.id, cost: { entriesWritten: 1 } });
    const updated = await longTerm.update(fact!.id!, { text: ROME });
    expect(updated).toMatchObject({ outcome: "updated", text: ROME, replaced: fact!.id });
    const [now] = (await longTerm.retrieve("lives")).memories;
    expect(now).toMatchObject({
      id: updated.id,
      record: { metadata: { category: "address", confidence: 0.5 } },
    });
    await rejection(longTerm.update(fact!.id!, { text: "again" }), "conflict");
    await rejection(longTerm.update(now!.id, { text: "x", ifRevision: now!.revision - 1 }), "conflict");
    await rejection(longTerm.update("nobody", { text: "x" }), "memory_not_found");
    await expect(longTerm.update(now!.id, { test: "x" } as object)).rejects.toThrow(/did you mean `text`/);
    expect(await longTerm.sizes()).toMatchObject({ fact: 1, superseded: 1 });
  });

  it("let one of two concurrent updates win, without a trace of the other", async () => {
    const { memory, longTerm } = await openLongTerm();
    const other = (await openLongTerm({ client: memory })).longTerm;
    const [fact] = (await longTerm.record(PARIS)).outcomes;
    const results = await Promise.allSettled([
      longTerm.update(fact!.id!, { text: ROME }),
      other.update(fact!.id!, { text: "The user lives in Oslo" }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await longTerm.sizes()).toMatchObject({ fact: 1, superseded: 1 });
  });

  it("delete a fact with all facts that it replaced", async () => {
    const { memory, longTerm } = await openLongTerm();
    const [fact] = (await longTerm.record(PARIS, { at: 1_000 })).outcomes;
    const { id } = await longTerm.update(fact!.id!, { text: ROME });
    await longTerm.record("has two cats");
    expect((await longTerm.forget({ ids: [id!, "nobody"], history: true })).count).toBe(2);
    expect((await longTerm.retrieve("lives", { asOf: 2_000 })).memories).toEqual([]);
    const left: unknown[] = [];
    for await (const { content } of memory.entries({ namespace: "about/**" })) left.push(content);
    expect(left).toEqual([{ text: "has two cats" }]);
  });

  it("delete by id, by category and all", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes } = await longTerm.record(["one thing", "another thing"]);
    await longTerm.record("a third thing", { category: "third" });
    await longTerm.recordExperiences("do it so");
    expect(await longTerm.forget({ ids: [outcomes[0]!.id!, "nobody"] })).toMatchObject({ count: 1 });
    expect(await longTerm.forget({ category: "third" })).toMatchObject({
      count: 1,
      cost: { entriesWritten: 1 },
    });
    expect(await factTexts(longTerm)).toEqual(["another thing"]);
    expect(await longTerm.forget({ all: true })).toMatchObject({ count: 2 });
    expect(await longTerm.forget({ all: true })).toMatchObject({ count: 0 });
    expect((await longTerm.record("one thing")).outcomes[0]!.outcome).toBe("new");
  });

  it.each([
    [{ all: true, purge: true }, "unknown option `purge`"],
    [{ all: false }, "all must be true"],
    [{ all: true, ids: ["a"] }, "exactly one of ids, category and all, got 2"],
    [{ cascade: true }, "exactly one of ids, category and all, got 0"],
  ])("rejects the forget target %o", async (target, message) => {
    const { longTerm } = await openLongTerm();
    await longTerm.record("one thing");
    await expect(longTerm.forget(target as never)).rejects.toThrow(message);
    expect(await factTexts(longTerm)).toEqual(["one thing"]);
  });
});
