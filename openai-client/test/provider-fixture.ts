import { isMemoryError, type MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { onTestFinished } from "vitest";
import { type Answer, ProviderServer } from "./provider-server.js";

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

/** Starts a real server, which ends with the test, and a log for its client. */
export async function startProvider(answer: Answer) {
  const server = await ProviderServer.start(answer);
  onTestFinished(() => server.close());
  return { server, logger: new RecordingLogger() };
}

/** Returns the `MemoryError` that `promise` rejects with. Anything else fails the test. */
export async function memoryErrorOf(promise: Promise<unknown>): Promise<MemoryError> {
  const error: unknown = await promise.then(
    () => new Error("resolved"),
    (reason: unknown) => reason,
  );
  if (!isMemoryError(error)) throw error;
  return error;
}
