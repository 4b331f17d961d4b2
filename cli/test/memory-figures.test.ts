import type { ListRequest } from "@membus/agent-client";
import type { AccessRule } from "@membus/host";
import { MemoryError, systemClock, TIERS } from "@membus/protocol";
import { expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../agentic/test/memory-fixture.js";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { readMemoryFigures } from "../src/stats/memory-figures.js";
import { Wire } from "./wire/wire-fixture.js";

/** One more than a list may read. */
const NAMESPACES = 257;

it("leaves out figures of too many namespaces, with a note", async () => {
  const { memory } = await openMemory();
  for (let index = 0; index < NAMESPACES; index++) {
    await memory.inNamespace(`n/${index}`).store({ key: "tea", content: "tea", tier: "episodic" });
  }
  const figures = await readMemoryFigures(memory, systemClock.now());
  expect(figures.tiers).toEqual([
    { name: "working", value: 0 },
    { name: "semantic", value: 0 },
  ]);
  expect(figures.notes).toEqual([
    "the episodic tier is left out: a subtree read covers at most 256 namespaces, got 257",
  ]);
});

it.each([
  ["kinds", "the plot by kind", 0],
  ["growth", "the plot of new entries", 1],
])("shows the other figures if a host cannot list the %s", async (name, title, kindCount) => {
  const { memory } = await openMemory();
  await memory.store({ key: "tea", content: "tea", tier: "episodic" });
  const isFailing = ({ field, where }: ListRequest) =>
    name === "kinds" ? field !== undefined : where !== undefined;
  const list = async (request: ListRequest) => {
    if (isFailing(request)) throw new MemoryError("unavailable", "the host is stopping");
    return memory.list(request);
  };
  const limited = new Proxy(memory, {
    get: (target, member) => (member === "list" ? list : Reflect.get(target, member)),
  });
  const figures = await readMemoryFigures(limited, systemClock.now());
  expect(figures.tiers[1]).toEqual({ name: "episodic", value: 1 });
  expect(figures.kinds).toHaveLength(kindCount);
  expect(figures.growth?.at(-1)).toBe(name === "growth" ? undefined : 1);
  expect(figures.notes).toEqual([`${title} is left out: the host is stopping`]);
});

it("sends at most one request for each tier at a time", async () => {
  const { memory } = await openMemory();
  for (const tier of TIERS) await memory.store({ key: "tea", content: "tea", tier });
  let [running, most] = [0, 0];
  const list = async (request: ListRequest) => {
    most = Math.max(most, ++running);
    return memory.list(request).finally(() => running--);
  };
  const counted = new Proxy(memory, {
    get: (target, member) => (member === "list" ? list : Reflect.get(target, member)),
  });
  await readMemoryFigures(counted, systemClock.now());
  expect(most).toBe(3);
});

it("leaves out a tier that the agent may not list, with a note", async () => {
  const rules: AccessRule[] = [
    { tiers: ["working", "episodic"], allow: ["read", "write", "forget"] },
    { agents: ["bob"], tiers: ["semantic"], namespaces: ["shared"], allow: ["read"] },
  ];
  const wire = await Wire.start({ binary: NATS_SERVERS[0]!, config: { rules } });
  onTestFinished(() => wire.close());
  const bob = await wire.client("bob");
  await bob.store({ key: "own", content: 3, tier: "episodic" });
  const { tiers, kinds, notes } = await readMemoryFigures(bob, systemClock.now());
  expect(tiers).toEqual([
    { name: "working", value: 0 },
    { name: "episodic", value: 1 },
  ]);
  expect(kinds).toEqual([{ name: "without a kind", value: 1 }]);
  expect(notes).toEqual([expect.stringMatching(/^the semantic tier is left out: /)]);
});
