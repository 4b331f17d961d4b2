import { LIMITS } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { openFixture } from "./client-fixture.js";

const GOOD = { key: "good", content: 1 };
const cyclic: unknown[] = [];
cyclic.push(cyclic);

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe("invalid calls throw a TypeError before anything is sent", () => {
  it.each([
    ["NaN", { key: "a", content: { x: Number.NaN } }, "entries[1].content.x must be a finite number"],
    [
      "nested undefined",
      { key: "a", content: [undefined] },
      "entries[1].content[0] has type undefined, which a message cannot carry",
    ],
    [
      "a function",
      { key: "a", content: () => 1 },
      "entries[1].content has type function, which a message cannot carry",
    ],
    [
      "a BigInt",
      { key: "a", content: 1n },
      "entries[1].content has type bigint, which a message cannot carry",
    ],
    ["a date", { key: "a", content: new Date(0) }, "entries[1].content must be a plain JSON value"],
    ["a map", { key: "a", content: new Map() }, "entries[1].content must be a plain JSON value"],
    [
      "binary",
      { key: "a", content: { raw: Buffer.from("x") } },
      "entries[1].content.raw must not be binary, only an embedding may be",
    ],
    ["a cycle", { key: "a", content: cyclic }, "depth is at most 64, got 65 (the value may contain a cycle)"],
    ["no content", { key: "a" }, "entries[1] must have a `content`"],
    ["undefined as content", { key: "a", content: undefined }, "entries[1] must have a `content`"],
    ["no key", { content: 1 }, "entries[1] must have a `key`"],
    ["not an object", "a", "entries[1] must be an object"],
    ["a mistyped field", { key: "a", content: 1, tag: ["x"] }, "unknown field `tag` (did you mean `tags`?)"],
    ["a mistyped condition", { key: "a", content: 1, if_revison: 0 }, "(did you mean `if_revision`?)"],
  ])("%s", async (_name, entry, message) => {
    const { client, host } = await openFixture();
    const storing = client.store([GOOD, entry as never]);
    await expect(storing).rejects.toThrow(TypeError);
    await expect(storing).rejects.toThrow(message);
    expect(host.requests).toEqual([]);
  });

  it.each([
    [{ akc: "queued" }, "unknown option `akc` (did you mean `ack`?)"],
    [{ ack: "now" }, "ack must be one of stored, queued, got now"],
    [{ id: "" }, "id must be 1..120 printable characters"],
    [{ id: "x".repeat(121) }, "id must be 1..120 printable characters"],
    [{ id: "a\nb" }, "id must be 1..120 printable characters"],
    [{ timeoutMs: 0 }, "timeoutMs must be an integer of 1..600000, got 0"],
    [{ retryTimeoutMs: -1 }, "retryTimeoutMs must be an integer of 0..86400000, got -1"],
    [{ requires: "durable" }, "requires must be a list"],
    [{ signal: {} }, "signal must be an AbortSignal"],
  ])("%j", async (options, message) => {
    const { client, host } = await openFixture();
    await expect(client.store(GOOD, options as never)).rejects.toThrow(new TypeError(message));
    expect(host.requests).toEqual([]);
  });
});

describe("invalid data is an error of its entry", () => {
  it.each([
    ["a lone surrogate", { key: "a", content: "\ud800" }, "schema_violation"],
    ["a field named __proto__", { key: "a", content: JSON.parse('{"__proto__":1}') }, "schema_violation"],
    ["65 levels", { key: "a", content: nested(65) }, "too_large"],
    ["5000 levels", { key: "a", content: nested(5_000) }, "too_large"],
    [
      "1025 fields",
      { key: "a", content: Object.fromEntries(Array.from({ length: 1_025 }, (_, n) => [n, n])) },
      "too_large",
    ],
    ["2 MB", { key: "a", content: "x".repeat(2 * 1024 * 1024) }, "too_large"],
    ["one byte over 256 KiB", { key: "a", content: "x".repeat(LIMITS.entryBytes - 23) }, "too_large"],
  ])("%s", async (_name, entry, code) => {
    const { client, host } = await openFixture();
    const { stored, errors } = await client.store([entry as never, GOOD], { partial: true });
    expect(stored).toEqual(["good"]);
    expect(errors).toMatchObject([{ index: 0, key: "a", code, retryable: false }]);
    expect(host.bodies.map(({ entries }) => entries)).toEqual([[GOOD]]);
  });

  it("reports the path in the entry", async () => {
    const { client } = await openFixture();
    const { errors } = await client.store([GOOD, { key: "a", content: { text: "\ud800" } }], {
      partial: true,
    });
    expect(errors).toMatchObject([
      { index: 1, message: "content.text contains a lone surrogate", detail: { path: "content.text" } },
    ]);
  });

  it("sends nothing if there is no valid entry", async () => {
    const { client, host } = await openFixture();
    const { stored, errors, requestIds } = await client.store(
      { key: "a", content: "x".repeat(2_000_000) },
      { partial: true },
    );
    expect(stored).toEqual([]);
    expect(requestIds).toEqual([]);
    expect(errors[0]).toMatchObject({ detail: { limit: "entryBytes", max: 262_144, got: 2_000_024 } });
    expect(host.requests).toEqual([]);
  });

  it("accepts an entry of the maximum size", async () => {
    const { client } = await openFixture();
    const entry = { key: "a", content: "x".repeat(LIMITS.entryBytes - 24) };
    expect((await client.store(entry)).stored).toEqual(["a"]);
  });
});
