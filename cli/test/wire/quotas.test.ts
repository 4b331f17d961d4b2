import { afterEach, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

let wire: Wire | undefined;
afterEach(() => wire?.close());

it.each(NATS_SERVERS)(
  "quotas of membus.yaml bound what is asked for in a second, over %s",
  async (binary) => {
    const quotas = {
      agent: { entries: 10, requests_per_second: 2 },
      agents: {
        "default.large": { request_bytes_per_second: 2_048 },
        "default.busy": { query_ms_per_second: 1 },
        "default.bob": {},
      },
    };
    wire = await Wire.start({ binary, config: { quotas } });
    const ofOne = async (agent: string) => wire!.client(agent, { retryTimeoutMs: 0 });
    const often = await ofOne("often");
    const refused = await rejection(Promise.all([1, 2, 3, 4].map(() => often.ping())), "overloaded");
    expect(refused.detail.retry_after_ms).toBeGreaterThan(0);

    const large = await ofOne("large");
    await large.store({ key: "k", content: "x".repeat(2_500) });
    await rejection(large.store({ key: "k", content: "x".repeat(2_500) }), "overloaded");

    const busy = await ofOne("busy");
    const entries = Array.from({ length: 500 }, (_, n) => ({
      key: `k${n}`,
      content: `note ${n} of ${n % 7}`,
    }));
    await busy.store(entries);
    const asking = async () => {
      for (let n = 0; n < 50; n++) await busy.retrieve({ query: `note of ${n}`, limit: 100 });
    };
    await rejection(asking(), "overloaded");

    const bob = await ofOne("bob");
    for (let n = 0; n < 20; n++) await bob.retrieve({ query: `note ${n}` });
    expect(Object.keys(wire.host.stats().refused).sort()).toEqual([
      "agent_query_ms_per_second",
      "agent_request_bytes_per_second",
      "agent_requests_per_second",
    ]);
  },
);
