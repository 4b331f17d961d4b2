import { randomUUID } from "node:crypto";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  emptyCheckpoint,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import type { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MembusSaver, type SaverOptions } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";

const host = new RealHost();
let memory: MemoryClient;
beforeAll(async () => {
  await host.start();
  memory = await host.connect({ agent: "alice" });
});
afterAll(() => host.close());

function openSaver(options: SaverOptions = {}): { saver: MembusSaver; namespace: string } {
  const namespace = options.namespace ?? `savers/${randomUUID()}`;
  return { saver: new MembusSaver(memory, { ...options, namespace }), namespace };
}

const configOf = (thread_id: string, checkpoint_id?: string) => ({
  configurable: { thread_id, checkpoint_ns: "", ...(checkpoint_id && { checkpoint_id }) },
});
const METADATA = { source: "loop", step: 0, parents: {} } as const;

function checkpointOf(values: Record<string, unknown>, version: number, id = uuid6(0)): Checkpoint {
  const channel_versions = Object.fromEntries(Object.keys(values).map((name) => [name, version]));
  return { ...emptyCheckpoint(), id, channel_values: values, channel_versions };
}

async function idsOf(saver: BaseCheckpointSaver, thread: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { checkpoint } of saver.list(configOf(thread))) ids.push(checkpoint.id);
  return ids;
}

/** Counts entries by kind. Parts of large entries have none. */
async function kindsIn(namespace: string): Promise<Record<string, number>> {
  const { items } = await memory.list({ namespace, field: "key.kind" });
  const { total } = await memory.retrieve({ namespace, limit: 0 });
  const known = Object.fromEntries(items.map(({ value, count }) => [String(value), count]));
  return { ...known, all: total };
}

/** Returns a counter that interrupts before every second step. */
function counting(checkpointer: BaseCheckpointSaver) {
  const State = Annotation.Root({ count: Annotation<number>, said: Annotation<string> });
  return new StateGraph(State)
    .addNode("add", ({ count }) => ({ count: count + 1 }))
    .addNode("ask", () => ({ said: interrupt<string, string>("go on?") }))
    .addEdge(START, "add")
    .addEdge("add", "ask")
    .compile({ checkpointer });
}

describe("a graph", () => {
  it("continues in another client after an interrupt", async () => {
    const { saver, namespace } = openSaver();
    await counting(saver).invoke({ count: 1 }, configOf("t"));
    const other = await host.connect({ agent: "alice" });
    const graph = counting(new MembusSaver(other, { namespace }));
    expect((await graph.getState(configOf("t"))).next).toEqual(["ask"]);
    expect(await graph.invoke(new Command({ resume: "yes" }), configOf("t"))).toEqual({
      count: 2,
      said: "yes",
    });
  });

  it("keeps two branches of one thread apart", async () => {
    const { saver } = openSaver();
    const graph = counting(saver);
    await graph.invoke({ count: 1 }, configOf("t"));
    const first = await graph.getState(configOf("t"));
    const history = [];
    for await (const state of graph.getStateHistory(configOf("t"))) history.push(state);
    const beforeAdd = history.find(({ next }) => next[0] === "add")!;
    const branch = await graph.updateState(beforeAdd.config, { count: 100 }, START);
    await graph.invoke(null, branch);
    expect((await graph.getState(configOf("t"))).values).toEqual({ count: 101 });
    expect((await graph.getState(first.config)).values).toEqual({ count: 2 });
  });

  it("is not visible to another agent", async () => {
    const { saver, namespace } = openSaver();
    await counting(saver).invoke({ count: 1 }, configOf("t"));
    const bob = new MembusSaver(await host.connect({ agent: "bob" }), { namespace });
    expect(await bob.getTuple(configOf("t"))).toBeUndefined();
    expect(await idsOf(bob, "t")).toEqual([]);
  });
});

describe("a checkpoint", () => {
  it("may have any size, and any value of LangGraph's serializer", async () => {
    const { saver, namespace } = openSaver();
    const values = {
      long: "wörd ".repeat(120_000),
      bytes: new Uint8Array([0, 255, 7]),
      set: new Set([1, 2]),
      nothing: undefined,
    };
    const versions = { long: 1, bytes: 1, set: 1, nothing: 1 };
    const config = await saver.put(configOf("t"), checkpointOf(values, 1), METADATA, versions);
    await saver.putWrites(config, [["long", values.long]], "task");
    const tuple = await saver.getTuple(configOf("t"));
    expect(tuple!.checkpoint.channel_values).toEqual(values);
    expect(tuple!.checkpoint.channel_values.bytes).not.toBeInstanceOf(Buffer);
    expect(tuple!.pendingWrites).toEqual([["task", "long", values.long]]);
    expect((await kindsIn(namespace)).all).toBeGreaterThan(6);
    await saver.deleteThread("t");
    expect(await kindsIn(namespace)).toEqual({ all: 0 });
  });

  it("is the latest by its id, not by its time of storage", async () => {
    const { saver } = openSaver();
    const ids = Array.from({ length: 230 }, (_, n) => `id-${String(n).padStart(3, "0")}`);
    const order = [...ids.slice(100).reverse(), ...ids.slice(0, 100)];
    for (const id of order) await saver.put(configOf("t"), checkpointOf({}, 1, id), METADATA, {});
    expect((await saver.getTuple(configOf("t")))!.checkpoint.id).toBe("id-229");
    expect(await idsOf(saver, "t")).toEqual([...ids].reverse());
  });

  it("is not stored if one of its channels cannot be stored", async () => {
    const { saver } = openSaver();
    const channel = "c".repeat(5_000);
    const put = saver.put(configOf("t"), checkpointOf({ [channel]: 1 }, 1), METADATA, { [channel]: 1 });
    await expect(put).rejects.toMatchObject({ name: "MemoryError" });
    expect(await saver.getTuple(configOf("t"))).toBeUndefined();
  });

  it("is deleted with its thread, and not with a thread that has the same prefix", async () => {
    const { saver } = openSaver();
    for (const thread of ["acme", "acme-corp"]) {
      const config = await saver.put(configOf(thread), checkpointOf({ a: 1 }, 1), METADATA, { a: 1 });
      await saver.putWrites(config, [["a", thread]], "task");
    }
    await saver.deleteThread("acme");
    expect(await saver.getTuple(configOf("acme"))).toBeUndefined();
    expect((await saver.getTuple(configOf("acme-corp")))!.pendingWrites).toEqual([
      ["task", "a", "acme-corp"],
    ]);
  });
});

describe("a task's writes", () => {
  it("are unchanged after a retry, except for its error", async () => {
    const { saver } = openSaver();
    const config = await saver.put(configOf("t"), checkpointOf({}, 1), METADATA, {});
    for (const n of [1, 2]) {
      await saver.putWrites(
        config,
        [
          ["a", n],
          ["__error__", n],
        ],
        "task",
      );
    }
    expect((await saver.getTuple(config))!.pendingWrites).toEqual([
      ["task", "__error__", 2],
      ["task", "a", 1],
    ]);
  });
});

describe("retention", () => {
  it("keeps the newest checkpoints of each thread and their dependencies", async () => {
    const { saver, namespace } = openSaver({ retention: 3 });
    const ids: string[] = [];
    for (let step = 1; step <= 8; step++) {
      const checkpoint = checkpointOf({ fixed: "f", counter: step }, step);
      const versions = { ...checkpoint.channel_versions, fixed: 1 };
      const newVersions = step === 1 ? versions : { counter: step };
      const config = await saver.put(
        configOf("t", ids.at(-1)),
        { ...checkpoint, channel_versions: versions },
        METADATA,
        newVersions,
      );
      await saver.putWrites(config, [["counter", step]], "task");
      ids.push(checkpoint.id);
    }
    await saver.put(configOf("other"), checkpointOf({ a: 1 }, 1), METADATA, { a: 1 });
    expect(await idsOf(saver, "t")).toEqual(ids.slice(5).reverse());
    const oldest = (await saver.getTuple(configOf("t", ids[5])))!;
    expect(oldest.checkpoint.channel_values).toEqual({ fixed: "f", counter: 6 });
    expect(oldest.pendingWrites).toEqual([["task", "counter", 6]]);
    expect(await kindsIn(namespace)).toEqual({ checkpoint: 4, channel: 5, write: 3, all: 12 });
  });

  it("cleans up when a tenth more exist", async () => {
    const { saver } = openSaver({ retention: 10 });
    const counts: number[] = [];
    for (let step = 0; step < 13; step++) {
      await saver.put(configOf("t"), checkpointOf({}, 1), METADATA, {});
      if (step >= 9) counts.push((await idsOf(saver, "t")).length);
    }
    expect(counts).toEqual([10, 11, 10, 11]);
  });

  it("keeps the checkpoints that a delta channel is built from", async () => {
    const { saver } = openSaver({ retention: 1 });
    let config = configOf("t");
    for (let step = 0; step < 6; step++) {
      const steps = { counters_since_delta_snapshot: { log: [step, step] as [number, number] } };
      const values = step === 0 ? { log: ["begun"] } : {};
      const checkpoint = { ...checkpointOf(values, 1), channel_versions: { log: step + 1 } };
      const metadata = { ...METADATA, ...(step > 0 && steps) };
      config = (await saver.put(config, checkpoint, metadata, { log: step + 1 })) as typeof config;
      await saver.putWrites(config, [["log", step]], "task");
    }
    const { log } = await saver.getDeltaChannelHistory({ config, channels: ["log"] });
    expect(log!.seed).toEqual(["begun"]);
    expect(log!.writes.map(([, , value]) => value)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("ttl", () => {
  it("expires entries of a checkpoint, but not channels of a later one", async () => {
    const { saver, namespace } = openSaver({ ttl: 600 });
    const first = checkpointOf({ fixed: "f" }, 1);
    const config = await saver.put(configOf("t"), first, METADATA, { fixed: 1 });
    await saver.putWrites(config, [["fixed", 1]], "task");
    const ends = async () =>
      (
        await memory.retrieve({
          namespace,
          order: "oldest",
          where: { field: "key.kind", op: "eq", value: "channel" },
        })
      ).entries[0]!.expires_at!;
    const { entries } = await memory.retrieve({ namespace, limit: 10 });
    expect(entries.map(({ ttl }) => ttl)).toEqual([600, 600, 600]);
    const before = await ends();
    await saver.put(config, { ...first, id: uuid6(1) }, METADATA, {});
    expect(await ends()).toBeGreaterThan(before);
  });

  it("rejects a delta channel, because its earlier checkpoints would expire", async () => {
    const { saver } = openSaver({ ttl: 600 });
    const metadata = { ...METADATA, counters_since_delta_snapshot: { log: [1, 1] as [number, number] } };
    await expect(saver.put(configOf("t"), checkpointOf({}, 1), metadata, {})).rejects.toThrow(/retention/);
  });
});

it("rejects invalid configs and options", async () => {
  const { saver } = openSaver();
  const bad = { configurable: { thread_id: 7 } };
  await expect(saver.getTuple(bad)).rejects.toThrow("thread_id must be a string, got number");
  await expect(saver.deleteThread("")).rejects.toThrow(TypeError);
  expect(() => new MembusSaver(memory, { retension: 3 } as SaverOptions)).toThrow("did you mean `retention`");
  expect(() => new MembusSaver(memory, { ttl: 0 })).toThrow("ttl");
});
