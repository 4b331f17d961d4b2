import { createLocalBus, type LocalBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { createHost, type Host, type HostOptions } from "../src/index.js";
import { MapPlugin } from "./map-plugin.js";

let bus: LocalBus;
let hosts: Host[];
const logger = new RecordingLogger();

beforeEach(() => {
  bus = createLocalBus({}, { clock: systemClock, logger });
  hosts = [];
});

afterEach(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  await bus.close();
});

function host(options: HostOptions = {}): Host {
  const made = createHost(
    { bus, logger, plugins: { working: new MapPlugin() } },
    { discoveryWaitMs: 20, ...options },
  );
  hosts.push(made);
  return made;
}

describe("a second host", () => {
  it("of the same prefix and tenants does not start, and names the first", async () => {
    const first = host();
    await first.start();
    await expect(host().start()).rejects.toMatchObject({
      code: "conflict",
      detail: { host_id: first.id, prefix: "a2e" },
      message: `the host ${first.id} already serves \`a2e\` for all tenants; stop it, or choose another prefix`,
    });
    expect(first.stats().state).toBe("serving");
  });

  it.each([
    [{ tenants: ["a", "b"] }, { tenants: ["b", "c"] }, false],
    [{ tenants: ["a"] }, {}, false],
    [{ tenants: ["a"] }, { tenants: ["b"] }, true],
    [{ prefix: "one" }, { prefix: "two" }, true],
    [{ prefix: "one" }, { prefix: "one.two" }, true],
  ])("beside %o may be %o: %s", async (mine, others, allowed) => {
    await host(mine).start();
    const second = host(others).start();
    await (allowed
      ? expect(second).resolves.toBeUndefined()
      : expect(second).rejects.toMatchObject({ code: "conflict" }));
  });

  it("starts once the first has stopped", async () => {
    const first = host();
    await first.start();
    await first.stop();
    await host().start();
  });

  it("is found although its answer was late, for a host that does not hear itself asks again", async () => {
    const first = host();
    await first.start();
    const { requestMany } = bus;
    let asked = 0;
    bus.requestMany = async (...args) => (++asked < 3 ? [] : requestMany.apply(bus, args));
    await expect(host().start()).rejects.toMatchObject({ code: "conflict", detail: { host_id: first.id } });
    expect(asked).toBe(3);
  });

  it("cannot be looked for where a host cannot hear itself, so it does not start", async () => {
    const deaf = host({ inboxPrefixes: ["_OTHER"], discoveryWaitMs: 10 });
    await expect(deaf.start()).rejects.toMatchObject({
      code: "unavailable",
      detail: { inbox_prefixes: "_OTHER" },
    });
  });

  it("is none when what answers is no host of ours", async () => {
    const answers = ["not JSON", "[]", '{"id":"x"}', '{"id":"x","metadata":{"prefix":"a2e"}}'];
    for (const answer of answers) {
      bus.subscribe("$SRV.INFO.membus", ({ reply }) => bus.publish(reply!, Buffer.from(answer)));
    }
    await host().start();
  });
});

describe("hosts that start together", () => {
  it.each([2, 3, 5])("are settled: of %d the one with the lowest id stays", async (count) => {
    const starting = Array.from({ length: count }, () => host());
    const lowest = starting.map(({ id }) => id).toSorted()[0];
    const shuffled = [...starting].reverse();
    const results = await Promise.allSettled(shuffled.map((one) => one.start()));
    const serving = shuffled.filter((_, index) => results[index]!.status === "fulfilled");
    expect(serving.map(({ id }) => id)).toEqual([lowest]);
  });

  it("never both serve, whatever lies between their starts", async () => {
    for (const delayMs of [0, 5, 10, 15, 19, 20, 21, 25]) {
      const early = host({ prefix: `p${delayMs}` });
      const late = host({ prefix: `p${delayMs}` });
      const [first, second] = delayMs % 2 === 0 ? [early, late] : [late, early];
      const starts = [
        first.start(),
        new Promise((resolve) => setTimeout(resolve, delayMs)).then(() => second.start()),
      ];
      const results = await Promise.allSettled(starts);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });
});
