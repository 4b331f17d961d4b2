import { keyHash } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

describe("store", () => {
  it("answers with keys, receipts and event ids, in the order of the request", async () => {
    const fixture = await HostFixture.start();
    const reply = await fixture.store(
      [
        { key: "a", content: 1 },
        { key: { id: 2 }, content: null },
      ],
      { id: "r" },
    );
    expect(reply).toMatchObject({
      type: "memory/store/resp",
      version: "1.0",
      req_id: "r",
      stored: [{ name: "a" }, { id: 2 }],
      errors: [],
      receipts: [
        {
          index: 0,
          key_hash: keyHash("a"),
          outcome: "created",
          revision: 1_800_000_000_000_000,
          event_id: "r/0",
        },
        { index: 1, outcome: "created", revision: 1_800_000_000_000_001, event_id: "r/1" },
      ],
    });
    expect(reply.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.ts).toBe(1_800_000_000);
  });
});
