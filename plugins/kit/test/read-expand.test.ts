import { keyHash, type MemoryEntry } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { TestKit } from "./kit-fixture.js";
import { forgetRequest, retrieveRequest, scope, selector, storeRequest } from "./kit-requests.js";
import { kitWith, names } from "./steering-fixture.js";

const TALK = Array.from({ length: 7 }, (_, index) => ({
  key: `turn ${index}`,
  content: index === 3 ? "the heron is back" : `what was said in turn ${index}`,
  group: "talk",
  importance: (index + 1) / 10,
  context: "a talk",
}));
const heron = { query: "heron", mode: "text" } as const;

function around({ neighbours }: MemoryEntry) {
  return { before: names(neighbours!.before), after: names(neighbours!.after) };
}

describe("neighbours (clauses RET-29 and RET-30)", () => {
  it("are the nearest of the group by seq, in its order, with their importance as score", async () => {
    const { find } = await kitWith([...TALK, { key: "apart", content: "nothing", group: "other" }]);
    const { entries, total } = await find({ ...heron, expand: { before: 2, after: 1 } });
    expect(total).toBe(1);
    expect(around(entries[0]!)).toEqual({ before: ["turn 1", "turn 2"], after: ["turn 4"] });
    expect(entries[0]!.neighbours!.before.map(({ score }) => score)).toEqual([0.2, 0.3]);
    expect(entries[0]!.neighbours!.before[0]).not.toHaveProperty("context");
  });

  it("are at most those that exist, and none without a group", async () => {
    const { find } = await kitWith([...TALK, { key: "alone", content: "a heron alone" }]);
    const { entries } = await find({ ...heron, expand: { before: 20, after: 20 } });
    const byName = new Map(entries.map((entry) => [entry.key.name, entry]));
    expect(around(byName.get("turn 3")!)).toEqual({
      before: ["turn 0", "turn 1", "turn 2"],
      after: ["turn 4", "turn 5", "turn 6"],
    });
    expect(around(byName.get("alone")!)).toEqual({ before: [], after: [] });
    const { entries: plain } = await find(heron);
    expect(plain[0]).not.toHaveProperty("neighbours");
  });

  it("include the context if requested, and never a vector", async () => {
    const { find } = await kitWith(TALK);
    const { entries } = await find({
      ...heron,
      expand: { before: 0, after: 1 },
      include: ["context", "embedding"],
    });
    expect(entries[0]).toHaveProperty("embedding");
    expect(entries[0]!.neighbours!.after[0]).toMatchObject({ context: "a talk" });
    expect(entries[0]!.neighbours!.after[0]).not.toHaveProperty("embedding");
  });

  it.each([
    ["found by a scan", false],
    ["found by the attribute index", true],
  ])(
    "keep their place after an update, and exclude forgotten or expired entries, %s",
    async (_how, isIndexed) => {
      const { find, store, plugin, clock } = await kitWith(
        TALK.map((turn) => (turn.key === "turn 5" ? { ...turn, ttl: 60 } : turn)),
      );
      await store([{ key: "turn 2", content: "said again" }]);
      const forget = forgetRequest({ keys: ["turn 1"] }, { at: clock.now() });
      await plugin.onForget(selector({ tier: "working" }), forget);
      clock.advance(61);
      const criteria = isIndexed ? { group: "talk" } : {};
      const { entries } = await find({ ...heron, criteria, expand: { before: 2, after: 2 } });
      expect(around(entries[0]!)).toEqual({ before: ["turn 0", "turn 2"], after: ["turn 4", "turn 6"] });
      expect(entries[0]!.neighbours!.before[1]!.content).toBe("said again");
    },
  );

  it("need not meet the criteria, and are in the entry's partition", async () => {
    const { find, store } = await kitWith([], {});
    await store(TALK, "a/x");
    await store(
      TALK.map((turn) => ({ ...turn, content: "elsewhere" })),
      "a/y",
    );
    const { entries } = await find(
      { criteria: { keys: ["turn 3"] }, query: "heron", mode: "text", expand: { before: 1, after: 1 } },
      "a/**",
    );
    expect(entries.map(({ namespace }) => namespace)).toEqual(["a/x"]);
    expect(around(entries[0]!)).toEqual({ before: ["turn 2"], after: ["turn 4"] });
    expect(entries[0]!.neighbours!.after[0]!.namespace).toBe("a/x");
  });

  it("are read from storage after a restart", async () => {
    const kit = await TestKit.open();
    await kit.plugin.onStore(scope(), storeRequest(TALK, { at: kit.clock.now() }));
    await kit.flush();
    await kit.reopen();
    const request = retrieveRequest({ criteria: { keys: ["turn 0"] }, expand: { before: 3, after: 2 } });
    const { entries } = await kit.plugin.onRetrieve(selector(), request);
    expect(entries[0]!.key_hash).toBe(keyHash({ name: "turn 0" }));
    expect(around(entries[0]!)).toEqual({ before: [], after: ["turn 1", "turn 2"] });
  });
});
