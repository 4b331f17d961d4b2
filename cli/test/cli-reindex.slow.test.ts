import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

/** Records the states of the episodic tier that hosts publish from now on. */
async function watchStates(): Promise<{ readonly states: string[]; stop(): Promise<void> }> {
  const bus = await connectNatsBus(
    { servers: [host.url] },
    { clock: systemClock, logger: new RecordingLogger() },
  );
  const states: string[] = [];
  bus.subscribe("a2e.$HOST.*.events.reindex.episodic", ({ payload }) => {
    states.push((JSON.parse(Buffer.from(payload).toString()) as Progress).state);
  });
  await bus.flush();
  return { states, stop: () => bus.close() };
}

interface Progress {
  readonly tier: string;
  readonly state: string;
  readonly generation: number;
  readonly embedder: string;
  readonly total: number;
  readonly done: number;
}

it("shows the generation of each durable tier, and how to change the embedder", async () => {
  const progress = await host.json<Progress[]>(["reindex", "--status"]);
  expect(progress.map(({ tier, state, generation }) => `${tier} ${state} ${generation}`)).toEqual([
    "episodic done 1",
    "semantic done 1",
  ]);
  const { stdout } = await host.cli(["reindex"]);
  expect(stdout).toMatch(/^episodic {2}done {2}generation 1: /m);
  expect(stdout).toContain("To change the embedder");
});

it("follows re-indexing to the end: entries are found with the new embedder", async () => {
  const file = join(host.directory, "facts.jsonl");
  const entries = Array.from({ length: 20 }, (_, at) => ({
    key: `fact${at}`,
    content: "Earth orbits the Sun",
  }));
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  await host.json(["import", file, "--tier", "episodic"]);
  writeFileSync(
    join(host.directory, "membus.yaml"),
    "embedder: { provider: static, dimensions: 64 }\nkit: { reindexRowsPerSecondMax: 4 }\n",
  );
  const watch = await watchStates();
  await host.restart();
  const { code, stdout } = await host.cli(["reindex", "--watch"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/episodic {2}done {2}generation 2: \S+/)]);
  const episodic = (await host.json<Progress[]>(["reindex", "--status"]))[0];
  expect(episodic).toMatchObject({ tier: "episodic", state: "done", generation: 2, total: 20, done: 20 });
  const found = await host.json<{ total: number; degraded?: unknown }>([
    "retrieve",
    "solar system",
    "--mode",
    "vector",
  ]);
  expect([found.total, found.degraded]).toEqual([20, undefined]);
  await expect.poll(() => watch.states.at(-1)).toBe("done");
  expect(watch.states).toContain("running");
  await watch.stop();
});

it("reports that no host responds", async () => {
  const { code, stderr } = await host.cli(["reindex", "--status", "--nats", "nats://127.0.0.1:1"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("cannot connect")]);
});
