import { describe, expect, it } from "vitest";
import { type ChatModel, consolidate, LongTermMemory } from "../src/index.js";
import { literal, openLearning, SUBJECT } from "./learner-fixture.js";
import { factTexts, killedAt, requestOf } from "./long-term-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

interface Shown {
  readonly fact: number;
  readonly since: string;
  readonly from: string;
  readonly text: string;
}

type Decision = { readonly fact: number; readonly outcome: string; readonly by: number | null };

function knownFactsIn(request: ReceivedChat): Shown[] {
  const lines = requestOf(request)
    .prompt.split("\n")
    .filter((line) => line.startsWith('{"fact":'));
  return lines.map((line) => JSON.parse(line) as Shown);
}

/** Decides that each fact is superseded by the next one with the same first words. */
function contradicted(request: ReceivedChat): ScriptedAnswer {
  const displayed = knownFactsIn(request);
  const subject = ({ text }: Shown) => text.split(" ").slice(0, 3).join(" ");
  const decisions = displayed.map((fact, n): Decision => {
    const next = displayed.slice(n + 1).find((other) => subject(other) === subject(fact));
    return { fact: fact.fact, outcome: next ? "superseded" : "stands", by: next?.fact ?? null };
  });
  return { json: { decisions } };
}

/** Answers decisions about facts that are found by their text. */
function deciding(decide: (idOf: (text: string) => number) => readonly Decision[]) {
  return (request: ReceivedChat): ScriptedAnswer => {
    const displayed = knownFactsIn(request);
    const idOf = (text: string) => displayed.find((fact) => fact.text === text)?.fact ?? 999;
    return { json: { decisions: decide(idOf) } };
  };
}

async function openFacts(script: (request: ReceivedChat) => ScriptedAnswer | Promise<ScriptedAnswer>) {
  const learning = await openLearning(script);
  return { ...learning, longTerm: new LongTermMemory(learning.memory, { subject: SUBJECT }) };
}

const ROME = "Tom lives in Rome";
const OSLO = "Tom lives in Oslo now";

async function idOf(longTerm: LongTermMemory, text: string): Promise<string> {
  for await (const item of longTerm.entries({ kinds: ["fact"] })) if (item.text === text) return item.id;
  throw new Error(`no such fact: ${text}`);
}

describe("consolidate without a model", () => {
  it("merges facts with the same words, and reports the changes in a dry run", async () => {
    const { memory } = await openLearning();
    const longTerm = new LongTermMemory(memory, { subject: SUBJECT });
    for (const text of ["The cat is called Tom.", "the cat, is called TOM", "The dog is called Rex"]) {
      await longTerm.record(text);
    }
    const planned = await consolidate(longTerm, { dryRun: true });
    expect(planned.merges).toMatchObject([{ text: "The cat is called Tom.", merged: [expect.any(String)] }]);
    expect((await longTerm.sizes()).fact).toBe(3);
    expect((await consolidate(longTerm)).merges).toEqual(planned.merges);
    expect(await factTexts(longTerm)).toEqual(["The cat is called Tom.", "The dog is called Rex"]);
    expect(await longTerm.history(planned.merges[0]!.kept)).toHaveLength(2);
    const nothing = { merges: [], resolved: [], retained: [], conflicts: [], queries: 0, questions: 0 };
    expect(await consolidate(longTerm)).toMatchObject(nothing);
  });

  it("keeps the fact with the highest trust", async () => {
    const { memory } = await openLearning();
    const longTerm = new LongTermMemory(memory, { subject: SUBJECT });
    await longTerm.record("The cat is called TOM", { trust: "web" });
    await longTerm.record("the cat is called Tom", { trust: "agent" });
    await longTerm.record("The cat is called Tom", { trust: "user" });
    const { merges } = await consolidate(longTerm);
    expect(merges).toMatchObject([
      { text: "The cat is called Tom", merged: [{}, {}].map(() => expect.any(String)) },
    ]);
  });
});

describe("consolidate with a model", () => {
  it("resolves many contradictions, and asOf finds the earlier facts", async () => {
    const { longTerm, model, server } = await openFacts(contradicted);
    const people = Array.from({ length: 30 }, (_, n) => `Person${n} lives in`);
    for (const person of people) await longTerm.record(`${person} Rome`, { at: 1_000 });
    for (const person of people) await longTerm.record(`${person} Oslo`, { at: 2_000 });
    for (const person of people.slice(0, 10)) await longTerm.record(`${person} Paris`, { at: 3_000 });

    const planned = await consolidate(longTerm, { dryRun: true }, { model });
    expect(planned).toMatchObject({ retained: [], conflicts: [], unanswered: [], isComplete: true });
    expect(planned.resolved).toHaveLength(40);
    expect(planned.cost).toMatchObject({ modelCalls: server.requests.length, entriesWritten: 0 });
    expect(await longTerm.sizes()).toMatchObject({ fact: 70, superseded: 0 });

    const done = await consolidate(longTerm, {}, { model });
    expect(done.resolved).toHaveLength(40);
    expect(done.cost).toMatchObject({ entriesWritten: 40 });
    expect(await longTerm.sizes()).toMatchObject({ fact: 30, superseded: 40 });
    const now = people.map((person, n) => `${person} ${n < 10 ? "Paris" : "Oslo"}`).sort();
    expect(await factTexts(longTerm)).toEqual(now);
    const asOf = async (time: number) => {
      const texts: string[] = [];
      for await (const { text } of longTerm.entries({ kinds: ["fact"], asOf: time })) texts.push(text);
      return texts.sort();
    };
    expect(await asOf(1_500)).toEqual(people.map((person) => `${person} Rome`).sort());
    expect(await asOf(2_500)).toEqual(people.map((person) => `${person} Oslo`).sort());
    const history = await longTerm.history(await idOf(longTerm, "Person0 lives in Paris"));
    expect(history.map(({ text }) => text)).toEqual([
      "Person0 lives in Rome",
      "Person0 lives in Oslo",
      "Person0 lives in Paris",
    ]);
    expect(history[0]!.record.metadata).toMatchObject({
      valid_until: 2_000,
      superseded_by: history[1]!.keyHash,
    });
    expect((await consolidate(longTerm, {}, { model })).resolved).toEqual([]);
  });

  it.each(["agent", "tool", "web"] as const)("replaces no fact of the user by one of %s", async (trust) => {
    const { longTerm, model } = await openFacts(
      deciding((id) => [{ fact: id(ROME), outcome: "superseded", by: id(OSLO) }]),
    );
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.record(OSLO, { at: 2_000, trust });
    const { resolved, retained } = await consolidate(longTerm, {}, { model });
    expect(resolved).toEqual([]);
    expect(retained).toMatchObject([{ outcome: "superseded", text: ROME, byText: OSLO, reason: "trust" }]);
    expect(await factTexts(longTerm)).toEqual([ROME, OSLO].sort());
  });

  it("replaces no fact by an earlier one, except a duplicate", async () => {
    let outcome = "superseded";
    const again = "In Rome lives Tom";
    const { longTerm, model } = await openFacts(
      deciding((id) => [{ fact: id(again), outcome, by: id(ROME) }]),
    );
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.record(again, { at: 2_000 });
    expect((await consolidate(longTerm, {}, { model })).retained).toMatchObject([{ reason: "time" }]);
    outcome = "duplicate";
    expect((await consolidate(longTerm, {}, { model })).resolved).toMatchObject([
      { outcome, text: again, byText: ROME },
    ]);
    expect(await factTexts(longTerm)).toEqual([ROME]);
  });

  it("keeps a duplicate that has an additional name or number", async () => {
    const { longTerm, model } = await openFacts(
      deciding((id) => [{ fact: id(ROME), outcome: "duplicate", by: id(OSLO) }]),
    );
    await longTerm.record([ROME, OSLO]);
    expect((await consolidate(longTerm, {}, { model })).resolved).toEqual([]);
    expect(await factTexts(longTerm)).toEqual([OSLO, ROME].sort());
  });

  it("keeps the same statement of two speakers", async () => {
    const { longTerm, model } = await openFacts(contradicted);
    await longTerm.record([
      { role: "user", name: "Ann", content: "I am vegetarian" },
      { role: "user", name: "Ben", content: "I am vegetarian" },
    ]);
    expect((await consolidate(longTerm, { neighbourScore: 0 }, { model })).resolved).toEqual([]);
    expect(await factTexts(longTerm)).toEqual(["Ann: I am vegetarian", "Ben: I am vegetarian"]);
  });

  it("ignores unknown ids, self-references, cycles and decisions about other facts", async () => {
    const { longTerm, model } = await openFacts(
      deciding((id) => [
        { fact: 7, outcome: "superseded", by: id(ROME) },
        { fact: id(ROME), outcome: "superseded", by: 77 },
        { fact: id(ROME), outcome: "superseded", by: null },
        { fact: id(OSLO), outcome: "superseded", by: id(OSLO) },
        { fact: id(ROME), outcome: "superseded", by: id(OSLO) },
        { fact: id(OSLO), outcome: "duplicate", by: id(ROME) },
        { fact: id(ROME), outcome: "duplicate", by: id(OSLO) },
      ]),
    );
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.record(OSLO, { at: 2_000 });
    const { resolved, retained } = await consolidate(longTerm, {}, { model });
    expect(resolved).toMatchObject([{ outcome: "superseded", text: ROME, byText: OSLO }]);
    expect(retained).toEqual([]);
    expect(await factTexts(longTerm)).toEqual([OSLO]);
  });
});

describe("a consolidation", () => {
  it("is undone by its id: replaced facts are current again, with their earlier end", async () => {
    const { longTerm, model } = await openFacts(contradicted);
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.update(await idOf(longTerm, ROME), { validUntil: 9e9 });
    await longTerm.record(OSLO, { at: 2_000 });
    const { id } = await consolidate(longTerm, {}, { model });
    expect(await factTexts(longTerm)).toEqual([OSLO]);
    expect(await longTerm.undoConsolidation(id!)).toMatchObject({
      restored: [await idOf(longTerm, ROME)],
      conflicts: [],
      cost: { entriesWritten: 1 },
    });
    expect(await factTexts(longTerm)).toEqual([OSLO, ROME].sort());
    const [rome] = (await longTerm.retrieve(ROME)).memories;
    expect(rome!.record.metadata).toMatchObject({ valid_from: 1_000, valid_until: 9e9 });
    expect(rome!.record.metadata).not.toHaveProperty("consolidation");
    expect(await longTerm.undoConsolidation(id!)).toMatchObject({ restored: [], conflicts: [] });
  });

  it("is not undone for a text that is a current fact again", async () => {
    const { longTerm, model } = await openFacts(contradicted);
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.record(OSLO, { at: 2_000 });
    const { id } = await consolidate(longTerm, {}, { model });
    await longTerm.record(ROME);
    expect(await longTerm.undoConsolidation(id!)).toMatchObject({
      restored: [],
      conflicts: [expect.any(String)],
    });
    expect(await factTexts(longTerm)).toEqual([OSLO, ROME].sort());
  });

  it("has no id if it changes nothing", async () => {
    const { longTerm, model } = await openFacts(contradicted);
    await longTerm.record([ROME, OSLO]);
    expect(await consolidate(longTerm, { dryRun: true }, { model })).not.toHaveProperty("id");
  });

  it("leaves both facts if it is killed before the old one is retired", async () => {
    const { memory, longTerm, model } = await openFacts(contradicted);
    await longTerm.record(ROME, { at: 1_000 });
    await longTerm.record(OSLO, { at: 2_000 });
    const killed = new LongTermMemory(killedAt("retire", memory), { subject: SUBJECT });
    await expect(consolidate(killed, {}, { model })).rejects.toThrow("killed at retire");
    expect(await factTexts(longTerm)).toEqual([OSLO, ROME].sort());
  });
});

describe("consolidate with concurrent changes", () => {
  it("keeps facts after a concurrent change of the fact or its replacement", async () => {
    for (const [text, then] of [
      [ROME, (longTerm: LongTermMemory, id: string) => longTerm.update(id, { category: "home" })],
      [OSLO, (longTerm: LongTermMemory, id: string) => longTerm.update(id, { text: "Tom lives in Bergen" })],
      [OSLO, (longTerm: LongTermMemory, id: string) => longTerm.forget({ ids: [id] })],
    ] as const) {
      let received = 0;
      const { longTerm, model } = await openFacts(async (request) => {
        if (++received > 1) return { json: { decisions: [] } };
        await then(longTerm, await idOf(longTerm, text));
        return contradicted(request);
      });
      await longTerm.record(ROME, { at: 1_000 });
      await longTerm.record(OSLO, { at: 2_000 });
      const rome = await idOf(longTerm, ROME);
      const { resolved, conflicts } = await consolidate(longTerm, {}, { model });
      expect({ resolved, conflicts }).toEqual({ resolved: [], conflicts: [rome] });
      expect(await factTexts(longTerm)).toContain(ROME);
    }
  });

  it("reports unanswered groups, and throws for failures that the facts did not cause", async () => {
    let answer: ScriptedAnswer = { refusal: "no" };
    const { longTerm, model } = await openFacts(() => answer);
    await longTerm.record([ROME, OSLO]);
    const { unanswered, questions } = await consolidate(longTerm, {}, { model });
    expect(unanswered).toMatchObject([{ ids: [expect.any(String), expect.any(String)], code: "refused" }]);
    expect(questions).toBe(1);
    answer = { text: "no JSON" };
    expect((await consolidate(longTerm, {}, { model })).unanswered).toMatchObject([
      { code: "invalid_output" },
    ]);
    answer = { status: 401 };
    await expect(consolidate(longTerm, {}, { model })).rejects.toMatchObject({ code: "unauthorized" });
    expect((await longTerm.sizes()).fact).toBe(2);
  });

  it("stops at its limits and reports that", async () => {
    const { longTerm, model, server } = await openFacts(contradicted);
    for (let n = 0; n < 4; n++) await longTerm.record([`Key${n} opens door 1`, `Key${n} opens door 2`]);
    const options = { neighbourScore: 0, dryRun: true };
    const all = await consolidate(longTerm, options, { model });
    expect(all.isComplete).toBe(true);
    expect(all.questions).toBeGreaterThan(1);
    server.requests.length = 0;
    const few = await consolidate(longTerm, { ...options, questionCountMax: 1 }, { model });
    expect(few).toMatchObject({ questions: 1, isComplete: false });
    expect(server.requests).toHaveLength(1);
    const fewer = await consolidate(longTerm, { queryCountMax: 1, dryRun: true }, { model });
    expect(fewer).toMatchObject({ queries: 1, isComplete: false });
    await expect(consolidate(longTerm, { questionCount: 1 } as never)).rejects.toThrow("questionCountMax");
  });

  it("does not use a model that is not given", async () => {
    const { memory, model } = await openLearning(literal);
    const withModel = new LongTermMemory(memory, { subject: SUBJECT }, { model: model satisfies ChatModel });
    await withModel.record([ROME, OSLO], { infer: false });
    expect(await consolidate(withModel)).toMatchObject({ questions: 0, resolved: [] });
  });
});
