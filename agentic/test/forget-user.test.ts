import type { AgentMemory } from "@membus/agent-client";
import { describe, expect, it } from "vitest";
import {
  Blocks,
  forgetUser,
  KnowledgeGraph,
  LongTermMemory,
  Memory,
  MemoryFiles,
  openConversation,
  renameUser,
} from "../src/index.js";
import { openMemory } from "./memory-fixture.js";

/** Stores something about a user with every class. */
async function fill(client: AgentMemory, user: string): Promise<void> {
  const memory = new Memory(client);
  await memory.add(`${user} prefers tea.`, { user });
  await memory.add([{ role: "user", content: `I am ${user}.` }], { user });
  await new LongTermMemory(client, { subject: `user:${user}`, tier: "semantic" }).record(
    `${user} knows Rome`,
  );
  const second = await openConversation(client, { id: `user:${user}/trip` });
  await second.add({ role: "user", content: "x".repeat(300_000) });
  await new KnowledgeGraph(client).add({ subject: user, predicate: "lives in", object: "Rome" });
  await new KnowledgeGraph(client).add({ subject: "Eve", predicate: "knows", object: user });
  await new Blocks(client).create(user, { value: "likes tea" });
  await new MemoryFiles(client).write(`users/${user}/note.md`, "tea");
  await client.inNamespace(`users/${user}/work`).store({ key: "note", content: "buy tea", tier: "working" });
  await client.inNamespace(`space/about/${user}`).store({ key: "own", content: "tea", tier: "episodic" });
}

/** Returns the text of all entries in all tiers. */
async function everything(client: AgentMemory): Promise<string> {
  const all: unknown[] = [];
  for await (const { value } of client.items({ namespace: "**" })) {
    for await (const entry of client.entries({ namespace: String(value) })) all.push(entry);
  }
  return JSON.stringify(all);
}

describe("forgetUser", () => {
  it("leaves nothing of a user in any namespace, and everything of another user", async () => {
    const { memory: client } = await openMemory();
    await fill(client, "ada");
    await fill(client, "bob");
    const counted = await forgetUser(client, "ada", { dryRun: true });
    const receipt = await forgetUser(client, "ada", { purge: true });
    expect(counted.deleted).toBe(receipt.deleted);
    expect(receipt.byKind).toMatchObject({ block: 1, fact: 3, file: 1, message: 2, other: 2, triple: 2 });
    expect(Object.keys(receipt.byTier)).toEqual(["episodic", "semantic", "working"]);
    expect(receipt.purged).toBe(true);
    const left = await everything(client);
    expect(/\bada\b/.test(left)).toBe(false);
    expect((await forgetUser(client, "bob", { dryRun: true })).byKind).toEqual(receipt.byKind);
    expect((await forgetUser(client, "ada")).deleted).toBe(0);
  });

  it("forgets entries that were derived from the user's messages", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    const { messageIds } = await memory.add({ role: "user", content: "I live in Rome." }, { user: "ada" });
    expect(messageIds).toHaveLength(1);
    const { entries } = await client.retrieve({ namespace: "conversations" });
    const project = new LongTermMemory(client, { subject: "project:x" });
    await project.record("one member lives in Rome", { sources: [entries[0]!.key_hash] });
    const receipt = await memory.forget("ada");
    expect(receipt.byKind).toEqual({ derived: 1, fact: 1, message: 1 });
    expect((await project.sizes()).fact).toBe(0);
  });

  it("names what remains, with the reason", async () => {
    const { memory: client } = await openMemory();
    await fill(client, "ada");
    const { remains, requestIds } = await forgetUser(client, "ada");
    expect(requestIds.length).toBeGreaterThan(0);
    expect(remains.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        "marker in about/user:ada",
        "bytes of the deleted entries on disk",
        "memories of other agents",
        "backups, exports and copies of the data folder",
      ]),
    );
  });

  it("names the obstacle that delays the erasure", async () => {
    const { memory: client } = await openMemory();
    await fill(client, "ada");
    client.forgetStatus = async () => ({ purge: "scheduled", purge_reason: "replica_down" });
    const { remains } = await forgetUser(client, "ada");
    expect(remains).toContainEqual({
      what: "bytes of the deleted entries on disk",
      reason: "the host erases them later. It reports replica_down",
    });
  });

  it("finds other names and conversations if they are given", async () => {
    const { memory: client } = await openMemory();
    await new KnowledgeGraph(client).add({ subject: "Ada Lovelace", predicate: "lives in", object: "Rome" });
    await (await openConversation(client, { id: "c1" })).add({ role: "user", content: "hello" });
    expect((await forgetUser(client, "ada")).deleted).toBe(0);
    const { byKind } = await forgetUser(client, "ada", { names: ["Ada Lovelace"], conversations: ["c1"] });
    expect(byKind).toEqual({ message: 1, triple: 1 });
  });
});

describe("renameUser", () => {
  it("moves everything of a user to another name", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    await fill(client, "ada");
    const before = await forgetUser(client, "ada", { dryRun: true });
    const { renamed } = await memory.rename("ada", "ann");
    expect(renamed).toBe(before.deleted);
    expect((await forgetUser(client, "ann", { dryRun: true })).byKind).toEqual(before.byKind);
    expect((await forgetUser(client, "ada", { dryRun: true })).deleted).toBe(0);
    expect((await memory.history("ann")).map(({ message }) => message.content)).toEqual(["I am ada."]);
    const trip = await openConversation(client, { id: "user:ann/trip" });
    expect((await trip.messages())[0]?.content).toHaveLength(300_000);
    await client.list({ namespace: "**" });
    for await (const { value } of client.items({ namespace: "**" })) expect(value).not.toContain("ada");
  });

  it("keeps entries that are derived from the user's messages, and the relation", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    await memory.add({ role: "user", content: "I live in Rome." }, { user: "ada" });
    const { entries } = await client.retrieve({ namespace: "conversations" });
    const project = new LongTermMemory(client, { subject: "project:x" });
    await project.record("one member lives in Rome", { sources: [entries[0]!.key_hash] });
    await memory.rename("ada", "ann");
    expect((await project.sizes()).fact).toBe(1);
    expect((await memory.forget("ann")).byKind).toEqual({ derived: 1, fact: 1, message: 1 });
    expect((await project.sizes()).fact).toBe(0);
  });

  it("moves what others store under the old name during the rename", async () => {
    const { memory: client } = await openMemory();
    await new Memory(client).add("Ada prefers tea.", { user: "ada" });
    let isStored = false;
    const interrupted = new Proxy(client, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== "function") return own;
        if (name !== "forget") return own.bind(target);
        return async (request: { dry_run?: boolean }) => {
          if (request.dry_run !== true && !isStored) {
            isStored = true;
            await client.inNamespace("users/ada").store({ key: "late", content: "late", tier: "episodic" });
          }
          return own.call(target, request);
        };
      },
    });
    expect(await renameUser(interrupted, "ada", "ann")).toEqual({ renamed: 2 });
    expect((await client.retrieve({ namespace: "users/ann", keys: ["late"] })).entries).toHaveLength(1);
    expect((await forgetUser(client, "ada", { dryRun: true })).deleted).toBe(0);
  });

  it("renames the namespaces of progressive memory, which escapes ~", async () => {
    const { memory: client } = await openMemory();
    await client.inNamespace("about/a%7eb").store({ key: "own", content: "tea", tier: "episodic" });
    expect(await renameUser(client, "a~b", "c~d")).toEqual({ renamed: 1 });
    const { items } = await client.list({ namespace: "**" });
    expect(items.map(({ value }) => value)).toEqual(["about/c%7ed"]);
  });

  it("refuses a name that has memories", async () => {
    const { memory: client } = await openMemory();
    const memory = new Memory(client);
    await memory.add("Ada prefers tea.", { user: "ada" });
    await memory.add("Bob prefers tea.", { user: "bob" });
    await expect(renameUser(client, "ada", "bob")).rejects.toMatchObject({ code: "conflict" });
    expect(await memory.search("prefers", { user: "bob" })).toHaveLength(1);
    expect(await memory.rename("eve", "mallory")).toEqual({ renamed: 0 });
  });
});
