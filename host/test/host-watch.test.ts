import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Host } from "../src/index.js";
import { HostGroup } from "./host-group.js";
import { PausedBus } from "./paused-bus.js";

interface Member {
  readonly host: Host;
  readonly bus: PausedBus;
}

let neighbours: HostGroup;
beforeEach(() => {
  neighbours = new HostGroup();
});
afterEach(() => neighbours.close());

/** Adds a host with its own connection. */
function addMember(group: HostGroup): Member {
  const bus = new PausedBus(group.bus);
  return { host: group.add({}, bus), bus };
}

/** Starts two hosts with the same prefix. The first is paused while the second checks for other hosts. */
async function startUnseen([first, second]: readonly [Member, Member]): Promise<void> {
  await neighbours.during(first.host.start());
  first.bus.pause();
  await neighbours.pass(1_000);
  await neighbours.during(second.host.start());
  expect(neighbours.serving).toHaveLength(2);
}

describe("two hosts with the same prefix", () => {
  it.each(["lower", "higher"])(
    "stop the later host as soon as the first, with a %s id, answers",
    async (firstId) => {
      const pair = [addMember(neighbours), addMember(neighbours)] as [Member, Member];
      pair.sort((a, b) => (a.host.id < b.host.id === (firstId === "lower") ? -1 : 1));
      await startUnseen(pair);
      const [first, second] = pair;
      first.bus.resume();
      expect(await neighbours.during(second.host.stopped)).toMatchObject({
        code: "conflict",
        detail: { host_id: first.host.id, prefix: "a2e" },
      });
      expect(neighbours.serving).toEqual([first.host]);
      expect(neighbours.logger.messages("error")).toEqual([
        "stopping: another host has served this prefix for longer",
      ]);
    },
  );

  it("stop the later host once they can reach each other again, whatever was lost", async () => {
    const [first, second] = [addMember(neighbours), addMember(neighbours)];
    await startUnseen([first, second]);
    first.bus.resume({ lost: true });
    await neighbours.pass(1_000);
    expect(neighbours.serving).toHaveLength(2);
    await neighbours.pass(10_000);
    expect((await second.host.stopped)?.code).toBe("conflict");
    expect(neighbours.serving).toEqual([first.host]);
  });

  it("leave exactly one host, whenever they started and paused", async () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 400 }),
      index: fc.nat({ max: 2 }),
      action: fc.constantFrom("start", "pause", "resume"),
    });
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), staysOne), {
      numRuns: 200,
    });
  });
});

interface Step {
  readonly afterMs: number;
  readonly index: number;
  readonly action: "start" | "pause" | "resume";
}

/** Checks that exactly one of three hosts is left once they reach each other, if any has ever served. */
async function staysOne(steps: readonly Step[]): Promise<void> {
  const group = new HostGroup();
  const members = [0, 1, 2].map(() => addMember(group));
  const starts = new Map<Member, Promise<boolean>>();
  for (const { afterMs, index, action } of steps) {
    await group.pass(afterMs);
    const member = members[index]!;
    if (action !== "start") member.bus[action]();
    else if (!starts.has(member)) starts.set(member, hasStarted(member.host));
  }
  for (const { bus } of members) bus.resume();
  const started = await group.during(Promise.all(starts.values()));
  await group.pass(30_000);
  expect(group.serving).toHaveLength(started.includes(true) ? 1 : 0);
  await group.close();
}

function hasStarted(host: Host): Promise<boolean> {
  return host.start().then(
    () => true,
    () => false,
  );
}

it("a single host, and one next to hosts of other tenants, keep serving", async () => {
  const hosts = [await neighbours.start({ tenants: ["a"] }), await neighbours.start({ tenants: ["b"] })];
  await neighbours.pass(60_000);
  expect(neighbours.serving).toEqual(hosts);
});

it("a host stopped by its owner reports no conflict", async () => {
  const host = await neighbours.start();
  await neighbours.during(host.stop());
  expect(await host.stopped).toBeUndefined();
});
