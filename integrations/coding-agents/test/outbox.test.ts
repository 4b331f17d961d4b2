import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { systemClock } from "@membus/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { RunningHost } from "../../../cli/test/running-host.js";
import { degradedNotice, type NewWrite, Outbox } from "../src/index.js";

const host = new RunningHost();
let memory: MemoryClient;
let folder: string;
beforeAll(async () => {
  await host.start();
  memory = await MemoryClient.connect({ servers: host.url, agent: "alice" });
});
afterAll(async () => {
  await memory.close();
  await host.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-outbox-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content = name): NewWrite {
  return { namespace: "outbox", entry: { key: name, content, tier: "episodic" } };
}

async function revisionOf(name: string): Promise<readonly [number, unknown]> {
  const { entries } = await memory.inNamespace("outbox").retrieve({ keys: [name] });
  return [entries.length, entries[0]?.content];
}

it("delivers a queued write once, and removes its file", async () => {
  const outbox = new Outbox(folder);
  await outbox.add(write("one"));
  expect(await outbox.state()).toMatchObject({ queued: 1, refused: 0 });
  expect(await outbox.drain(memory)).toEqual({ delivered: 1, refused: 0, damaged: 0, queued: 0 });
  expect(await revisionOf("one")).toEqual([1, "one"]);
  expect(readdirSync(join(folder, "queued"))).toEqual([]);
});

it("does not change an entry that exists, even if its content differs", async () => {
  const outbox = new Outbox(folder);
  await memory.inNamespace("outbox").remember("kept", "corrected", { tier: "episodic" });
  await outbox.add(write("kept", "first version"));
  expect(await outbox.drain(memory)).toMatchObject({ delivered: 1, queued: 0 });
  expect(await revisionOf("kept")).toEqual([1, "corrected"]);
});

it("stores a statement again that the user returns to, once", async () => {
  const outbox = new Outbox(folder);
  const statement = (text: string, at: number): NewWrite => ({
    namespace: "returns",
    entry: { key: text, content: text, tier: "episodic", occurred_at: at, metadata: { said: at } },
  });
  const latest = async () =>
    (await memory.inNamespace("returns").retrieve({ order: "newest", tier: "episodic" })).entries.map(
      ({ content, metadata, revision }) => ({ content, said: metadata?.said, revision }),
    );
  for (const [text, at] of [
    ["use npm", 1],
    ["use pnpm", 2],
    ["use npm", 3],
  ] as const) {
    await outbox.add(statement(text, at));
    expect(await outbox.drain(memory)).toMatchObject({ delivered: 1, queued: 0 });
  }
  const returned = await latest();
  expect(returned).toMatchObject([
    { content: "use npm", said: 3 },
    { content: "use pnpm", said: 2 },
  ]);
  for (const at of [3, 1]) await outbox.add(statement("use npm", at));
  expect(await outbox.drain(memory)).toMatchObject({ delivered: 2, queued: 0 });
  expect(await latest()).toEqual(returned);
});

it("keeps writes while the host is down, and delivers them oldest first afterwards", async () => {
  const outbox = new Outbox(folder);
  for (const name of ["a", "b", "c"]) await outbox.add(write(name));
  await host.kill();
  const down = await outbox.drain(memory, { timeoutMs: 500 });
  expect(down).toMatchObject({ delivered: 0, queued: 3 });
  expect(degradedNotice(await outbox.state(), down.reason)).toMatch(
    /^membus: memory is degraded: .+\. 3 writes are queued on this machine\./,
  );
  await host.restart();
  expect(await new Outbox(folder).drain(memory, { countMax: 2 })).toMatchObject({ delivered: 2, queued: 1 });
  expect(await revisionOf("a")).toEqual([1, "a"]);
  expect(await revisionOf("c")).toEqual([0, undefined]);
  expect(await new Outbox(folder).drain(memory)).toMatchObject({ delivered: 1, queued: 0 });
  expect(degradedNotice(await outbox.state())).toBe(undefined);
});

it("lets two drainers work at once without a second effect", async () => {
  const names = Array.from({ length: 60 }, (_, n) => `both-${n}`);
  const outbox = new Outbox(folder);
  for (const name of names) await outbox.add(write(name));
  await Promise.all([outbox.drain(memory), new Outbox(folder).drain(memory)]);
  expect(await outbox.state()).toMatchObject({ queued: 0, refused: 0 });
  const { entries } = await memory.inNamespace("outbox").retrieve({ keys: names, limit: 100 });
  expect(entries).toHaveLength(60);
  expect(entries.every(({ revision, seq }) => revision === seq)).toBe(true);
});

it("sets a refused write aside with its error, and delivers the others", async () => {
  const outbox = new Outbox(folder);
  const bad = await outbox.add({
    namespace: "outbox",
    entry: { key: "bad", content: 1, tags: ["x".repeat(300)] },
  });
  await outbox.add(write("good"));
  expect(await outbox.drain(memory)).toMatchObject({ delivered: 1, refused: 1, queued: 0 });
  const [item] = await outbox.list();
  expect(item).toMatchObject({ id: bad, state: "refused", write: { refusal: { code: "too_large" } } });
  expect(await outbox.retry([bad])).toBe(1);
  expect(await outbox.state()).toMatchObject({ queued: 1, refused: 0 });
  expect(await outbox.drop([bad])).toBe(1);
  expect(await outbox.state()).toMatchObject({ queued: 0, refused: 0 });
});

it("reports torn and foreign files, leaves them alone, and delivers the others", async () => {
  const outbox = new Outbox(folder);
  const torn = await outbox.add(write("torn"));
  await outbox.add(write("whole"));
  const [first] = readdirSync(join(folder, "queued")).sort();
  truncateSync(join(folder, "queued", first!), 20);
  writeFileSync(join(folder, "queued", "notes.txt"), "hello");
  expect(await outbox.drain(memory)).toMatchObject({ delivered: 1, damaged: 1, queued: 1 });
  expect(await outbox.state()).toMatchObject({ queued: 1, foreign: ["notes.txt"] });
  expect(await outbox.list()).toMatchObject([{ id: torn, state: "damaged" }]);
});

it("fails a write with the limit in its message when it is full", async () => {
  const outbox = new Outbox(folder, { countMax: 2 });
  await outbox.add(write("first"));
  await outbox.add(write("second"));
  await expect(outbox.add(write("third"))).rejects.toMatchObject({
    code: "overloaded",
    message: expect.stringMatching(/^the outbox is full: it has 2 writes .+ may have 2 /),
  });
  const small = new Outbox(join(folder, "small"), { bytesMax: 50 });
  await expect(small.add(write("long".repeat(20)))).rejects.toMatchObject({ code: "overloaded" });
  expect(await small.state()).toMatchObject({ queued: 0, bytes: 0 });
});

it("delivers all writes although the time of one attempt is short", async () => {
  let now = 0;
  const clock = { ...systemClock, now: () => now++ };
  const outbox = new Outbox(folder, {}, { clock });
  const names = Array.from({ length: 60 }, (_, n) => `many-${n}`);
  for (const name of names) await outbox.add(write(name));
  const options = { timeoutMs: 2_500 };
  expect(await outbox.drain(memory, options)).toMatchObject({ delivered: 32, queued: 28 });
  expect(await outbox.drainAll(memory, { ...options, countMax: 10 })).toEqual({
    ...{ delivered: 28, refused: 0, damaged: 0, queued: 0 },
  });
});

it("ends although a write stays queued", async () => {
  const outbox = new Outbox(folder);
  await outbox.add(write("torn again"));
  await outbox.add(write("whole again"));
  const [first] = readdirSync(join(folder, "queued")).sort();
  truncateSync(join(folder, "queued", first!), 20);
  expect(await outbox.drainAll(memory)).toMatchObject({ delivered: 1, damaged: 1, queued: 1 });
});

it("reports a folder that cannot be read, and does not throw", async () => {
  writeFileSync(join(folder, "queued"), "");
  const outbox = new Outbox(folder);
  const problem = expect.objectContaining({ message: expect.stringMatching(/^ENOTDIR: /) });
  expect(await outbox.state()).toEqual({ queued: 0, refused: 0, bytes: 0, foreign: [], problem });
  expect(await outbox.drain(memory)).toMatchObject({ delivered: 0, queued: 0, reason: problem });
  await expect(outbox.add(write("lost"))).rejects.toThrow("ENOTDIR: ");
});
