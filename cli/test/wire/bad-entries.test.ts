import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const GOOD = { key: "good", content: "stays", tier: "episodic" };
const EMBEDDING_MODEL = "static-minilm-v1/128";

/** Entry, error code, and expected detail. */
const BAD_ENTRIES: readonly (readonly [string, unknown, string, object])[] = [
  ["no object", 5, "schema_violation", { path: "" }],
  ["no key", { content: 1 }, "schema_violation", { path: "key" }],
  ["the key {}", { key: {}, content: 1 }, "schema_violation", { path: "key" }],
  ["no content", { key: "a" }, "schema_violation", { path: "content" }],
  ["an unknown tier", { key: "a", content: 1, tier: "longterm" }, "schema_violation", { path: "tier" }],
  ["a ttl of -1", { key: "a", content: 1, ttl: -1 }, "schema_violation", { path: "ttl" }],
  ["a tag that is a number", { key: "a", content: 1, tags: [1] }, "schema_violation", { path: "tags[0]" }],
  ["an importance of 2", { key: "a", content: 1, importance: 2 }, "schema_violation", { path: "importance" }],
  [
    "an unknown condition",
    { key: "a", content: 1, if_absent: true },
    "schema_violation",
    { path: "if_absent" },
  ],
  ["300 KB of content", { key: "a", content: "x".repeat(300_000) }, "too_large", { limit: "entryBytes" }],
  [
    "10,000 tags",
    { key: "a", content: 1, tags: Array.from({ length: 10_000 }, String) },
    "too_large",
    { limit: "tags", max: 256, got: 10_000 },
  ],
  [
    "an embedding of another dimension",
    { key: "a", content: 1, embedding: [1, 0, 0], embedding_model: EMBEDDING_MODEL },
    "schema_violation",
    { path: "embedding", expected: 128, got: 3 },
  ],
  [
    "an embedding of another model",
    { key: "a", content: 1, embedding: Array(128).fill(0.1), embedding_model: "another" },
    "schema_violation",
    { path: "embedding_model", expected: EMBEDDING_MODEL },
  ],
];

describe.each(NATS_SERVERS)("an invalid entry over %s", (binary) => {
  let wire: Wire;
  let nats: NatsConnection;

  beforeAll(async () => {
    wire = await Wire.start({ binary });
    nats = await wire.connection();
  });
  afterAll(() => wire?.close());

  it.each(BAD_ENTRIES)(
    "%s: is rejected without affecting other entries",
    async (_name, entry, code, detail) => {
      const entries = [{ ...GOOD, tags: [_name] }, entry];
      const reply = await ask(nats, "alice", "memory/store/req", { entries });
      expect(reply).toMatchObject({
        type: "memory/store/resp",
        stored: [{ name: "good" }],
        receipts: [{ index: 0 }],
        errors: [{ index: 1, code, detail, retryable: false }],
      });
      const kept = await ask(nats, "alice", "memory/retrieve/req", {});
      expect(kept).toMatchObject({ total: 1, entries: [{ content: "stays", tags: [_name] }] });
    },
  );

  it("a query embedding with wrong dimensions is rejected", async () => {
    const request = { embedding: [1, 0], embedding_model: EMBEDDING_MODEL };
    expect(await ask(nats, "alice", "memory/retrieve/req", request)).toMatchObject({
      code: "schema_violation",
      detail: { path: "embedding", expected: 128, got: 2 },
    });
  });
});
