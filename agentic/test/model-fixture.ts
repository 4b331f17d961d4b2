import type { Clock } from "@membus/protocol";
import { onTestFinished } from "vitest";
import { CostMeter, ModelError, type OpenAiChatOptions, openaiChatModel } from "../src/index.js";
import type { ModelStreamPart, OpenAiChatDependencies } from "../src/model/index.js";
import { type Script, ScriptedOpenAi } from "./scripted-openai/index.js";

/**
 * Starts a server that plays `script` and stops with the test, a model that calls it, and a meter with a clock that skips pauses.
 */
export async function startModel(
  script: Script,
  options: Partial<OpenAiChatOptions> = {},
  dependencies: OpenAiChatDependencies = {},
) {
  const server = await ScriptedOpenAi.start(script);
  onTestFinished(() => server.stop());
  const model = openaiChatModel({ model: "scripted", baseUrl: server.baseUrl, ...options }, dependencies);
  const clock = new HastyClock();
  return { server, model, clock, meter: new CostMeter(clock) };
}

/** A clock that ends every pause immediately and counts the pauses. */
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

/** Returns the `ModelError` that `promise` rejects with. Anything else fails the test. */
export async function modelErrorOf(promise: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await promise.then(
    () => new Error("resolved"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw error;
  return error;
}

/** Returns the parts of a stream up to its end or error. */
export async function readStream(stream: AsyncIterable<ModelStreamPart>) {
  const parts: ModelStreamPart[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { parts, error: undefined };
  } catch (error) {
    return { parts, error };
  }
}
