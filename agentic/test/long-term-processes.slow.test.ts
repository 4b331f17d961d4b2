import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { MemoryClient } from "@membus/agent-client";
import { createHost, type Host } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { delay, silentLogger, systemClock } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { factTexts, foundFacts, openLongTerm, openScripted, requestOf } from "./long-term-fixture.js";
import type { RecordingAnswer, RecordingOrder } from "./recording-process.js";

const SCRIPT = new URL("./recording-process.ts", import.meta.url);

const fixture = new NatsFixture();
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await fixture.close();
});

/** Starts a host on a nats-server, with two tiers on disk. */
async function startHost(servers: string, dataDirectory: string): Promise<Host> {
  const { bus } = await fixture.connect({ servers });
  const plugins = { working: createLruPlugin(), episodic: createLanceDbPlugin() };
  const services = { clock: systemClock, logger: silentLogger, dataDirectories: { episodic: dataDirectory } };
  const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  return host;
}

async function open() {
  const { url } = await fixture.launch({ binary: NATS_SERVER });
  const directory = await fixture.folder();
  const host = await startHost(url, directory);
  fixture.onClose(() => host.stop());
  const client = await MemoryClient.connect({ servers: url, agent: "alice" });
  fixture.onClose(() => client.close());
  return { url, directory, host, client };
}

/** Starts a process that records, and returns its answer. */
async function record(order: RecordingOrder): Promise<{ child: ChildProcess; answer: RecordingAnswer }> {
  const child = fork(SCRIPT, { execArgv: ["--conditions=membus-source", "--import", "tsx"] });
  children.push(child);
  child.send(order);
  const [answer] = (await once(child, "message")) as [RecordingAnswer];
  return { child, answer };
}

it("two processes that record facts about one person keep each fact once and lose none", async () => {
  const { url, client } = await open();
  const texts = Array.from({ length: 30 }, (_, n) => `owns item number ${n} of the collection`);
  const order = { servers: url, baseUrl: "", isQueued: false };
  const [one, two] = await Promise.all([
    record({ ...order, texts }),
    record({ ...order, texts: [...texts].reverse() }),
  ]);
  const output = [...one.answer, ...two.answer].sort();
  expect(output).toEqual([...Array(30).fill("duplicate"), ...Array(30).fill("new")]);
  const { longTerm } = await openLongTerm({ client });
  expect(await factTexts(longTerm)).toEqual([...texts].sort());
});

it("the task of a killed process is completed by another", async () => {
  const { url, client } = await open();
  let started: () => void = () => {};
  const beginning = new Promise<void>((resolve) => {
    started = resolve;
  });
  // The first process gets no answer, and is killed while it waits.
  const script = async (request: Parameters<typeof requestOf>[0], index: number) => {
    started();
    if (index === 0) await new Promise(() => {});
    return requestOf(request).name === "facts" ? foundFacts("likes tea") : { json: { decisions: [] } };
  };
  const { server, longTerm } = await openScripted(script, { client, taskLeaseS: 60 });
  await longTerm.record("likes green tea", { infer: false });
  const texts = ["likes tea", "likes black tea"];
  const { child, answer } = await record({ servers: url, baseUrl: server.baseUrl, texts, isQueued: true });
  await beginning;
  expect(await longTerm.status(answer[0]!)).toMatchObject({ state: "running", attempts: 1 });
  child.kill("SIGKILL");
  await once(child, "exit");
  for (let done = 0; done === 0; ) {
    done = (await longTerm.runPending()).done;
    await delay(systemClock, 50);
  }
  const status = await longTerm.status(answer[0]!);
  expect(status).toMatchObject({ state: "done", attempts: 2 });
  expect(status.outcomes!.map(({ outcome }) => outcome)).toEqual(["new", "new"]);
  expect(await factTexts(longTerm)).toEqual(["likes black tea", "likes green tea", "likes tea"]);
});

it("history, statistics and queued work survive a restart of the host", async () => {
  const { url, directory, host, client } = await open();
  const { longTerm } = await openLongTerm({ client, runQueued: false });
  const [fact] = (await longTerm.record("lives in Paris", { at: 1_000 })).outcomes;
  const { id } = await longTerm.update(fact!.id!, { text: "lives in Rome" });
  await longTerm.recordToolCalls({ tool_name: "search", input: {}, output: "x", success: true });
  await longTerm.record("likes tea", { wait: false });
  await host.stop();
  const again = await startHost(url, directory);
  fixture.onClose(() => again.stop());
  expect((await longTerm.history(id!)).map(({ text }) => text)).toEqual(["lives in Paris", "lives in Rome"]);
  expect((await longTerm.retrieve("lives", { asOf: 2_000 })).memories.map(({ text }) => text)).toEqual([
    "lives in Paris",
  ]);
  expect((await longTerm.guidelines(["search"])).memories[0]!.text).toContain("1 call");
  expect(await longTerm.runPending()).toMatchObject({ done: 1 });
  expect(await factTexts(longTerm)).toEqual(["likes tea", "lives in Rome"]);
});
