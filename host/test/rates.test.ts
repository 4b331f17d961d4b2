import { parseOptions } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { HostOptionsSchema } from "../src/options.js";
import { RateMeter, type RateQuotas, TokenBucket } from "../src/rates/index.js";

const ALICE = { tenant: "acme", agent: "alice" };
const BOB = { tenant: "acme", agent: "bob" };

function meterOf(rates: RateQuotas) {
  const meter = new RateMeter(rates);
  return {
    meter,
    take: (sender = ALICE, bytes = 10, now = 1_000, isQuery = true) =>
      meter.take(sender, bytes, isQuery, now),
  };
}

describe("a bucket", () => {
  it("holds the amount of one second, and returns the time until enough is available", () => {
    const bucket = new TokenBucket(10, 1_000);
    expect(bucket.waitMs(10, 1_000)).toBe(0);
    bucket.spend(10);
    expect([bucket.waitMs(1, 1_000), bucket.waitMs(1, 1_000.1), bucket.waitMs(10, 1_000.1)]).toEqual([
      100, 0, 900,
    ]);
    expect(bucket.waitMs(10, 2_000)).toBe(0);
  });

  it("admits an amount above its size when it is full, and makes the next wait longer", () => {
    const bucket = new TokenBucket(10, 1_000);
    expect(bucket.waitMs(30, 1_000)).toBe(0);
    bucket.spend(30);
    expect(bucket.waitMs(1, 1_000)).toBe(2_100);
  });

  it("tolerates a clock that steps back", () => {
    const bucket = new TokenBucket(10, 1_000);
    bucket.spend(10);
    expect([bucket.waitMs(1, 900), bucket.waitMs(1, 900.1)]).toEqual([100, 0]);
  });
});

describe("rates", () => {
  it("limit requests, bytes and query time of one agent", () => {
    const { meter, take } = meterOf({
      agent: { requestsPerSecond: 3, requestBytesPerSecond: 1_024, queryMsPerSecond: 100 },
    });
    expect([take(), take(), take()]).toEqual([undefined, undefined, undefined]);
    expect(take()).toEqual({ cause: "agent_requests_per_second", waitMs: 334 });
    expect(take(BOB, 1_000)).toBeUndefined();
    expect(take(BOB, 100)).toMatchObject({ cause: "agent_request_bytes_per_second" });
    meter.spendQuery(BOB, 150, 1_000);
    expect(take(BOB, 1)).toEqual({ cause: "agent_query_ms_per_second", waitMs: 500 });
    expect(take(BOB, 1, 1_000, false)).toBeUndefined();
  });

  it("limit all agents of a tenant together, and no other tenant", () => {
    const { take } = meterOf({ tenant: { requestsPerSecond: 2 } });
    expect([take(ALICE), take(BOB)]).toEqual([undefined, undefined]);
    expect(take(ALICE)).toMatchObject({ cause: "tenant_requests_per_second" });
    expect(take({ tenant: "globex", agent: "alice" })).toBeUndefined();
  });

  it("by name replace the general ones", () => {
    const { take } = meterOf({
      agent: { requestsPerSecond: 1 },
      agents: { "acme.bob": { requestsPerSecond: 2 } },
    });
    expect([take(ALICE), take(BOB), take(BOB)]).toEqual([undefined, undefined, undefined]);
    expect([take(ALICE), take(BOB)].every((usedUp) => usedUp !== undefined)).toBe(true);
  });

  it("are by default far above the throughput of a host", () => {
    const { take } = meterOf({});
    const refused = Array.from({ length: 50_001 }, () => take()).findIndex((usedUp) => usedUp !== undefined);
    expect(refused).toBe(50_000);
  });

  it.each([
    [
      { agent: { requestsPerSecond: 0 } },
      "rates.agent.requestsPerSecond must be an integer of 1..1000000000, got 0",
    ],
    [{ agents: { "a.b": { requests: 1 } } }, 'rates.agents["a.b"]: unknown option `requests`'],
    [{ agnet: {} }, "rates: unknown option `agnet` (did you mean `agent`?)"],
    [{ agent: 5 }, "rates.agent must be an object"],
    [{ agents: { "a.b": 5 } }, 'rates.agents["a.b"] must be an object'],
    [[], "rates must be an object"],
  ])("refuse invalid values: %j", (rates, message) => {
    expect(() => parseOptions(HostOptionsSchema, { rates: rates as never })).toThrow(message);
  });
});
