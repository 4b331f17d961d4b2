import { natsBusFromConnection } from "@membus/bus";
import { monotonicClock } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRouting, mappingLines, shardOf, subscribeShard } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestHold } from "./test-hold.js";

const WAIT = { clock: monotonicClock, timeoutMs: 10_000, server: "n1" };

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open(mappingLines("a2e", 16));
});
afterAll(() => fixture.close());

function openBus() {
  return natsBusFromConnection(fixture.connection, {});
}

describe("the shard of a tenant", () => {
  it("is the FNV-1a hash of its name", () => {
    // 0xe40c292c, 0xbf9cf968 and 0x811c9dc5 are the published hashes of "a", "foobar" and "".
    expect(shardOf("a", 256)).toBe(0x2c);
    expect(shardOf("foobar", 256)).toBe(0x68);
    expect(shardOf("", 256)).toBe(0xc5);
  });

  it("is the one that the server's mapping computes", async () => {
    const tenants = Array.from({ length: 200 }, (_, index) =>
      `Tenant_${index}-${"x".repeat(index % 60)}`.slice(0, 64),
    );
    const arrived = new Map<string, number>();
    const subscription = fixture.connection.subscribe("p.*.a2e.>", {
      callback: (_, { subject }) => {
        const [, shard, , tenant = ""] = subject.split(".");
        arrived.set(tenant, Number(shard));
      },
    });
    for (const tenant of tenants) fixture.connection.publish(`a2e.${tenant}.alice.memory.store.req`);
    await expect.poll(() => arrived.size).toBe(200);
    subscription.unsubscribe();
    for (const tenant of tenants) expect(shardOf(tenant, 16)).toBe(arrived.get(tenant));
  });
});

it.each(["memory.store.req", "memory.store.semantic.req", "memory.agents.req", "ping"])(
  "an owner receives %s under its original subject",
  async (ending) => {
    const bus = openBus();
    const requests: string[] = [];
    const shard = shardOf("default", 16);
    const hold = new TestHold(1);
    const onRequest = ({ subject }: BusMessage) => void requests.push(subject);
    subscribeShard(bus, { shard, hold }, { subject: "a2e.>", onRequest });
    await bus.flush();
    bus.publish(`a2e.default.alice.${ending}`, new Uint8Array());
    await expect.poll(() => requests).toEqual([`a2e.default.alice.${ending}`]);
    await bus.close();
  },
);

it("a host drops requests of a shard that it has lost", async () => {
  const bus = openBus();
  const hold = new TestHold(1);
  const lost: BusMessage[] = [];
  const owned: BusMessage[] = [];
  const shard = shardOf("default", 16);
  const receive = (messages: BusMessage[]) => ({
    subject: "a2e.>",
    onRequest: (request: BusMessage) => void messages.push(request),
  });
  subscribeShard(bus, { shard, hold }, receive(lost));
  subscribeShard(bus, { shard, hold: new TestHold(2) }, receive(owned));
  await bus.flush();
  hold.lose("moved");
  bus.publish("a2e.default.alice.ping", new Uint8Array());
  await expect.poll(() => owned.length).toBe(1);
  expect(lost).toEqual([]);
  await bus.close();
});

it("a request of a shard without an owner is answered at once", async () => {
  await expect(fixture.connection.request("a2e.unowned.alice.ping", "", { timeout: 60_000 })).rejects.toThrow(
    "no responders",
  );
});

describe("the check of the mapping", () => {
  it("accepts the mapping of this number of shards", async () => {
    const bus = openBus();
    await checkRouting(bus, { prefix: "a2e", shardCount: 16 }, WAIT);
    await bus.close();
  });

  it.each([1, 8, 15, 32])("refuses a mapping of another number than %i shards", async (shardCount) => {
    const bus = openBus();
    await expect(checkRouting(bus, { prefix: "a2e", shardCount }, WAIT)).rejects.toMatchObject({
      code: "runtime_error",
      message: `nats-server n1 divides tenants by another number of shards. If it is wrong, give it the lines of \`membus cluster config --shards ${shardCount}\` in the hosts' account`,
    });
    await bus.close();
  });

  it("refuses servers without the mapping", async () => {
    const bus = openBus();
    const other = { prefix: "other", shardCount: 16 };
    await expect(checkRouting(bus, other, { ...WAIT, timeoutMs: 300 })).rejects.toMatchObject({
      message:
        "nats-server n1 does not send requests to shards: give it the lines of `membus cluster config --shards 16` in the hosts' account",
    });
    await bus.close();
  });
});
