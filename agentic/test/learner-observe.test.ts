import { describe, expect, it } from "vitest";
import { LongTermMemory, observe } from "../src/index.js";
import { ABOUT, openLearning } from "./learner-fixture.js";

async function openFact() {
  const { memory } = await openLearning();
  const longTerm = new LongTermMemory(memory, { about: ABOUT });
  const { outcomes } = await longTerm.record("The cat is called Tom");
  const score = async () => (await longTerm.retrieve("The cat is called Tom")).memories[0]!.score;
  return { memory, longTerm, score, id: outcomes[0]!.id! };
}

describe("observe", () => {
  it("lets what is of no use count for less, and what is of use for more", async () => {
    const { memory, score, id } = await openFact();
    const whole = await score();
    const less = await observe(memory, [id, id], false, { about: ABOUT });
    const text = "The cat is called Tom";
    expect(less).toEqual({ memories: [{ id, text, before: 1, after: 0.75 }], conflicts: [] });
    expect(await score()).toBeCloseTo(whole * 0.75, 5);
    const more = await observe(memory, [id, "nothing"], true, { about: ABOUT });
    expect(more).toEqual({ memories: [{ id, text, before: 0.75, after: 1 }], conflicts: [] });
    expect(await score()).toBeCloseTo(whole, 5);
  });

  it("goes down to a tenth, and up to the whole", async () => {
    const { memory, id } = await openFact();
    const weigh = async (useful: boolean) => {
      const { memories } = await observe(memory, [id], useful, { about: ABOUT });
      return memories[0]!.after;
    };
    for (let n = 0; n < 9; n++) await weigh(false);
    expect(await weigh(false)).toBe(0.1);
    for (let n = 0; n < 8; n++) await weigh(true);
    expect(await weigh(true)).toBe(1);
  });

  it("tells what it would do, and changes nothing", async () => {
    const { memory, score, id } = await openFact();
    const whole = await score();
    const planned = await observe(memory, [id, "nothing"], false, { about: ABOUT, dryRun: true });
    expect(planned.memories).toMatchObject([{ id, before: 1, after: 0.75 }]);
    expect(await score()).toBe(whole);
    expect(await observe(memory, [id, "nothing"], false, { about: ABOUT })).toEqual(planned);
  });

  it("counts what others observe at the same time", async () => {
    const { memory, id } = await openFact();
    await Promise.all([1, 2, 3].map(() => observe(memory, [id], false, { about: ABOUT })));
    const { memories } = await observe(memory, [id], true, { about: ABOUT, dryRun: true });
    expect(memories[0]!.before).toBeCloseTo(0.421_875, 9);
  });

  it("takes a bounded number of ids, and no option that it does not know", async () => {
    const { memory } = await openFact();
    const ids = Array.from({ length: 251 }, (_, n) => `id${n}`);
    await expect(observe(memory, ids, true, { about: ABOUT })).rejects.toThrow(
      "at most 250 ids at once, got 251",
    );
    expect(await observe(memory, ids.slice(1), true, { about: ABOUT })).toEqual({
      memories: [],
      conflicts: [],
    });
    expect(await observe(memory, [], true, { about: ABOUT })).toEqual({ memories: [], conflicts: [] });
    await expect(observe(memory, [], true, { about: ABOUT, dryrun: true } as never)).rejects.toThrow(
      "dryRun",
    );
    await expect(observe(memory, [], true, { about: "" })).rejects.toThrow("about must be");
  });
});
