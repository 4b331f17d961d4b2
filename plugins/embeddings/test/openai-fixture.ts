import { type Clock, isMemoryError, type Logger, type MemoryError, systemClock } from "@membus/protocol";
import { afterEach } from "vitest";
import { createOpenAiEmbedder } from "../src/openai/openai-embedder.js";
import type { OpenAiEmbedderOptions } from "../src/openai/openai-options.js";
import { type Answer, EmbeddingsServer } from "./embeddings-server.js";

const servers: EmbeddingsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Keeps every line as text. */
class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly debug = (fields: object, message: string) => this.#log(fields, message);
  readonly info = (fields: object, message: string) => this.#log(fields, message);
  readonly warn = (fields: object, message: string) => this.#log(fields, message);
  readonly error = (fields: object, message: string) => this.#log(fields, message);

  #log(fields: object, message: string): void {
    this.lines.push(`${JSON.stringify(fields)} ${message}`);
  }
}

/** An embedder of three components and the real server that it asks. The server ends with the test. */
export async function startOpenAi(
  answer: Answer,
  options: Partial<OpenAiEmbedderOptions> = {},
  clock: Clock = systemClock,
) {
  const server = await EmbeddingsServer.start(answer);
  servers.push(server);
  const logger = new RecordingLogger();
  const embedder = createOpenAiEmbedder(
    { baseURL: server.baseURL, model: "m", dimensions: 3, ...options },
    { clock, logger },
  );
  return { server, embedder, logger };
}

/** The `MemoryError` that `promise` rejects with; anything else fails the test. */
export async function memoryErrorOf(promise: Promise<unknown>): Promise<MemoryError> {
  const error: unknown = await promise.then(
    () => new Error("resolved"),
    (reason: unknown) => reason,
  );
  if (!isMemoryError(error)) throw error;
  return error;
}
