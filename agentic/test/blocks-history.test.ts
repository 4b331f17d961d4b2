import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockError } from "../src/blocks/index.js";
import { Blocks } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

/** A reference implementation of undo and redo: a value, up to 10 earlier values, and the undone ones. */
class PlainHistory {
  past: string[] = [];
  future: string[] = [];
  value = "";

  edit(value: string): void {
    if (value === this.value) return;
    this.past = [...this.past, this.value].slice(-10);
    this.future = [];
    this.value = value;
  }

  undo(): boolean {
    if (this.past.length === 0) return false;
    this.future.unshift(this.value);
    this.value = this.past.pop()!;
    return true;
  }

  redo(): boolean {
    if (this.future.length === 0) return false;
    this.past.push(this.value);
    this.value = this.future.shift()!;
    return true;
  }
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("edit" as const), value: fc.constantFrom("a", "b", "c", "d") }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("undo" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("redo" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("configure" as const), limit: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof BlockError && error.code.startsWith("nothing_to_")) return false;
      throw error;
    },
  );
}

async function take(blocks: Blocks, model: PlainHistory, taken: Step, label: string): Promise<string> {
  switch (taken.do) {
    case "edit":
      await blocks.rewrite(label, taken.value);
      model.edit(taken.value);
      break;
    case "undo":
      expect(await succeeds(blocks.undo(label))).toBe(model.undo());
      break;
    case "redo":
      expect(await succeeds(blocks.redo(label))).toBe(model.redo());
      break;
    case "configure":
      await blocks.configure(label, { limit: taken.limit });
      break;
    case "rename":
      await blocks.rename(label, `${label}x`);
      return `${label}x`;
  }
  return label;
}

describe("undo and redo", () => {
  it("match a reference implementation for any sequence of edits", async () => {
    const memory = await openAgent();
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const blocks = new Blocks(memory);
      const model = new PlainHistory();
      let label = "b";
      await blocks.create(label);
      for (const taken of steps) {
        label = await take(blocks, model, taken, label);
        const { value, undoCount, redoCount } = (await blocks.read(label))!;
        expect([value, undoCount, redoCount]).toEqual([model.value, model.past.length, model.future.length]);
      }
      const kept = await memory.retrieve({ namespace: "blocks", tier: "episodic", limit: 0 });
      expect(kept.total).toBeLessThanOrEqual(1 + 10 + 1);
      await blocks.delete(label);
      expect((await memory.retrieve({ namespace: "blocks", limit: 0 })).total).toBe(0);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it("go back 10 values, or `revisionCountMax`", async () => {
    const memory = await openAgent();
    for (const [revisionCountMax, label] of [
      [10, "ten"],
      [3, "three"],
      [0, "none"],
    ] as const) {
      const blocks = new Blocks(memory, { revisionCountMax });
      await blocks.create(label);
      for (let n = 1; n <= 15; n++) await blocks.rewrite(label, `${n}`);
      for (let n = 1; n <= revisionCountMax; n++) {
        expect((await blocks.undo(label)).value).toBe(`${15 - n}`);
      }
      await expect(blocks.undo(label)).rejects.toMatchObject({ code: "nothing_to_undo" });
      for (let n = 1; n <= revisionCountMax; n++) await blocks.redo(label);
      await expect(blocks.redo(label)).rejects.toMatchObject({ code: "nothing_to_redo" });
      expect((await blocks.read(label))!.value).toBe("15");
    }
  });

  it("undo the edit of another agent, but never a concurrent one", async () => {
    const alice = await openAgent();
    const ours = new Blocks(alice, { tier: "semantic" });
    const theirs = new Blocks(alice.forAgent("bob"), { tier: "semantic" });
    await ours.create("b", { value: "1" });
    await ours.rewrite("b", "2");
    expect((await theirs.undo("b")).value).toBe("1");
    let conflicts = 0;
    for (let round = 0; round < 20; round++) {
      await ours.rewrite("b", `before ${round}`);
      await ours.rewrite("b", `after ${round}`);
      const [append, undo] = await Promise.allSettled([ours.append("b", "more"), theirs.undo("b")]);
      expect(append.status).toBe("fulfilled");
      if (undo.status === "fulfilled") continue;
      conflicts += 1;
      expect(undo.reason).toMatchObject({ code: "conflict" });
      expect((await ours.read("b"))!.value).toBe(`after ${round}\nmore`);
    }
    expect(conflicts).toBeGreaterThan(0);
  });

  it("are not returned by searches for blocks", async () => {
    const memory = await openAgent();
    const blocks = new Blocks(memory);
    await blocks.create("b", { value: "elephants" });
    await blocks.rewrite("b", "giraffes");
    expect((await blocks.list()).map(({ value }) => value)).toEqual(["giraffes"]);
    expect((await memory.retrieve({ namespace: "blocks", query: "elephants" })).entries).toEqual([]);
  });
});

describe("rename", () => {
  it("moves the value, settings and history, and frees the old label", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("a", { value: "1", description: "d", limit: 9 });
    await blocks.rewrite("a", "2");
    const renamed = await blocks.rename("a", "b");
    expect(renamed).toMatchObject({ label: "b", value: "2", description: "d", limit: 9, undoCount: 1 });
    expect(await blocks.read("a")).toBe(undefined);
    await blocks.create("a", { value: "new" });
    expect((await blocks.undo("b")).value).toBe("1");
    expect((await blocks.list()).map(({ label, value }) => [label, value])).toEqual([
      ["b", "1"],
      ["a", "new"],
    ]);
  });

  it("rejects a label that another block has", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("a", { value: "1" });
    await blocks.create("b", { value: "2" });
    await expect(blocks.rename("a", "b")).rejects.toMatchObject({ code: "exists", label: "b" });
    await expect(blocks.rename("nobody", "c")).rejects.toMatchObject({ code: "not_found" });
    await expect(blocks.rename("a", "a")).rejects.toThrow(TypeError);
    expect((await blocks.list()).map(({ value }) => value)).toEqual(["1", "2"]);
  });

  it.each(["a", "b", "list", "delete"])(
    "is completed by the next caller after an interruption, by way of %s",
    async (way) => {
      const memory = await openAgent();
      const blocks = new Blocks(memory);
      await blocks.create("a", { value: "1" });
      await blocks.rewrite("a", "2");
      const [entry] = (await memory.retrieve({ namespace: "blocks", keys: [{ block: "a" }] })).entries;
      const metadata = { ...entry!.metadata, moved_to: "b" };
      await memory.inNamespace("blocks").store({ ...entry!, metadata });
      if (way === "list") expect((await blocks.list()).map(({ label }) => label)).toEqual(["b"]);
      if (way === "delete") expect(await blocks.delete("a")).toBe(false);
      if (way === "a") expect(await blocks.read("a")).toBe(undefined);
      if (way === "b") await blocks.list();
      expect((await blocks.undo("b")).value).toBe("1");
      expect(await blocks.read("a")).toBe(undefined);
      await blocks.delete("b");
      expect((await memory.retrieve({ namespace: "blocks", limit: 0 })).total).toBe(0);
    },
  );

  it("loses no concurrent edit, and keeps one of two concurrent names", async () => {
    for (let round = 0; round < 20; round++) {
      const blocks = new Blocks(await openAgent());
      await blocks.create("a");
      const [renamed, other, append] = await Promise.allSettled([
        blocks.rename("a", "b"),
        blocks.rename("a", "c"),
        blocks.append("a", "text"),
      ]);
      const [block, ...more] = await blocks.list();
      expect(more).toEqual([]);
      expect(["b", "c"]).toContain(block!.label);
      expect(block!.value).toBe(append.status === "fulfilled" ? "text" : "");
      expect([renamed.status, other.status]).toContain("fulfilled");
    }
  });
});
