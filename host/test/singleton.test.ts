import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostGroup } from "./host-group.js";

let neighbours: HostGroup;
beforeEach(() => {
  neighbours = new HostGroup();
});
afterEach(() => neighbours.close());

describe("a second host", () => {
  it("with the same prefix and tenants fails to start, and its error names the first", async () => {
    const first = await neighbours.start();
    await expect(neighbours.start()).rejects.toMatchObject({
      code: "conflict",
      detail: { host_id: first.id, prefix: "a2e" },
      message: `the host ${first.id} already serves the prefix a2e for all tenants. Stop it, or choose another prefix`,
    });
    expect(neighbours.serving).toEqual([first]);
  });

  it.each([
    [{ tenants: ["a", "b"] }, { tenants: ["b", "c"] }, false],
    [{ tenants: ["a"] }, {}, false],
    [{ tenants: ["a"] }, { tenants: ["b"] }, true],
    [{ prefix: "one" }, { prefix: "two" }, true],
    [{ prefix: "one" }, { prefix: "one.two" }, true],
  ])("next to %o may be %o: %s", async (mine, others, allowed) => {
    await neighbours.start(mine);
    const second = neighbours.start(others);
    await (allowed
      ? expect(second).resolves.toBeDefined()
      : expect(second).rejects.toMatchObject({ code: "conflict" }));
  });

  it("starts once the first has stopped", async () => {
    const first = await neighbours.start();
    await neighbours.during(first.stop());
    const second = await neighbours.start();
    expect(neighbours.serving).toEqual([second]);
  });

  it("is detected despite a late reply, because a host repeats its query until it receives its own reply", async () => {
    const first = await neighbours.start();
    const { bus } = neighbours;
    const { requestMany } = bus;
    let requested = 0;
    bus.requestMany = async (...args) => (++requested < 3 ? [] : requestMany.apply(bus, args));
    await expect(neighbours.start()).rejects.toMatchObject({
      code: "conflict",
      detail: { host_id: first.id },
    });
    expect(requested).toBe(3);
  });

  it("cannot be ruled out by a host that does not receive its own reply, so the host fails to start", async () => {
    await expect(neighbours.start({ inboxPrefixes: ["_OTHER"] })).rejects.toMatchObject({
      code: "unavailable",
      detail: { inbox_prefixes: "_OTHER" },
    });
  });

  it("is not assumed if the reply is not from a host of this prefix", async () => {
    const { bus } = neighbours;
    const answers = ["not JSON", "[]", '{"id":"x"}', '{"id":"x","metadata":{"prefix":"a2e"}}'];
    for (const answer of answers) {
      bus.subscribe("$SRV.INFO.membus", ({ reply }) => bus.publish(reply!, Buffer.from(answer)));
    }
    const host = await neighbours.start();
    expect(host.stats().state).toBe("serving");
  });
});

describe("hosts that start at the same time", () => {
  it.each([2, 3, 5])("leave one: of %d the one with the lowest id stays", async (count) => {
    const hosts = Array.from({ length: count }, () => neighbours.add());
    const lowest = hosts.map(({ id }) => id).toSorted()[0];
    const starts = Promise.allSettled(hosts.toReversed().map((host) => host.start()));
    await neighbours.during(starts);
    expect(neighbours.serving.map(({ id }) => id)).toEqual([lowest]);
  });

  const DELAYS_MS = [0, 1, 125, 249, 250, 251, 375, 499, 500, 501];

  it.each(DELAYS_MS.flatMap((delayMs) => [[delayMs, "lower"] as const, [delayMs, "higher"] as const]))(
    "leave one serving, if the second starts %i ms later with a %s id",
    async (delayMs, secondId) => {
      const pair = [neighbours.add(), neighbours.add()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const [first, second] = secondId === "lower" ? pair.toReversed() : pair;
      const starts = [first!.start()];
      starts[0]!.catch(() => undefined);
      await neighbours.pass(delayMs);
      starts.push(second!.start());
      const results = await neighbours.during(Promise.allSettled(starts));
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(neighbours.serving).toHaveLength(1);
    },
  );
});
