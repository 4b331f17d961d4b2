import { describe, expect, it } from "vitest";
import {
  checkEntrySize,
  checkWhere,
  isRequestType,
  MemoryError,
  parseRequest,
  parseStoreEntry,
  readableId,
} from "../src/index.js";

function refusal(run: () => unknown): MemoryError {
  try {
    run();
  } catch (error) {
    if (error instanceof MemoryError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("error messages", () => {
  it.each([
    ["tag", "unknown field `tag` (did you mean `tags`?)"],
    ["quary", "unknown field `quary` (did you mean `query`?)"],
    ["minScore", "unknown field `minScore` (did you mean `min_score`?)"],
    ["completely_different", "unknown field `completely_different`"],
  ])("suggest a similar field for %s", (field, message) => {
    expect(refusal(() => parseRequest({ type: "memory/retrieve/req", [field]: 1 })).message).toBe(message);
  });

  it("suggest a similar type, condition or where field", () => {
    expect(refusal(() => parseRequest({ type: "memory/stor/req" })).message).toContain("`memory/store/req`");
    expect(refusal(() => parseStoreEntry({ key: "a", content: 1, if_revison: 0 })).message).toBe(
      "unknown condition `if_revison` (did you mean `if_revision`?)",
    );
    const leaf = { field: "metadta.lang", op: "eq", value: "en" };
    expect(refusal(() => checkWhere(leaf)).message).toContain("(did you mean `metadata.lang`?)");
    expect(refusal(() => checkWhere({ and: [] })).message).toContain("(did you mean `any`?)");
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, "key: must be a non-empty object or a string"],
    [{ key: {} }, "key: must have at least one field"],
    [{ key: "a" }, "content: is required"],
    [
      { key: "a", content: 1, metadata: { a: {} } },
      "metadata.a: must be a string, a number, a boolean or a list of strings",
    ],
    [{ key: "a", content: 1, tags: Array(300).fill("t") }, "tags is too large: 300, limit 256"],
    [
      { key: "a", content: 1, embedding: "x" },
      "embedding: must be a list of numbers, or binary in MessagePack",
    ],
  ])("describe the problem of an entry: %j", (entry, message) => {
    expect(refusal(() => parseStoreEntry({ ...entry })).message).toBe(message);
  });
});

describe("a where tree", () => {
  it("can be checked separately", () => {
    expect(refusal(() => checkWhere({ any: [] })).message).toBe("where.any must not be empty");
    expect(refusal(() => checkWhere(undefined)).message).toBe("where must be an object");
    const leaf = { field: "tags", op: "eq", value: "a" };
    expect(checkWhere({ all: [leaf] })).toEqual({ all: [leaf] });
  });
});

describe("an absent field", () => {
  it("is removed: null, and outside of forget empty strings and lists", () => {
    const given = {
      type: "memory/retrieve/req",
      id: null,
      query: "",
      tags: [],
      keys: null,
      x_any: 1,
      limit: 0,
    };
    expect(parseRequest(given)).toEqual({ type: "memory/retrieve/req", limit: 0 });
  });

  it("is removed without changing the input", () => {
    const given = Object.freeze({ type: "memory/retrieve/req", query: "", x_any: 1 });
    parseRequest(given);
    expect(given).toEqual({ type: "memory/retrieve/req", query: "", x_any: 1 });
  });

  it("is kept in an entry, where null clears a field", () => {
    expect(parseStoreEntry({ key: "a", content: null, text: null })).toEqual({
      key: "a",
      content: null,
      text: null,
    });
  });
});

describe("entries", () => {
  it("are parsed without fields that a host sets and unknown fields", () => {
    const entry = parseStoreEntry({ key: "a", content: 1, revision: 5, author: "x", colour: "red" });
    expect(entry).toEqual({ key: "a", content: 1 });
  });

  it("are limited to 256 KiB as JSON, with vectors as lists", () => {
    const entry = (length: number) => ({ key: "a", content: "x".repeat(length) });
    const around = JSON.stringify(entry(0)).length;
    checkEntrySize(entry(262_144 - around), 300_000);
    expect(refusal(() => checkEntrySize(entry(262_145 - around), 300_000))).toMatchObject({
      code: "too_large",
      detail: { limit: "entryBytes", max: 262_144, got: 262_145 },
    });
    checkEntrySize({ key: "a", content: 1, embedding: new Float32Array(4_096).fill(1) }, 300_000);
  });
});

describe("an oversized value", () => {
  const wrong = new Array<null>(1_000_000).fill(null);

  it("is rejected by length or first element, in a vector", () => {
    const entry = (embedding: unknown) => refusal(() => parseStoreEntry({ key: "a", content: 1, embedding }));
    expect(entry(wrong)).toMatchObject({ code: "too_large", detail: { limit: "embeddingDimensions" } });
    const detail = { path: "embedding[1]" };
    expect(entry([1, "2", null])).toMatchObject({ code: "schema_violation", detail });
  });

  it("is rejected as match, which is limited like a key", () => {
    const request = { type: "memory/retrieve/req", id: "1", match: { name: wrong } };
    const detail = { limit: "keyBytes", max: 4_096, path: "match" };
    expect(refusal(() => parseRequest(request))).toMatchObject({ code: "too_large", detail });
  });
});

describe("ids", () => {
  it.each([
    ["q", "q"],
    ["Grüße 🦊", "Grüße 🦊"],
    ["i".repeat(128), "i".repeat(128)],
    ["i".repeat(129), null],
    ["", null],
    ["a\nb", null],
    ["\ud800", null],
    [7, null],
    [undefined, null],
  ])("%j is read as %j", (id, expected) => {
    expect(readableId({ id })).toBe(expected);
  });

  it("are absent in a message that is not an object", () => {
    expect([readableId(null), readableId([]), readableId("id"), readableId(undefined)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("types", () => {
  it("of requests are recognized", () => {
    expect(["ping", "memory/store/req"].every(isRequestType)).toBe(true);
    expect(["pong", "memory/store/resp", "toString", "__proto__", 5, undefined].some(isRequestType)).toBe(
      false,
    );
  });
});
