import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InspectedGateway } from "./inspected-gateway.js";

const fixture = new InspectedGateway();
beforeAll(() => fixture.open({ inspectorEdit: true }));
afterAll(() => fixture.stop());

const PLACE = { tier: "episodic", namespace: "default" };

async function post(path: string, body: object, to = fixture.url) {
  const response = await fetch(`${to}/inspector/${path}?tenant=default&agent=alice`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function stored(key: string, rest: object = {}) {
  const { receipts } = await fixture.alice.store({
    key,
    content: `the content of ${key}`,
    tier: "episodic",
    ...rest,
  });
  return receipts[0]!;
}

const entryOf = async (key: string) =>
  (await fixture.alice.retrieve({ keys: [key], tier: "episodic" })).entries[0];

describe("an inspector without --edit", () => {
  it.each(["edit", "forget", "forget/preview"])("rejects %s", async (path) => {
    const { key_hash: key, revision } = await stored("kept");
    const shown = await fixture.gateway();
    const body = { ...PLACE, key, keys: [key], content: "changed", tags: [], revision };
    const answer = await post(path, body, shown.url);
    expect(answer).toMatchObject({ status: 403, body: { error: { code: "unauthorized" } } });
    expect(await entryOf("kept")).toMatchObject({ content: "the content of kept", revision });
  });
});

describe("an edit", () => {
  it("changes only content and tags", async () => {
    const extra = {
      metadata: { lang: "en" },
      importance: 0.5,
      source: "a book",
      occurred_at: 1_000,
      ttl: 5_000,
    };
    const { key_hash: key, revision } = await stored("edited", extra);
    const before = await entryOf("edited");
    const answer = await post("edit", { ...PLACE, key, content: { any: ["json"] }, tags: ["new"], revision });
    expect(answer).toMatchObject({ status: 200, body: { outcome: "updated" } });
    const { content, tags, revision: after, timestamps, ttl, ...same } = (await entryOf("edited"))!;
    expect({ content, tags, after }).toEqual({
      content: { any: ["json"] },
      tags: ["new"],
      after: answer.body.revision,
    });
    const { content: _c, tags: _t, revision: _r, timestamps: times, ttl: _l, ...others } = before!;
    expect(same).toEqual({ ...others, text: same.text });
    expect(timestamps.created).toBe(times.created);
  });

  it("of an old revision is rejected and changes nothing", async () => {
    const { key_hash: key, revision } = await stored("contended");
    await fixture.alice.store({ key: "contended", content: "somebody else's", tier: "episodic" });
    const answer = await post("edit", { ...PLACE, key, content: "mine", tags: [], revision });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    expect(await entryOf("contended")).toMatchObject({ content: "somebody else's" });
  });

  it("of a missing entry is rejected", async () => {
    const answer = await post("edit", { ...PLACE, key: "0".repeat(64), content: 1, tags: [], revision: 1 });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: "memory_not_found" } } });
  });

  it.each([
    [{ tags: "x" }, "tags: must be a list of strings"],
    [{ content: undefined }, "content: is required"],
    [{ revision: 0 }, "revision: must be the revision of the entry"],
    [{ tier: "attic" }, "tier: must be one of working, episodic, semantic"],
    [{ namespace: 1 }, "namespace: must be a non-empty string"],
    [{ key: "" }, "key: must be a non-empty string"],
  ])("with %j is rejected", async (wrong, message) => {
    const body = { ...PLACE, key: "0".repeat(64), content: 1, tags: [], revision: 1, ...wrong };
    expect(await post("edit", body)).toMatchObject({ status: 400, body: { error: { message } } });
  });
});

describe("a forget", () => {
  const texts = (victims: unknown) =>
    (victims as { text: string; level: number }[]).map(({ text, level }) => [text, level]);

  it("has a preview of derived entries, without those that have another source", async () => {
    const root = (await stored("root")).key_hash;
    const other = (await stored("other")).key_hash;
    const child = (await stored("child", { sources: [root] })).key_hash;
    await stored("grandchild", { sources: [child] });
    await stored("shared child", { sources: [root, other] });
    await stored("orphaned child", { sources: [root, "0".repeat(64)] });
    const body = { ...PLACE, keys: [root], cascade: true };
    const preview = await post("forget/preview", body);
    expect(texts(preview.body.victims).sort()).toEqual([
      ["the content of child", 1],
      ["the content of grandchild", 2],
      ["the content of orphaned child", 1],
      ["the content of root", 0],
    ]);
    expect(preview.body).toMatchObject({ deleted: 4, by_tier: { episodic: 4 } });
    expect(await entryOf("root")).toBeDefined();
    expect(await post("forget", body)).toMatchObject({ status: 200, body: { deleted: 4 } });
    expect(await entryOf("grandchild")).toBeUndefined();
    expect(await entryOf("shared child")).toBeDefined();
  });

  it("removes only the named entries", async () => {
    const { key_hash } = await stored("single");
    await stored("derived", { sources: [key_hash] });
    const body = { ...PLACE, keys: [key_hash] };
    const preview = await post("forget/preview", body);
    expect(texts(preview.body.victims)).toEqual([["the content of single", 0]]);
    expect(await post("forget", body)).toMatchObject({ body: { deleted: 1 } });
    expect(await entryOf("derived")).toBeDefined();
  });

  it.each([
    [{ keys: [] }, "keys: must be a list of 1..200 key hashes"],
    [{ keys: undefined }, "keys: must be a list of 1..200 key hashes"],
    [{ keys: Array(201).fill("0".repeat(64)) }, "keys: must be a list of 1..200 key hashes"],
    [{ cascade: "yes" }, "cascade: must be true or false"],
    [{ tier: undefined }, "tier: must be one of working, episodic, semantic"],
    [{ namespace: undefined }, "namespace: must be a non-empty string"],
  ])("with %j is rejected", async (wrong, message) => {
    const body = { ...PLACE, keys: ["0".repeat(64)], ...wrong };
    for (const path of ["forget", "forget/preview"]) {
      expect(await post(path, body)).toMatchObject({ status: 400, body: { error: { message } } });
    }
  });
});
