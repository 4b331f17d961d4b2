import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { createLocalBus } from "@membus/bus";
import { createStaticEmbedder } from "@membus/embeddings";
import { createHost } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { type MemoryTier, silentLogger, systemClock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { callTool, ProgressiveMemory, type ProgressiveOptions } from "../src/index.js";
import { loadPrompt } from "../src/model/index.js";
import {
  AGENT_NAMES,
  type AgentName,
  type MemoryToolName,
  type MemoryToolOptions,
  type ProgressiveDependencies,
  type ToolBinding,
} from "../src/progressive/index.js";
import { startModel } from "./model-fixture.js";
import type { ReceivedChat, ScriptedAnswer, ScriptedReply } from "./scripted-openai/index.js";

const services = { clock: systemClock, logger: silentLogger };

/** Returns a client of a host in this process, all tiers in memory, with keyword search. */
export async function hostInMemory(): Promise<MemoryClient> {
  const bus = createLocalBus({}, services);
  onTestFinished(() => bus.close());
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
  const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  onTestFinished(() => host.stop());
  return connect(bus);
}

/** Returns the same with the episodic tier on LanceDB and an embedder, for vector search. */
export async function hostOnDisk(): Promise<MemoryClient> {
  const folder = await mkdtemp(join(tmpdir(), "membus-progressive-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bus = createLocalBus({}, services);
  onTestFinished(() => bus.close());
  const parts = { bus, plugins: { episodic: createLanceDbPlugin() }, embedder: createStaticEmbedder() };
  const host = createHost(
    { ...parts, dataDirectories: { episodic: folder }, ...services },
    { discoveryWaitMs: 10 },
  );
  await host.start();
  onTestFinished(() => host.stop());
  return connect(bus);
}

async function connect(bus: ReturnType<typeof createLocalBus>): Promise<MemoryClient> {
  const client = await MemoryClient.connect({ bus, agent: "alice", timeoutMs: 60_000 });
  onTestFinished(() => client.close());
  return client;
}

/** Answers of each agent in order. A target may have separate answers under `agent(target)`. */
export type AgentScripts = Readonly<Record<string, readonly ScriptedAnswer[]>>;

/** Returns a script for a server that several agents call concurrently. */
function scriptOf(scripts: AgentScripts) {
  const received = new Map<string, number>();
  return (request: ReceivedChat): ScriptedAnswer => {
    const name = callingAgent(request, scripts);
    const index = received.get(name) ?? 0;
    received.set(name, index + 1);
    return scripts[name]?.[index] ?? { status: 400, message: `no answer ${index} for ${name}` };
  };
}

/** Returns the calling agent by its prompt, and its target if `scripts` has an entry for it. */
function callingAgent({ body }: ReceivedChat, scripts: AgentScripts = {}): string {
  const [system, task] = body.messages.map(({ content }) => String(content));
  const name =
    AGENT_NAMES.find((known) => system!.startsWith(loadPrompt(`progressive-${known}`))) ?? "custom";
  const target = /Your target: \w+\((.*)\)/.exec(task ?? "")?.[1];
  const own = `${name}(${target})`;
  return Object.hasOwn(scripts, own) ? own : name;
}

/** Returns an answer that calls one tool. */
export function calling(name: MemoryToolName, args: object): ScriptedReply {
  return { calls: [{ name, arguments: args }] };
}

export const DONE: ScriptedReply = Object.freeze({ text: "done" });

/** Returns a memory with a model and agents that answer by `scripts`. */
export async function scriptedMemory(
  scripts: AgentScripts,
  options: ProgressiveOptions = {},
  dependencies: ProgressiveDependencies = {},
) {
  const client = await hostInMemory();
  const { model, server } = await startModel(scriptOf(scripts));
  const memory = new ProgressiveMemory(client, options, { model, ...dependencies });
  const requestsOf = (agent: AgentName) =>
    server.requests.filter((request) => callingAgent(request) === agent);
  return { client, memory, model, server, requestsOf };
}

/** Calls one memory tool as a model does. */
export async function call(
  memory: ProgressiveMemory,
  name: MemoryToolName,
  args: object,
  { binding = {}, options = {} }: { binding?: ToolBinding; options?: MemoryToolOptions } = {},
): Promise<string> {
  const tools = await memory.tools([name], binding, options);
  return callTool(tools, { id: "c1", name, arguments: JSON.stringify(args) });
}

/** Returns the memory ids in the text of a tool. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(/(?<!ref_)memory_id(?:=|":")([0-9a-f]{64})/g)].map(([, id]) => id!);
}

/** Returns all entries of a tier, by namespace and kind. */
export async function stored(client: MemoryClient, tier: MemoryTier = "episodic") {
  const entries = [];
  for (const namespace of ["about/**", "targets", "conversations", "blocks"]) {
    for await (const entry of client.entries({ namespace, tier, order: "oldest" })) entries.push(entry);
  }
  return entries;
}

/** Returns the number of records of each kind. */
export async function countsByKind(client: MemoryClient, tier: MemoryTier = "episodic") {
  const counts: Record<string, number> = {};
  for (const { metadata } of await stored(client, tier)) {
    const kind = String(metadata?.kind);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
