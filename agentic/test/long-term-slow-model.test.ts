import { describe, expect, it } from "vitest";
import { type LongTermMemory, ModelError } from "../src/index.js";
import {
  decided,
  factTexts,
  foundFacts,
  knownFacts,
  openLongTerm,
  openMemory,
  openScripted,
  requestOf,
} from "./long-term-fixture.js";
import { HastyClock } from "./model-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "./scripted-openai/index.js";

const PARIS = "The user lives in Paris";
const ROME = "The user lives in Rome";
const OSLO = "The user lives in Oslo";

/** Runs `meanwhile` during the model's first decision, which then ignores it. */
async function whileItThinks(
  meanwhile: (other: LongTermMemory) => Promise<unknown>,
  answer: (request: ReceivedChat, round: number) => ScriptedAnswer,
) {
  const memory = await openMemory();
  const other = (await openLongTerm({ client: memory })).longTerm;
  let round = 0;
  const { longTerm, server } = await openScripted(
    async (request) => {
      const answered = answer(request, round);
      if (round++ === 0) await meanwhile(other);
      return answered;
    },
    { client: memory },
  );
  await other.record(PARIS);
  return { longTerm, other, server };
}

const merging = (request: ReceivedChat) =>
  decided(request, { outcome: "extended", about: PARIS, text: `${PARIS} and works in Rome` });

async function idOf(longTerm: LongTermMemory, text: string): Promise<string> {
  for await (const item of longTerm.entries({ kinds: ["fact"] })) if (item.text === text) return item.id;
  throw new Error(`no fact with the text ${text}`);
}

describe("while the model thinks", () => {
  it("another writer's edit is kept, and the decision is repeated", async () => {
    const { longTerm, server } = await whileItThinks(
      async (other) => other.update(await idOf(other, PARIS), { text: OSLO }),
      (request, round) =>
        round === 0 ? merging(request) : decided(request, { outcome: "superseded", about: OSLO }),
    );
    const { outcomes } = await longTerm.record(ROME);
    expect(knownFacts(server.requests[1]!).map(({ text }) => text)).toEqual([OSLO]);
    expect(outcomes).toMatchObject([{ outcome: "superseded", text: ROME }]);
    expect(await factTexts(longTerm)).toEqual([ROME]);
    const versions = await longTerm.history(outcomes[0]!.id!);
    expect(versions.map(({ text }) => text)).toEqual([PARIS, OSLO, ROME]);
  });

  it("a change of the category is not overwritten", async () => {
    const { longTerm } = await whileItThinks(
      async (other) => other.update(await idOf(other, PARIS), { category: "home" }),
      (request) => decided(request, { outcome: "superseded", about: PARIS }),
    );
    const { outcomes } = await longTerm.record(ROME);
    const [old] = await longTerm.history(outcomes[0]!.id!);
    expect(old).toMatchObject({ text: PARIS, record: { metadata: { category: "home" } } });
  });

  it("a forgotten fact does not come back, not even in a merged text", async () => {
    const { longTerm, memory } = await forgetting(merging);
    const { outcomes } = await longTerm.record(ROME);
    expect(outcomes).toMatchObject([{ outcome: "new", text: ROME }]);
    expect(await everything(memory)).not.toMatch(/Paris/);
  });

  it("a fact to supersede is forgotten: the news is stored on its own", async () => {
    const { longTerm, memory } = await forgetting((request) =>
      decided(request, { outcome: "superseded", about: PARIS }),
    );
    expect((await longTerm.record(ROME)).outcomes).toMatchObject([{ text: ROME, id: expect.any(String) }]);
    expect(await factTexts(longTerm)).toEqual([ROME]);
    expect(await everything(memory)).not.toMatch(/Paris/);
  });

  it("everything is forgotten: nothing is written", async () => {
    const { longTerm } = await whileItThinks((other) => other.forget({ all: true }), merging);
    const { outcomes, cost } = await longTerm.record(ROME);
    expect(outcomes).toMatchObject([
      { outcome: "refused", reason: expect.stringMatching(/^conflict: .*forgotten/) },
    ]);
    expect(cost).toMatchObject({ modelCalls: 1, entriesWritten: 0 });
    expect(await factTexts(longTerm)).toEqual([]);
    expect((await longTerm.record(ROME)).outcomes[0]!.outcome).toBe("new");
  });

  it("facts keep changing: the record gives up after a limit, with a reason", async () => {
    const memory = await openMemory();
    const other = (await openLongTerm({ client: memory })).longTerm;
    let round = 0;
    const { longTerm, server } = await openScripted(
      async (request) => {
        const [known] = knownFacts(request);
        await other.update(await idOf(other, known!.text), { text: `The user lives in town ${++round}` });
        return decided(request, { outcome: "extended", about: known!.text, text: `${known!.text}, gladly` });
      },
      { client: memory, decisionCountMax: 3 },
    );
    await other.record(PARIS);
    const { outcomes } = await longTerm.record("The user lives there gladly");
    expect(outcomes).toMatchObject([{ outcome: "refused", reason: expect.stringMatching(/^conflict: /) }]);
    expect(server.requests).toHaveLength(3);
    expect(await factTexts(longTerm)).toEqual(["The user lives in town 3"]);
  });
});

async function forgetting(answer: (request: ReceivedChat) => ScriptedAnswer) {
  const memory = await openMemory();
  const other = (await openLongTerm({ client: memory })).longTerm;
  const [fact] = (await other.record(PARIS)).outcomes;
  const { longTerm } = await openScripted(
    async (request) => {
      if (knownFacts(request).some(({ text }) => text === PARIS)) await other.forget({ ids: [fact!.id!] });
      return answer(request);
    },
    { client: memory },
  );
  return { longTerm, memory };
}

/** Returns everything that the agent has stored, as one text. */
async function everything(memory: Awaited<ReturnType<typeof openMemory>>): Promise<string> {
  const entries: unknown[] = [];
  for await (const entry of memory.entries({ namespace: "about/**" })) entries.push(entry);
  return JSON.stringify(entries);
}

it("two processes that record the same conversation about one person keep each fact once", async () => {
  const texts = Array.from({ length: 12 }, (_, n) => `The user owns item number ${n} of the collection`);
  const script = (request: ReceivedChat): ScriptedAnswer => {
    if (requestOf(request).name === "facts") return foundFacts(...texts);
    const news = requestOf(request)
      .prompt.split("\n")
      .filter((line) => line.startsWith('{"news":'));
    return decided(request, ...news.map(() => ({ outcome: "new" })));
  };
  const memory = await openMemory();
  const [one, two] = [
    await openScripted(script, { client: memory }),
    await openScripted(script, { client: memory }),
  ];
  const chat = [{ role: "user" as const, content: "I have a collection" }];
  const results = await Promise.all([one.longTerm.record(chat), two.longTerm.record(chat)]);
  const outcomes = results.flatMap((result) => result.outcomes.map(({ outcome }) => outcome));
  expect(outcomes.filter((outcome) => outcome === "new")).toHaveLength(12);
  expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(12);
  expect(await factTexts(one.longTerm)).toEqual([...texts].sort());
});

describe("a model that fails", () => {
  const FAILURES: readonly (readonly [string, ScriptedAnswer, string, number])[] = [
    ["answers 429", { status: 429, headers: { "retry-after": "1" } }, "rate_limited", 3],
    ["answers 500", { status: 500 }, "unavailable", 3],
    ["answers 401", { status: 401 }, "unauthorized", 1],
    ["loses the connection", { text: '{"facts":[]}', cutAfter: 10 }, "unavailable", 3],
    ["returns truncated JSON", { fault: "bad-json" }, "invalid_output", 2],
    ["returns no JSON", { text: "I would rather not say" }, "invalid_output", 2],
    ["returns JSON of another form", { json: { facts: [{ words: "x" }] } }, "invalid_output", 2],
    ["refuses", { refusal: "No." }, "refused", 1],
  ];

  it.each(FAILURES)("and %s during extraction: throws an error and writes nothing", async (...row) => {
    const [, answer, code, calls] = row;
    const clock = new HastyClock();
    const { longTerm, server } = await openScripted(() => answer, { clock });
    const error = await longTerm
      .record([{ role: "user", content: "I live in Rome" }])
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(ModelError);
    expect((error as ModelError).code).toBe(code);
    expect(server.requests).toHaveLength(calls);
    expect(await longTerm.sizes()).toMatchObject({ fact: 0, superseded: 0 });
  });

  it.each(FAILURES)("and %s during the decision: throws an error and writes nothing", async (...row) => {
    const [, answer, code] = row;
    const { longTerm } = await openScripted(
      (request) => (requestOf(request).name === "facts" ? foundFacts(ROME, "Has two cats") : answer),
      { clock: new HastyClock() },
    );
    await longTerm.record(PARIS, { infer: false });
    const error = await longTerm
      .record([{ role: "user", content: "I live in Rome" }])
      .catch((reason) => reason);
    expect((error as ModelError).code).toBe(code);
    expect(await factTexts(longTerm)).toEqual([PARIS]);
  });

  it("once is called again, and the cost is reported", async () => {
    const answers: ScriptedAnswer[] = [
      { status: 503 },
      { text: "not JSON", usage: { inputTokens: 10, outputTokens: 5 } },
      { json: { facts: [] }, usage: { inputTokens: 20, outputTokens: 7 } },
    ];
    const { longTerm } = await openScripted(answers, { clock: new HastyClock() });
    const { outcomes, cost } = await longTerm.record([{ role: "user", content: "Hello" }]);
    expect(outcomes).toEqual([]);
    expect(cost).toMatchObject({ modelCalls: 3, inputTokens: 30, outputTokens: 12, entriesWritten: 0 });
  });

  it("never answers: the caller's signal ends the call, and nothing is written", async () => {
    const { longTerm } = await openScripted([{ fault: "no-answer" }]);
    const controller = new AbortController();
    const recording = longTerm.record([{ role: "user", content: "Hello" }], { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(recording).rejects.toThrow("enough");
    expect(await longTerm.sizes()).toMatchObject({ fact: 0 });
  });

  it("after some facts are written: the others are refused with the reason", async () => {
    const memory = await openMemory();
    const other = (await openLongTerm({ client: memory })).longTerm;
    const [fact] = (await other.record(PARIS)).outcomes;
    let round = 0;
    const { longTerm } = await openScripted(
      async (request) => {
        if (round++ > 0) return { status: 401 };
        await other.update(fact!.id!, { text: OSLO });
        return decided(
          request,
          { outcome: "extended", about: PARIS, text: "The user lives in Rome and in Paris" },
          { outcome: "new" },
        );
      },
      { client: memory },
    );
    const { outcomes, cost } = await longTerm.record([ROME, "The user lives with two cats"]);
    expect(outcomes).toMatchObject([
      { outcome: "refused", reason: expect.stringMatching(/^unauthorized: /) },
      { outcome: "new" },
    ]);
    expect(cost.modelCalls).toBe(2);
    expect(await factTexts(longTerm)).toEqual([OSLO, "The user lives with two cats"]);
  });
});
