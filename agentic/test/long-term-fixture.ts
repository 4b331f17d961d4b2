import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { createLocalBus } from "@membus/bus";
import { createStaticEmbedder } from "@membus/embeddings";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { type Clock, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { onTestFinished } from "vitest";
import {
  type ChatModel,
  LongTermMemory,
  type LongTermOptions,
  type OpenAiChatOptions,
} from "../src/index.js";
import { connectRunning } from "./connect-running.js";
import { startModel } from "./model-fixture.js";
import type { Script } from "./scripted-openai/index.js";

export {
  decided,
  foundFacts,
  knownFacts,
  requestOf,
  type ScriptedDecision,
} from "./scripted-openai/index.js";

/** Returns Alice's client of hosts that run already, or of a real host with the offline embedder, all tiers in memory. */
export async function openMemory(): Promise<MemoryClient> {
  const running = await connectRunning();
  if (running !== undefined) return running.memory;
  const services = { clock: systemClock, logger: silentLogger };
  const bus = createLocalBus({}, services);
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
  const embedder = createStaticEmbedder({});
  const host = createHost({ bus, plugins, embedder, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  const client = await MemoryClient.connect({ bus, agent: "alice", timeoutMs: 60_000 });
  onTestFinished(async () => {
    await client.close();
    await host.stop();
    await bus.close();
  });
  return client;
}

export interface OpenOptions extends Partial<LongTermOptions> {
  readonly client?: MemoryClient;
  readonly model?: ChatModel;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Returns a memory about a user, with its client. */
export async function openLongTerm({ client, model, clock, logger, ...options }: OpenOptions = {}) {
  const memory = client ?? (await openMemory());
  const longTerm = new LongTermMemory(
    memory,
    { subject: "user:abc123", ...options },
    { model, clock, logger },
  );
  onTestFinished(() => longTerm.close());
  return { memory, longTerm };
}

/** Returns the same with a model that plays `script`. */
export async function openScripted(
  script: Script,
  options: OpenOptions = {},
  chat: Partial<OpenAiChatOptions> = {},
) {
  const { server, model } = await startModel(script, chat);
  return { server, ...(await openLongTerm({ model, ...options })) };
}

/** Returns the texts of all current facts, sorted. */
export async function factTexts(longTerm: LongTermMemory): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of longTerm.entries({ kinds: ["fact"] })) texts.push(text);
  return texts.sort();
}

/**
 * Returns the memory of a process that is killed at a point of a change: "create" is the store of a new fact, "retire"
 * the store of the end of a fact. Nothing of that store is written.
 */
export function killedAt(point: "create" | "retire", memory: AgentMemory): AgentMemory {
  return new Proxy(memory, {
    get(target, name) {
      if (name === "inNamespace")
        return (...args: Parameters<AgentMemory["inNamespace"]>) =>
          killedAt(point, target.inNamespace(...args));
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "store") return typeof value === "function" ? value.bind(target) : value;
      return (...args: Parameters<AgentMemory["store"]>) => {
        const entries = [args[0]].flat();
        const isRetired = entries.some((entry) => entry.metadata?.superseded_by !== undefined);
        if (isRetired === (point === "retire")) throw new Error(`killed at ${point}`);
        return target.store(...args);
      };
    },
  });
}
