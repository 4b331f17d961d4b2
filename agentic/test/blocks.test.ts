import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rejection } from "../../bus/test/expect-error.js";
import { BlockError, type BlockErrorCode, type NewBlock } from "../src/blocks/index.js";
import { Blocks } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

async function refusal(work: Promise<unknown>, code: BlockErrorCode): Promise<BlockError> {
  const error: unknown = await work.then(
    () => "no error was thrown",
    (reason: unknown) => reason,
  );
  if (!(error instanceof BlockError)) return expect.fail(`expected a BlockError, got ${String(error)}`);
  expect(error.code, error.message).toBe(code);
  return error;
}

async function blocksWith(value: NewBlock["value"], settings: NewBlock = {}): Promise<Blocks> {
  const blocks = new Blocks(await openAgent());
  await blocks.create("b", { value, ...settings });
  return blocks;
}

const valueIn = async (blocks: Blocks, label = "b") => (await blocks.read(label))?.value;

describe("a block", () => {
  it("is created, read, listed and deleted", async () => {
    const memory = await openAgent();
    const blocks = new Blocks(memory);
    const created = await blocks.create("human", { value: "Ada", description: "who it is", limit: 50 });
    expect(created).toMatchObject({ label: "human", value: "Ada", description: "who it is", limit: 50 });
    expect(created).toMatchObject({ readOnly: false, schema: undefined, undoCount: 0, redoCount: 0 });
    expect(await blocks.read("human")).toEqual(created);
    await blocks.create("persona");
    expect((await blocks.list()).map(({ label, value }) => [label, value])).toEqual([
      ["human", "Ada"],
      ["persona", ""],
    ]);
    expect(
      (await memory.retrieve({ namespace: "blocks", keys: [{ block: "human" }] })).entries,
    ).toMatchObject([
      {
        tier: "episodic",
        content: { value: "Ada", description: "who it is", limit: 50, read_only: false },
        metadata: { kind: "block", label: "human" },
      },
    ]);
    expect([await blocks.delete("human"), await blocks.delete("human")]).toEqual([true, false]);
    expect(await blocks.read("human")).toBe(undefined);
  });

  it("is created once, also by two concurrent calls", async () => {
    const blocks = new Blocks(await openAgent());
    const both = await Promise.allSettled([
      blocks.create("b", { value: "1" }),
      blocks.create("b", { value: "2" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await refusal(blocks.create("b"), "exists");
  });

  it("leaves no entries after it is deleted", async () => {
    const memory = await openAgent();
    const blocks = new Blocks(memory);
    await blocks.create("b", { value: "secret" });
    for (const value of ["one", "two", "three"]) await blocks.rewrite("b", value);
    await blocks.undo("b");
    await blocks.delete("b");
    expect((await memory.retrieve({ namespace: "blocks", limit: 0 })).total).toBe(0);
  });

  it("is limited in number by `blockCountMax`", async () => {
    const blocks = new Blocks(await openAgent(), { blockCountMax: 2 });
    await blocks.create("1");
    await blocks.create("2");
    await refusal(blocks.create("3"), "too_many");
  });

  it("is visible to other agents only in the semantic tier", async () => {
    const alice = await openAgent();
    const bob = alice.forAgent("bob");
    await new Blocks(alice).create("own");
    await new Blocks(alice, { tier: "semantic" }).create("team", { value: "a" });
    expect(await new Blocks(bob).list()).toEqual([]);
    await new Blocks(bob, { tier: "semantic" }).append("team", "b");
    expect(await valueIn(new Blocks(alice, { tier: "semantic" }), "team")).toBe("a\nb");
  });

  it.each(["", " a", "a\nb", "x".repeat(129), 7 as never])("rejects the label %j", async (label) => {
    await expect(new Blocks(await openAgent()).create(label)).rejects.toThrow(TypeError);
  });
});

describe("text edits", () => {
  it("append on a new line, unless the block is empty", async () => {
    const blocks = await blocksWith("");
    await blocks.append("b", "one");
    expect((await blocks.append("b", "two")).value).toBe("one\ntwo");
  });

  it.each([
    [0, "new\none\ntwo"],
    [1, "one\nnew\ntwo"],
    [2, "one\ntwo\nnew"],
    [-1, "one\ntwo\nnew"],
  ])("insert after line %i", async (line, value) => {
    expect((await (await blocksWith("one\ntwo")).insert("b", line, "new")).value).toBe(value);
  });

  it("insert into an empty block, but not after a line that does not exist", async () => {
    const blocks = await blocksWith("");
    await refusal(blocks.insert("b", 1, "x"), "no_match");
    await expect(blocks.insert("b", -2, "x")).rejects.toThrow(TypeError);
    expect((await blocks.insert("b", 0, "x")).value).toBe("x");
  });

  it("replace a literal text that occurs exactly once", async () => {
    const blocks = await blocksWith("likes tea (a lot). $& aa aaa");
    expect((await blocks.replace("b", "tea (a lot).", "$& and $1")).value).toBe("likes $& and $1 $& aa aaa");
    await refusal(blocks.replace("b", "coffee", "tea"), "no_match");
    await refusal(blocks.replace("b", "$&", "x"), "ambiguous");
    await refusal(blocks.replace("b", "aa", "x"), "ambiguous");
    expect((await blocks.replace("b", "aaa", "b")).value).toBe("likes $& and $1 $& aa b");
    await expect(blocks.replace("b", "", "x")).rejects.toThrow("the text to replace must not be empty");
  });

  it("store nothing if they change nothing", async () => {
    const blocks = await blocksWith("same");
    const { revision } = await blocks.rewrite("b", "same");
    expect(await blocks.replace("b", "same", "same")).toMatchObject({ revision, undoCount: 0 });
  });

  it("are rejected if the block does not exist or is not a text", async () => {
    const blocks = await blocksWith({ n: 1 }, { schema: z.object({ n: z.number() }) });
    await refusal(blocks.append("nobody", "x"), "not_found");
    await refusal(blocks.append("b", "x"), "wrong_kind");
    await expect(blocks.append("b", 5 as never)).rejects.toThrow(TypeError);
  });
});

describe("a limit", () => {
  it("counts characters, and rejects a longer value instead of cutting it", async () => {
    const blocks = await blocksWith("12345", { limit: 8 });
    expect((await blocks.append("b", "😀😀")).value).toBe("12345\n😀😀");
    const error = await refusal(blocks.append("b", ""), "too_long");
    expect(error.message).toBe(
      "block b: the value has 9 characters, limit 8. Shorten it, or raise the block's limit",
    );
    await refusal(blocks.rewrite("b", "123456789"), "too_long");
    expect(await valueIn(blocks)).toBe("12345\n😀😀");
    await refusal(blocks.configure("b", { limit: 7 }), "too_long");
    await refusal(blocks.create("c", { value: "12", limit: 1 }), "too_long");
    expect((await blocks.configure("b", { limit: 9 })).limit).toBe(9);
    expect((await blocks.append("b", "")).value).toBe("12345\n😀😀\n");
  });

  it("applies in addition to the limit of an entry", async () => {
    const blocks = await blocksWith("", { limit: 200_000 });
    await rejection(blocks.rewrite("b", "é".repeat(150_000)), "too_large");
    expect(await valueIn(blocks)).toBe("");
  });
});

describe("settings", () => {
  it("prevents every edit of a read-only block until it is writable again", async () => {
    const blocks = await blocksWith("one");
    await blocks.rewrite("b", "two");
    await blocks.configure("b", { readOnly: true });
    await refusal(blocks.append("b", "x"), "read_only");
    await refusal(blocks.rewrite("b", "x"), "read_only");
    await refusal(blocks.undo("b"), "read_only");
    await refusal(blocks.rename("b", "c"), "read_only");
    await refusal(blocks.delete("b"), "read_only");
    const { readOnly, undoCount, value } = await blocks.configure("b", { readOnly: false, description: "d" });
    expect([readOnly, undoCount, value]).toEqual([false, 1, "two"]);
    expect(await blocks.undo("b")).toMatchObject({ value: "one", description: "d" });
  });

  it.each([
    [{ limit: 0 }, "limit must be an integer of 1..200000, got 0"],
    [{ readonly: true }, "unknown option `readonly` (did you mean `readOnly`?)"],
    [{ description: "x".repeat(4_001) }, "description must be a text of at most 4000 characters"],
  ])("refuse %j", async (settings, message) => {
    const blocks = await blocksWith("");
    await expect(blocks.configure("b", settings as never)).rejects.toThrow(new TypeError(message));
    await expect(blocks.create("c", settings as never)).rejects.toThrow(new TypeError(message));
  });
});

describe("compare and set", () => {
  it("rejects an edit of another revision, and reports the current one", async () => {
    const blocks = await blocksWith("one");
    const { revision: old } = (await blocks.read("b"))!;
    const { revision } = await blocks.append("b", "two", { ifRevision: old });
    for (const edit of [
      () => blocks.append("b", "x", { ifRevision: old }),
      () => blocks.rewrite("b", "x", { ifRevision: old }),
      () => blocks.undo("b", { ifRevision: old }),
      () => blocks.configure("b", { limit: 9 }, { ifRevision: old }),
      () => blocks.rename("b", "c", { ifRevision: old }),
    ]) {
      expect((await refusal(edit(), "conflict")).revision).toBe(revision);
    }
    expect(await valueIn(blocks)).toBe("one\ntwo");
  });

  it("loses no concurrent append, and makes none twice", async () => {
    const memory = await openAgent();
    const all = Array.from({ length: 12 }, () => new Blocks(memory, { attemptsMax: 100 }));
    await all[0]!.create("b");
    await Promise.all(all.map((blocks, n) => blocks.append("b", `line ${n}`)));
    const lines = String(await valueIn(all[0]!)).split("\n");
    expect(lines.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `line ${n}`).toSorted());
  });

  it("lets one of two concurrent rewrites win, and rejects the other", async () => {
    let conflicts = 0;
    for (let round = 0; round < 20; round++) {
      const blocks = await blocksWith("old");
      const both = await Promise.allSettled([blocks.rewrite("b", "1"), blocks.rewrite("b", "2")]);
      const lost = both.findIndex(({ status }) => status === "rejected");
      if (lost === -1) continue;
      conflicts += 1;
      await refusal(Promise.reject((both[lost] as PromiseRejectedResult).reason), "conflict");
      expect(await valueIn(blocks)).toBe(lost === 0 ? "2" : "1");
    }
    expect(conflicts).toBeGreaterThan(0);
  });

  it("reports a replace after its text was replaced concurrently", async () => {
    const blocks = await blocksWith("likes tea");
    const edits = ["coffee", "water"].map((drink) => blocks.replace("b", "tea", drink));
    const both = await Promise.allSettled(edits);
    const rejected = both.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(rejected).toHaveLength(1);
    const error = await refusal(Promise.reject(rejected[0]!.reason), "conflict");
    expect(error.revision).toBe((await blocks.read("b"))!.revision);
  });

  it("gives up after `attemptsMax` attempts, with the current revision", async () => {
    const memory = await openAgent();
    const blocks = new Blocks(memory, { attemptsMax: 1 });
    await blocks.create("b");
    const edits = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => blocks.append("b", `${n}`)));
    const rejected = edits.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected) await refusal(Promise.reject(reason), "conflict");
    expect(String(await valueIn(blocks)).split("\n")).toHaveLength(8 - rejected.length);
  });
});
