import { describe, expect, it } from "vitest";
import { LongTermMemory } from "../src/index.js";
import { observe } from "../src/learner/index.js";
import { openLearning, SUBJECT } from "./learner-fixture.js";

async function openFact() {
  const { memory } = await openLearning();
  const longTerm = new LongTermMemory(memory, { subject: SUBJECT });
  const { outcomes } = await longTerm.record("The cat is called Tom");
  const score = async () => (await longTerm.retrieve("The cat is called Tom")).memories[0]!.score;
  return { memory, longTerm, score, id: outcomes[0]!.id! };
}

describe("observe", () => {
  it("lowers the importance of useless memories and raises it for useful ones", async () => {
    const { memory, score, id } = await openFact();
    const whole = await score();
    const less = await observe(memory, [id, id], false, { subject: SUBJECT });
    const text = "The cat is called Tom";
    expect(less).toEqual({ memories: [{ id, text, before: 1, after: 0.75 }], conflicts: [] });
    expect(await score()).toBeCloseTo(whole * 0.9375, 5);
    const more = await observe(memory, [id, "nothing"], true, { subject: SUBJECT });
    expect(more).toEqual({ memories: [{ id, text, before: 0.75, after: 1 }], conflicts: [] });
    expect(await score()).toBeCloseTo(whole, 5);
  });

  it("stays between a tenth and one", async () => {
    const { memory, id } = await openFact();
    const weigh = async (useful: boolean) => {
      const { memories } = await observe(memory, [id], useful, { subject: SUBJECT });
      return memories[0]!.after;
    };
    for (let n = 0; n < 9; n++) await weigh(false);
    expect(await weigh(false)).toBe(0.1);
    for (let n = 0; n < 8; n++) await weigh(true);
    expect(await weigh(true)).toBe(1);
  });

  it("reports the changes in a dry run and changes nothing", async () => {
    const { memory, score, id } = await openFact();
    const whole = await score();
    const planned = await observe(memory, [id, "nothing"], false, { subject: SUBJECT, dryRun: true });
    expect(planned.memories).toMatchObject([{ id, before: 1, after: 0.75 }]);
    expect(await score()).toBe(whole);
    expect(await observe(memory, [id, "nothing"], false, { subject: SUBJECT })).toEqual(planned);
  });

  it("applies concurrent observations", async () => {
    const { memory, id } = await openFact();
    await Promise.all([1, 2, 3].map(() => observe(memory, [id], false, { subject: SUBJECT })));
    const { memories } = await observe(memory, [id], true, { subject: SUBJECT, dryRun: true });
    expect(memories[0]!.before).toBeCloseTo(0.421_875, 9);
  });

  it("limits the number of ids and rejects an unknown option", async () => {
    const { memory } = await openFact();
    const ids = Array.from({ length: 251 }, (_, n) => `id${n}`);
    await expect(observe(memory, ids, true, { subject: SUBJECT })).rejects.toThrow(
      "too many ids: 251, limit 250. Split them into several calls",
    );
    expect(await observe(memory, ids.slice(1), true, { subject: SUBJECT })).toEqual({
      memories: [],
      conflicts: [],
    });
    expect(await observe(memory, [], true, { subject: SUBJECT })).toEqual({ memories: [], conflicts: [] });
    await expect(observe(memory, [], true, { subject: SUBJECT, dryrun: true } as never)).rejects.toThrow(
      "dryRun",
    );
    await expect(observe(memory, [], true, { subject: "" })).rejects.toThrow("subject must be");
  });
});
