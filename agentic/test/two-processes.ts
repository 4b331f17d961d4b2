import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import type { NatsServer } from "@membus/nats-server";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { systemClock } from "@membus/protocol";
import { expect, onTestFinished } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import {
  Blocks,
  type Conversation,
  KnowledgeGraph,
  MemoryFiles,
  openConversation,
  type Triple,
} from "../src/index.js";

const CHILD = fileURLToPath(new URL("editing-child.ts", import.meta.url));
const EXEC_ARGV = ["--conditions=membus-source", "--import", "tsx"];
const NAMES = ["left", "right"];
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** Starts a server, a host with the disk tier, and a client in this process. */
async function start(): Promise<{ server: NatsServer; memory: MemoryClient }> {
  const fixture = new NatsFixture();
  onTestFinished(() => fixture.close());
  const server = await fixture.launch({ binary: NATS_SERVER });
  const { bus, logger } = await fixture.connect({ servers: server.url });
  const host = createHost(
    {
      bus,
      logger,
      clock: systemClock,
      plugins: { episodic: createLanceDbPlugin() },
      dataDirectories: { episodic: await fixture.folder() },
    },
    { discoveryWaitMs: 10 },
  );
  await host.start();
  fixture.onClose(() => host.stop());
  const memory = await MemoryClient.connect({ servers: server.url, agent: "alice", timeoutMs: 60_000 });
  fixture.onClose(() => memory.close());
  return { server, memory };
}

/** Starts a process that edits, and ends with the test. */
function startChild(server: NatsServer, name: string, rounds: string): ChildProcess {
  const child = fork(CHILD, [server.url, name, rounds], { execArgv: EXEC_ARGV });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs two processes that start together, and returns their results. */
async function editInTwo(
  server: NatsServer,
  what: "block" | "node" | "file" | "message",
  rounds: number,
): Promise<Record<string, unknown>[]> {
  const started = NAMES.map((name) => startChild(server, name, String(rounds)));
  await Promise.all(started.map((child) => once(child, "message")));
  const output = started.map((child) => Promise.race([once(child, "message"), once(child, "exit")]));
  for (const child of started) child.send(what);
  return (await Promise.all(output)).map(([answer]) => {
    if (typeof answer !== "object" || answer === null) throw new Error(`a process ended with ${answer}`);
    if ("error" in answer) throw new Error(`a process failed: ${answer.error}`);
    return answer as Record<string, unknown>;
  });
}

/** Two processes edit one block: no edit is lost, and none is made twice. */
export async function editOneBlock(rounds: number): Promise<void> {
  const { server, memory } = await start();
  const blocks = new Blocks(memory);
  await blocks.create("shared");
  expect(await editInTwo(server, "block", rounds)).toEqual([{}, {}]);
  const lines = String((await blocks.read("shared"))!.value).split("\n");
  const expected = NAMES.flatMap((name) => [
    `${name} counts ${rounds}`,
    ...upTo(rounds).flatMap((n) => [`${name} appends ${n}`, `${name} inserts ${n}`]),
  ]);
  expect(lines.toSorted()).toEqual(expected.toSorted());
  for (const name of NAMES) {
    const inserted = lines.filter((line) => line.startsWith(`${name} inserts`));
    expect(inserted).toEqual(upTo(rounds).map((n) => `${name} inserts ${rounds + 1 - n}`));
  }
  const kept = await memory.retrieve({ namespace: "blocks", limit: 0 });
  expect(kept.total).toBe(11);
  await blocks.undo("shared");
  expect((await blocks.redo("shared")).value).toBe(lines.join("\n"));
}

/** Two processes write about one node while one of them merges it: nothing is lost. */
export async function editOneNode(rounds: number): Promise<void> {
  const { server, memory } = await start();
  const output = await editInTwo(server, "node", rounds);
  expect(output).toMatchObject([{ left: 0 }, { left: 0 }]);
  // Each statement of both was created by one of them.
  expect(output.reduce((sum, { created }) => sum + (created as number), 0)).toBe(rounds);
  const graph = new KnowledgeGraph(memory);
  expect((await graph.merge("alias", "hub")).left).toEqual([]);
  const found: Triple[] = [];
  for await (const triple of graph.triples()) found.push(triple);
  const expected = ["same", ...NAMES].flatMap((predicate) =>
    upTo(rounds).map((n) => `hub ${predicate} ${n}`),
  );
  const words = found.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`);
  expect(words.toSorted()).toEqual(expected.toSorted());
  const same = found.filter(({ predicate }) => predicate === "same");
  const evidence = new Set(same.map((triple) => triple.evidence.toSorted().join()));
  expect([...evidence]).toEqual(["left says so,right says so"]);
}

/**
 * Two processes edit one file, which both move back and forth: no edit is lost, and it has one path at the
 * end.
 */
export async function editOneFile(rounds: number): Promise<void> {
  const { server, memory } = await start();
  const files = new MemoryFiles(memory);
  await files.write("/a/shared", "left 0\nright 0\n");
  expect(await editInTwo(server, "file", rounds)).toEqual([{ moved: rounds }, { moved: rounds }]);
  const { files: found } = await files.glob("**");
  expect(found).toHaveLength(1);
  expect((await files.read(found[0]!.path))?.text).toBe(`left ${rounds}\nright ${rounds}\n`);
}

/** A process that edits and moves a file is killed: the file is whole, at one path or at both. */
export async function killWhileMoving(kills: number): Promise<void> {
  const { server, memory } = await start();
  const files = new MemoryFiles(memory);
  for (let n = 0; n < kills; n++) {
    const { revision } = await files.write("/a/shared", "left 0\nright 0\n");
    const child = startChild(server, "left", "1000");
    await once(child, "message");
    child.send("file");
    while ((await newestRevision(memory)) < revision + 10 + n)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    await once(child, "exit");
    // The last request of the killed process may still be in flight: this one follows it.
    await files.write("/killed", "");
    const found = (await files.glob("*/shared")).files;
    const texts = await Promise.all(found.map(async ({ path }) => (await files.read(path))!.text));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).toMatch(/^left [1-9]\d*\nright 0\n$/);
    for (const { path } of found) await files.remove(path);
    await files.remove("/killed");
  }
}

async function newestRevision(memory: MemoryClient): Promise<number> {
  const { entries } = await memory.retrieve({ namespace: "files/**" });
  return Math.max(0, ...entries.map(({ revision }) => revision));
}

/** A process that edits is killed: the block has the value of one of its edits, and all undo values exist. */
export async function killWhileEditing(kills: number): Promise<void> {
  const { server, memory } = await start();
  const blocks = new Blocks(memory);
  for (let n = 0; n < kills; n++) {
    await blocks.create("shared");
    const child = startChild(server, "left", "100");
    await once(child, "message");
    child.send("block");
    while ((await blocks.read("shared"))!.undoCount < 5 + n)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
    await once(child, "exit");
    // The last request of the killed process may still be in flight: this one follows it.
    await blocks.append("shared", "killed");
    const { value, undoCount } = (await blocks.read("shared"))!;
    const lines = String(value).split("\n");
    expect(new Set(lines).size).toBe(lines.length);
    const appended = lines.filter((line) => line.startsWith("left appends"));
    expect(appended).toEqual(upTo(appended.length).map((round) => `left appends ${round}`));
    for (let step = 0; step < undoCount; step++) await blocks.undo("shared");
    for (let step = 0; step < undoCount; step++) await blocks.redo("shared");
    expect((await blocks.read("shared"))!.value).toBe(value);
    await blocks.delete("shared");
    expect((await memory.retrieve({ namespace: "blocks", limit: 0 })).total).toBe(0);
  }
}

async function openShared(memory: MemoryClient): Promise<Conversation> {
  const conversation = await openConversation(memory, { id: "shared" });
  await conversation.add({ id: "shared", message: { role: "user", content: "left 0" } });
  return conversation;
}

/** Expects that each message is one uniform text. */
function expectWhole(messages: Awaited<ReturnType<Conversation["get"]>>): void {
  for (const { incomplete, message } of messages) {
    expect(incomplete).toBeUndefined();
    const text = String(message.content);
    const [unit] = /^(left|right) \d+(, )?/.exec(text)!;
    expect(text === unit || text === unit.repeat(50_000)).toBe(true);
  }
}

/** Two processes edit one message in parts: readers find it whole, and no unused parts remain. */
export async function editOneLongMessage(rounds: number): Promise<void> {
  const { server, memory } = await start();
  const conversation = await openShared(memory);
  let isDone = false;
  const output = editInTwo(server, "message", rounds).finally(() => {
    isDone = true;
  });
  while (!isDone) expectWhole(await conversation.get());
  expect(await output).toEqual([{}, {}]);
  const messages = await conversation.get();
  expectWhole(messages);
  const own = upTo(rounds).filter((n) => n % 4 === 0);
  const ids = ["shared", ...NAMES.flatMap((name) => own.map((n) => `${name} ${n}`))];
  expect(messages.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  const kept = await memory.retrieve({ namespace: "conversations", limit: 0 });
  expect(kept.total).toBe(ids.length * 4);
}

/**
 * A process that edits a long message is killed: the message is whole, others continue, and clearing leaves
 * nothing.
 */
export async function killWhileEditingMessage(kills: number): Promise<void> {
  const { server, memory } = await start();
  for (let n = 0; n < kills; n++) {
    const conversation = await openShared(memory);
    const [before] = await conversation.get({ ids: ["shared"] });
    const child = startChild(server, "left", "100");
    await once(child, "message");
    child.send("message");
    let revision = before!.revision;
    for (let changes = 0; changes < 2 + n; ) {
      const [read] = await conversation.get({ ids: ["shared"] });
      if (read!.revision !== revision) changes++;
      revision = read!.revision;
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    expectWhole(await conversation.get());
    await conversation.update("shared", { content: "right 1, ".repeat(50_000) });
    expectWhole(await conversation.get());
    await conversation.clear();
    expect((await memory.retrieve({ namespace: "conversations", limit: 0 })).total).toBe(0);
  }
}
