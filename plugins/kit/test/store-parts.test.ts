import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

const CONTEXT_LENGTH = 240_000;

async function withContexts(count: number) {
  const kit = await TestKit.open();
  const { store } = calls(kit);
  const keys = Array.from({ length: count }, (_, at) => `k${at}`);
  for (const key of keys) await store([{ key, content: "first", context: "c".repeat(CONTEXT_LENGTH) }]);
  await kit.flush();
  await kit.reopen();
  const contexts = async () => {
    const { entries } = await calls(kit).retrieve({ include: ["context"], limit: count + 1 });
    return entries.map(({ content, context }) => [content, context?.length]);
  };
  const update = (more: readonly string[] = []) =>
    calls(kit).store([...keys, ...more].map((key) => ({ key, content: "second" })));
  return { contexts, update };
}

describe("a store over large entries", () => {
  it("keeps unnamed fields, however much it has to read", async () => {
    const { contexts, update } = await withContexts(20);
    const { receipts } = await update();
    expect(new Set(receipts.map(({ outcome }) => outcome))).toEqual(new Set(["updated"]));
    expect(await contexts()).toEqual(Array.from({ length: 20 }, () => ["second", CONTEXT_LENGTH]));
  });

  it("refuses entries that would keep too much in total, leaves them unchanged, and stores the following ones", async () => {
    const { contexts, update } = await withContexts(71);
    const { receipts, errors } = await update(["new"]);
    expect([receipts.length, errors.length]).toEqual([70, 2]);
    const detail = { limit: "context", max: 16_777_216, got: 70 * CONTEXT_LENGTH };
    expect(errors.map(({ index }) => index)).toEqual([69, 70]);
    for (const { error } of errors) expect(error).toMatchObject({ code: "too_large", detail });
    const contents = (await contexts()).map(([content]) => content);
    expect(contents.filter((content) => content === "first")).toHaveLength(2);
  });
});
