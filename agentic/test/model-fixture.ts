import type { Clock } from "@membus/protocol";
import { afterEach } from "vitest";
import {
  CostMeter,
  ModelError,
  type ModelStreamPart,
  type OpenAiChatDependencies,
  type OpenAiChatOptions,
  openaiChatModel,
} from "../src/index.js";
import { type Script, ScriptedOpenAi } from "./scripted-openai/index.js";

const servers: ScriptedOpenAi[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/**
 * A server that plays `script`, which ends with the test, a model that asks it, and a meter whose clock ends every pause at
 * once.
 */
export async function startModel(
  script: Script,
  options: Partial<OpenAiChatOptions> = {},
  dependencies: OpenAiChatDependencies = {},
) {
  const server = await ScriptedOpenAi.start(script);
  servers.push(server);
  const model = openaiChatModel({ model: "scripted", baseUrl: server.baseUrl, ...options }, dependencies);
  const clock = new HastyClock();
  return { server, model, clock, meter: new CostMeter(clock) };
}

/** Time that passes at once where somebody waits for it: each pause ends where it begins, and is counted. */
export class HastyClock implements Clock {
  readonly pausesMs: number[] = [];
  #now = 1_000_000_000;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void, { background = false } = {}): () => void {
    if (background) return () => {};
    this.pausesMs.push(delayMs);
    this.#now += delayMs / 1000;
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  }
}

/** The `ModelError` that `promise` rejects with; anything else fails the test. */
export async function modelErrorOf(promise: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await promise.then(
    () => new Error("resolved"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw error;
  return error;
}

/** What a stream gives, up to its end or error. */
export async function readStream(stream: AsyncIterable<ModelStreamPart>) {
  const parts: ModelStreamPart[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { parts, error: undefined };
  } catch (error) {
    return { parts, error };
  }
}
