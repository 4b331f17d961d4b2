import { describe, expect, it } from "vitest";
import { factTexts, openLongTerm, openMemory, openScripted, requestOf } from "./long-term-fixture.js";

function call(fields: object = {}) {
  return {
    create_time: "2024-01-01 10:00:00",
    tool_name: "search",
    input: { query: "Python" },
    output: "Found 10 results",
    token_cost: 100,
    success: true,
    time_cost: 1.5,
    ...fields,
  };
}

describe("experiences", () => {
  it("are found by their when_to_use text, and have a value", async () => {
    const { longTerm } = await openLongTerm();
    const experience = {
      text: "Add an index on the columns of WHERE",
      whenToUse: "A database query is slow",
    };
    const { outcomes } = await longTerm.recordExperiences(experience, { value: 0.25, outcome: "solved" });
    expect(outcomes).toMatchObject([{ outcome: "new", text: experience.text }]);
    const { memories } = await longTerm.retrieve("slow database query");
    expect(memories).toMatchObject([
      {
        kind: "experience",
        text: experience.text,
        record: {
          content: { when_to_use: experience.whenToUse },
          metadata: { value: 0.25, outcome: "solved" },
        },
      },
    ]);
  });

  it("have the value 1 by default, and a repeated one gets the new value", async () => {
    const { longTerm } = await openLongTerm();
    const outcomes = [
      ...(await longTerm.recordExperiences(["paint it twice", "paint it twice", ""])).outcomes,
      ...(await longTerm.recordExperiences("paint it twice")).outcomes,
      ...(await longTerm.recordExperiences("paint it twice", { value: 0.5 })).outcomes,
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      "new",
      "duplicate",
      "refused",
      "duplicate",
      "updated",
    ]);
    const { memories } = await longTerm.retrieve("paint");
    expect(memories.map(({ record }) => record.metadata.value)).toEqual([0.5]);
    await expect(longTerm.recordExperiences("x", { value: 2 })).rejects.toThrow(/0..1/);
  });

  it("are extracted from messages by a model", async () => {
    const { longTerm, server } = await openScripted([
      { json: { experiences: [{ text: "Ask for the date first", when_to_use: "booking a train" }] } },
    ]);
    const chat = [{ role: "user" as const, content: "Book me a train" }];
    const { outcomes, cost } = await longTerm.recordExperiences(chat, { value: 0 });
    expect(outcomes).toMatchObject([{ outcome: "new", text: "Ask for the date first" }]);
    expect(cost).toMatchObject({ modelCalls: 1, entriesWritten: 1 });
    expect(requestOf(server.requests[0]!).prompt).toContain("value 0");
  });
});

describe("tool calls", () => {
  it("are accepted as AgentScope's JSON texts, and statistics are computed from them", async () => {
    const { longTerm } = await openLongTerm();
    const calls = [
      call(),
      call({ create_time: "2024-01-01 10:00:01", token_cost: 200, time_cost: 0.5 }),
      call({
        create_time: "2024-01-01 10:00:02",
        success: false,
        output: "no such page",
        token_cost: 0,
        time_cost: 1,
      }),
      call({ create_time: "2024-01-01 10:00:03", tool_name: "calendar" }),
    ];
    const { outcomes, guidelines, cost } = await longTerm.recordToolCalls(
      calls.map((one) => JSON.stringify(one)),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill("new"));
    expect(guidelines).toEqual(["search", "calendar"]);
    expect(cost).toMatchObject({ modelCalls: 0, entriesWritten: 6 });
    const { memories } = await longTerm.guidelines(["search", "nothing"]);
    expect(memories).toHaveLength(1);
    expect(memories[0]).toMatchObject({
      kind: "guideline",
      id: "search",
      record: {
        content: { figures: { calls: 3, success_rate: 2 / 3, mean_token_cost: 100, mean_time_cost_s: 1 } },
      },
    });
    expect(memories[0]!.text).toBe(
      'search: the last failed call had the input {"query":"Python"} and the result no such page. 3 calls, 66.67 % successful, 100 tokens on average, 1 s on average.',
    );
    const found = await longTerm.retrieve("Python", { kinds: ["tool_call"], limit: 10 });
    expect(found.memories[0]!.text).toMatch(/^(search|calendar)\(\{"query":"Python"\}\) (gave|failed with)/);
  });

  it("are stored once each, and an invalid one is refused on its own", async () => {
    const { longTerm } = await openLongTerm();
    await longTerm.recordToolCalls(call());
    const { outcomes, guidelines } = await longTerm.recordToolCalls([
      call(),
      "no JSON",
      call({ success: "yes" }) as never,
      call({ create_time: "yesterday" }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["duplicate", "refused", "refused", "refused"]);
    expect(outcomes[2]!.reason).toMatch(/success/);
    expect(guidelines).toEqual([]);
    expect((await longTerm.guidelines(["search"])).memories[0]!.text).toContain("1 call, 100 % successful");
  });

  it("have advice from a model, and statistics that it cannot change", async () => {
    const advice = { json: { advice: "Quote names. 99 % of 12345 calls succeed." } };
    const { longTerm, server } = await openScripted([advice]);
    const { cost } = await longTerm.recordToolCalls([call(), call({ success: false })]);
    expect(cost.modelCalls).toBe(1);
    const [guideline] = (await longTerm.guidelines(["search"])).memories;
    expect(guideline!.record.content).toMatchObject({
      text: "Quote names. 99 % of 12345 calls succeed.",
      figures: { calls: 2, success_rate: 0.5 },
    });
    expect(requestOf(server.requests[0]!).prompt).toContain("2 calls, 50 % successful");
  });

  it("update their statistics if the model fails, and keep the earlier advice", async () => {
    const answers = [{ status: 401 }, { json: { advice: "Quote names." } }, { status: 401 }];
    const { longTerm } = await openScripted(answers);
    const { guidelines, unadvised } = await longTerm.recordToolCalls(call());
    expect(guidelines).toEqual(["search"]);
    expect(unadvised).toMatchObject([{ tool: "search", reason: expect.stringMatching(/^unauthorized: /) }]);
    expect((await longTerm.recordToolCalls(call())).guidelines).toEqual([]);
    for (const input of [1, 2]) await longTerm.recordToolCalls(call({ input }));
    const [guideline] = (await longTerm.guidelines(["search"])).memories;
    expect(guideline!.text).toBe(
      "Quote names. 3 calls, 100 % successful, 100 tokens on average, 1.5 s on average.",
    );
  });

  it("are all counted when two processes report one tool", async () => {
    const memory = await openMemory();
    const [one, two] = [await openLongTerm({ client: memory }), await openLongTerm({ client: memory })];
    const calls = Array.from({ length: 40 }, (_, n) => call({ input: { n }, success: n % 4 !== 0 }));
    await Promise.all(calls.map((report, n) => (n % 2 === 0 ? one : two).longTerm.recordToolCalls(report)));
    const [guideline] = (await one.longTerm.guidelines(["search"])).memories;
    expect(guideline!.record.content).toMatchObject({ figures: { calls: 40, success_rate: 0.75 } });
  });
});

describe("memories in a shared tier without the user's trust", () => {
  it("are in quarantine until they are promoted", async () => {
    const memory = await openMemory();
    const { longTerm } = await openLongTerm({ client: memory, tier: "semantic" });
    const bob = memory.forAgent("bob") as typeof memory;
    const reader = (await openLongTerm({ client: bob, tier: "semantic" })).longTerm;
    const { outcomes } = await longTerm.record([
      { role: "user", content: "I like the blue door" },
      { role: "assistant", content: "The door is always open" },
      { role: "tool", content: "The door code is 1234" },
    ]);
    expect(outcomes.map(({ quarantined }) => quarantined)).toEqual([undefined, true, true]);
    const [page] = (await longTerm.record("The door opens at night", { trust: "web" })).outcomes;
    expect(page!.quarantined).toBe(true);
    expect(await factTexts(reader)).toEqual(["I like the blue door"]);
    expect((await reader.retrieve("door", { quarantined: true })).memories).toHaveLength(3);
    expect((await longTerm.promote([outcomes[1]!.id!, "nobody"])).count).toBe(1);
    expect(await factTexts(reader)).toEqual(["I like the blue door", "The door is always open"]);
    const { memories } = await reader.retrieve("always open");
    expect(memories[0]!.record.metadata.trust).toBe("agent");
    expect((await longTerm.promote([outcomes[1]!.id!])).count).toBe(0);
    await longTerm.forget({ all: true });
    expect((await reader.retrieve("door", { quarantined: true })).memories).toEqual([]);
  });

  it("become current again if the shared fact was replaced, and are duplicates otherwise", async () => {
    const { longTerm } = await openLongTerm({ tier: "semantic" });
    const [fact] = (await longTerm.record("the door is red")).outcomes;
    await longTerm.update(fact!.id!, { text: "the door is green" });
    const { outcomes } = await longTerm.record(["the door is red", "the door is green"], { trust: "web" });
    expect((await longTerm.promote(outcomes.map(({ id }) => id!))).count).toBe(2);
    expect(await factTexts(longTerm)).toEqual(["the door is green", "the door is red"]);
    expect((await longTerm.retrieve("door", { quarantined: true })).memories).toEqual([]);
  });

  it("include guidelines, which other agents do not read before", async () => {
    const { longTerm } = await openLongTerm({ tier: "semantic" });
    await longTerm.recordToolCalls(call());
    expect((await longTerm.guidelines(["search"])).memories).toEqual([]);
    await longTerm.promote(["search"]);
    expect((await longTerm.guidelines(["search"])).memories).toHaveLength(1);
    await longTerm.recordToolCalls(call({ input: 2 }));
    await longTerm.promote(["search"]);
    expect((await longTerm.guidelines(["search"])).memories[0]!.text).toContain("2 calls");
  });

  it("never replace shared memories", async () => {
    const { longTerm } = await openScripted(
      (request) => {
        expect(requestOf(request).name).not.toBe("decisions");
        return { json: { facts: [{ text: "The door code is 1234", message: 1, category: null }] } };
      },
      { tier: "semantic" },
    );
    await longTerm.record("The door code is 9999", { infer: false });
    const { outcomes } = await longTerm.record([{ role: "tool", content: "code 1234" }]);
    expect(outcomes).toMatchObject([{ outcome: "new", quarantined: true }]);
    expect(await factTexts(longTerm)).toEqual(["The door code is 9999"]);
  });

  it("are in the main namespace if the tier is not shared", async () => {
    const { longTerm } = await openLongTerm();
    const { outcomes } = await longTerm.record("a page says so", { trust: "web" });
    expect(outcomes[0]!.quarantined).toBeUndefined();
    expect(await factTexts(longTerm)).toEqual(["a page says so"]);
  });
});
