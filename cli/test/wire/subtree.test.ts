import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const MANY = Array.from({ length: 257 }, (_, n) => `many/${n}`);

describe("a subtree with more partitions than a read allows", () => {
  let wire: Wire;
  let nats: NatsConnection;

  const retrieve = (fields: object) => ask(nats, "alice", "memory/retrieve/req", { limit: 0, ...fields });
  const storeIn = (namespace: string, tier: string) =>
    ask(nats, "alice", "memory/store/req", { namespace, entries: [{ key: "k", content: 1, tier }] });

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVER });
    nats = await wire.connection();
    await storeIn("many", "semantic");
    for (const namespace of MANY) await storeIn(namespace, "working");
  });
  afterAll(() => wire?.close());

  it("is rejected with or without a tier, because other tiers cannot replace the missing results", async () => {
    const detail = { limit: "subtreePartitions", max: 256, got: 257 };
    for (const tier of ["working", undefined]) {
      const reply = await retrieve({ namespace: "many/**", tier });
      expect(reply).toMatchObject({ type: "error", code: "too_large", detail });
    }
  });

  it("is read with fewer partitions, and forgotten completely", async () => {
    expect(await retrieve({ namespace: "many/**", tier: "semantic" })).toMatchObject({ total: 1 });
    const forget = { namespace: "many/**", all: true };
    expect(await ask(nats, "alice", "memory/forget/req", forget)).toMatchObject({ deleted: 258 });
    expect(await retrieve({ namespace: "many/**" })).toMatchObject({ total: 0, total_relation: "eq" });
  });
});
