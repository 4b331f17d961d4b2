import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

const CONTEXT_LENGTH = 240_000;

async function withContexts(count: number) {
  const kit = await TestKit.open();
  const { store } = calls(kit);
  const keys = Array.from({ length: count }, (_, at) => `k${at}`);
  for (const key of keys) await store([{ key, content: "first", context: "c".repeat(CONTEXT_LENGTH) }]);
  await kit.fold();
  await kit.reopen();
  const contexts = async () => {
    const { entries } = await calls(kit).retrieve({ include: ["context"], limit: count });
    return entries.map(({ content, context }) => [content, context?.length]);
  };
  return { contexts, update: () => calls(kit).store(keys.map((key) => ({ key, content: "second" }))) };
}

describe("a store over large entries", () => {
  it("keeps what it does not name, however much it reads for that", async () => {
    const { contexts, update } = await withContexts(20);
    const { receipts } = await update();
    expect(new Set(receipts.map(({ outcome }) => outcome))).toEqual(new Set(["updated"]));
    expect(await contexts()).toEqual(Array.from({ length: 20 }, () => ["second", CONTEXT_LENGTH]));
  });

  it("refuses those that would keep too much with the others, and changes nothing of them", async () => {
    const { contexts, update } = await withContexts(71);
    const { receipts, errors } = await update();
    expect([receipts.length, errors.length]).toEqual([69, 2]);
    const detail = { limit: "context", max: 16_777_216, got: 70 * CONTEXT_LENGTH };
    expect(errors[0]).toMatchObject({ index: 69, error: { code: "too_large", detail } });
    const contents = (await contexts()).map(([content]) => content);
    expect(contents.filter((content) => content === "first")).toHaveLength(2);
  });
});
