import type { MemoryEntry, Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { type ClientFixture, openFixture } from "./client-fixture.js";

/**
 * Returns a host with `total` entries that ends a page at `cut` entries, like a host that reaches
 * max_payload.
 */
function listing(total: number, cut = 1_000) {
  return (message: Message): Message => {
    const from = Number(message.cursor ?? 0);
    const to = Math.min(total, from + Math.min(Number(message.limit ?? 10), cut));
    const entries = Array.from({ length: to - from }, (_, n) => ({ key: { n: from + n } }));
    const page = { entries, total, total_relation: "eq", took_ms: {} };
    return to < total ? { ...page, cursor: String(to) } : page;
  };
}

async function list({ client }: ClientFixture, ...args: Parameters<typeof client.entries>) {
  const entries: MemoryEntry[] = [];
  for await (const entry of client.entries(...args)) entries.push(entry);
  return entries.map(({ key }) => key.n);
}

const upTo = (count: number) => [...Array(count).keys()];

describe("entries", () => {
  it("follows the cursor to the end in pages of 100, with the same criteria", async () => {
    const fixture = await openFixture({ answer: listing(250) });
    expect(await list(fixture, { tags: ["t"] })).toEqual(upTo(250));
    const same = { tags: ["t"], namespace: "default", limit: 100 };
    expect(fixture.host.bodies).toEqual([same, { ...same, cursor: "100" }, { ...same, cursor: "200" }]);
  });

  it("stops at its limit, which may be larger than a page", async () => {
    const fixture = await openFixture({ answer: listing(5_000) });
    expect(await list(fixture, { limit: 2_500 }, { pageSize: 1_000 })).toEqual(upTo(2_500));
    expect(fixture.host.bodies.map(({ limit }) => limit)).toEqual([1_000, 1_000, 500]);
  });

  it("continues after a truncated page", async () => {
    const fixture = await openFixture({ answer: listing(20, 7) });
    expect(await list(fixture, { limit: 15 })).toEqual(upTo(15));
    expect(fixture.host.bodies.map(({ limit }) => limit)).toEqual([15, 8, 1]);
  });

  it("starts at a cursor, and sends nothing for a limit of 0", async () => {
    const fixture = await openFixture({ answer: listing(5) });
    expect(await list(fixture, { cursor: "3" })).toEqual([3, 4]);
    expect(await list(fixture, { limit: 0 })).toEqual([]);
    expect(fixture.host.requests).toHaveLength(1);
  });

  it("fetches no more pages than are read", async () => {
    const fixture = await openFixture({ answer: listing(250) });
    for await (const entry of fixture.client.entries()) if (entry.key.n === 99) break;
    expect(fixture.host.requests).toHaveLength(1);
  });
});

describe("entries never omits entries silently", () => {
  it("fails if a tier did not answer", async () => {
    const degraded = [{ tier: "semantic", code: "unavailable", message: "semantic is down" }];
    const fixture = await openFixture({
      answer: (message) => ({ ...listing(5)(message), degraded }),
      client: { retryTimeoutMs: 0 },
    });
    expect((await rejection(list(fixture), "unavailable")).message).toBe("semantic is down");
  });

  it("fails if an index chose the entries, unless the request is exact", async () => {
    const fixture = await openFixture({
      answer: (message) => ({
        ...listing(5)(message),
        ...(message.exact ? {} : { total_relation: "gte", approximate: ["semantic"] }),
      }),
    });
    const { message } = await rejection(list(fixture, { query: "tea" }), "unsupported");
    expect(message).toContain("the semantic tier chose entries with an index");
    expect(await list(fixture, { query: "tea", exact: true })).toEqual(upTo(5));
    expect(await list(fixture, { query: "tea" }, { allowApproximate: true })).toEqual(upTo(5));
    expect((await fixture.client.retrieve({ query: "tea" })).approximate).toEqual(["semantic"]);
  });

  it("fails if a cursor returns itself", async () => {
    const fixture = await openFixture({ answer: () => ({ entries: [], cursor: "same" }) });
    const error = await rejection(list(fixture), "runtime_error");
    expect(error.message).toBe("the host returned the same cursor twice");
    expect(fixture.host.requests).toHaveLength(2);
  });

  it.each([
    [{ limit: -1 }, {}, "limit must be an integer of at least 0, got -1"],
    [{ limit: 1.5 }, {}, "limit must be an integer of at least 0, got 1.5"],
    [{}, { pageSize: 1_001 }, "pageSize must be an integer of 1..1000, got 1001"],
    [{}, { pagesize: 1 }, "unknown option `pagesize` (did you mean `pageSize`?)"],
  ])("refuses %j, %j", async (request, options, message) => {
    const fixture = await openFixture({ answer: listing(5) });
    await expect(list(fixture, request, options as never)).rejects.toThrow(new TypeError(message));
    expect(fixture.host.requests).toEqual([]);
  });
});
