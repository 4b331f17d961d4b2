import { LongTermMemory, MemoryFiles } from "@membus/agentic";
import { createLruPlugin } from "@membus/plugin-lru";
import { keyHash, type MemoryTier } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { FilesReply, UserReply } from "../src/inspector/inspector-api.js";
import { InspectedGateway } from "./inspected-gateway.js";

const gateway = new InspectedGateway({ hasOwnHost: true });

/** Lists of these tiers fail if their request contains the text. */
const failing = new Map<MemoryTier, string>();

const HASHES = ["first", "second", "third"].map((id) => keyHash({ id }));

beforeAll(async () => {
  const plugins = {
    working: failingPlugin("working"),
    episodic: failingPlugin("episodic"),
    semantic: failingPlugin("semantic"),
  };
  await gateway.open({}, plugins);
  for (const path of ["/a.md", "/notes/b.md"]) await new MemoryFiles(gateway.alice).write(path, "text");
  await new MemoryFiles(gateway.alice, { tier: "semantic" }).write("/c.md", "text");
  await gateway.alice.store({ key: { id: "third" }, content: "I drink tea", tier: "episodic" });
  const facts = new LongTermMemory(gateway.alice, { subject: "user:ada" });
  await facts.record("drinks tea", { infer: false, sources: HASHES });
  await facts.record("reads maps", { infer: false, sources: HASHES.slice(0, 2) });
  await facts.record("lives in Rome", { infer: false, sources: HASHES.slice(2) });
  await facts.record("likes trains", { infer: false });
  await facts.close();
});
beforeEach(() => failing.clear());
afterAll(() => gateway.stop());

function failingPlugin(tier: MemoryTier): MemoryPlugin {
  const plugin = createLruPlugin();
  const list = plugin.onList!.bind(plugin);
  plugin.onList = async (selector, request) => {
    const text = failing.get(tier);
    if (text !== undefined && JSON.stringify([selector, request]).includes(text)) throw new Error("broken");
    return list(selector, request);
  };
  return plugin;
}

async function read<T>(path: string): Promise<T> {
  const url = new URL(`/inspector/${path}`, gateway.url);
  url.searchParams.set("tenant", "default");
  url.searchParams.set("agent", "alice");
  return (await (await fetch(url)).json()) as T;
}

async function readFiles() {
  const { folders, truncated, degraded } = await read<FilesReply>("files");
  const shown = folders.map(({ tier, namespace, files }) => [tier, namespace, files.length]);
  return { shown, truncated, degraded: degraded.map(({ tier }) => tier) };
}

/** Returns the texts of facts, whether their source is shown, and whether all of their sources were read. */
async function readFacts() {
  const { entries, degraded } = await read<UserReply>("user?user=ada");
  const facts = entries.map(({ text, source, all_sources_read }) => [text, source?.text, all_sources_read]);
  return { facts: facts.sort(), degraded: degraded.map(({ tier }) => tier) };
}

it("lists the files of the other tiers if a tier fails", async () => {
  failing.set("semantic", "file");
  expect(await readFiles()).toEqual({
    shown: [
      ["episodic", "files", 1],
      ["episodic", "files/notes", 1],
    ],
    truncated: true,
    degraded: ["semantic"],
  });
});

it("lists the files of the other folders if a folder fails", async () => {
  failing.set("episodic", "notes");
  expect(await readFiles()).toEqual({
    shown: [
      ["episodic", "files", 1],
      ["semantic", "files", 1],
    ],
    truncated: true,
    degraded: [],
  });
});

it("shows which facts have sources that were not read", async () => {
  expect(await readFacts()).toEqual({
    facts: [
      ["drinks tea", undefined, false],
      ["likes trains", undefined, true],
      ["lives in Rome", "I drink tea", true],
      ["reads maps", undefined, true],
    ],
    degraded: [],
  });
});

it("shows the tiers in which sources cannot be read", async () => {
  failing.set("semantic", HASHES[0]!);
  expect(await readFacts()).toEqual({
    facts: [
      ["drinks tea", undefined, false],
      ["likes trains", undefined, true],
      ["lives in Rome", "I drink tea", false],
      ["reads maps", undefined, false],
    ],
    degraded: ["semantic"],
  });
});

it("shows the facts if no source can be read", async () => {
  for (const tier of ["working", "episodic", "semantic"] as const) failing.set(tier, HASHES[0]!);
  expect((await readFacts()).facts).toEqual([
    ["drinks tea", undefined, false],
    ["likes trains", undefined, true],
    ["lives in Rome", undefined, false],
    ["reads maps", undefined, false],
  ]);
});
