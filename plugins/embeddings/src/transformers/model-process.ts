import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { MemoryError } from "@membus/protocol";
import type { ModelAnswer, ModelTask } from "./model-program.js";

const PROGRAM = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("./model-program.ts", import.meta.url)
    : new URL("./model-program.js", import.meta.url),
);

interface Waiting {
  resolve(answer: ModelAnswer): void;
  reject(error: unknown): void;
}

/**
 * Runs a model in a separate process. A text takes up to a second, during which its process does nothing
 * else, and a crash of the model ends only its process. Handles one request at a time. Keeps this process
 * alive only while a caller waits.
 */
export class ModelProcess {
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  #ended: MemoryError | undefined;

  private constructor(nodeArguments: readonly string[]) {
    this.#child = fork(PROGRAM, [], {
      execArgv: [...nodeArguments],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (answer) => this.#settle(({ resolve }) => resolve(answer as ModelAnswer)));
    this.#child.on("error", (cause) => this.#end(cause));
    this.#child.on("exit", (code, signal) => this.#end(new Error(`exited with ${signal ?? code}`)));
    this.#child.on("disconnect", () => this.#end(new Error("disconnected")));
  }

  /**
   * Starts a process that has loaded the package and is loading the model.
   * @throws {TypeError} If the package is not installed.
   * @throws {MemoryError} `unavailable` if it cannot be loaded.
   */
  static async start(task: ModelTask, nodeArguments: readonly string[]): Promise<ModelProcess> {
    const started = new ModelProcess(nodeArguments);
    const answer = await started.#ask(task);
    if (answer.kind !== "failed") return started;
    started.#child.disconnect();
    if (answer.code === "ERR_MODULE_NOT_FOUND" && answer.message.includes(`'${task.package}'`)) {
      throw new TypeError(
        `embedder transformers needs the package ${task.package}: npm install ${task.package}`,
      );
    }
    throw failed(`cannot load ${task.package}`, answer.message);
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Returns the vectors of `texts` as one array, row by row, each with `dimensions` components.
   * @throws {MemoryError} `unavailable` if the model cannot be loaded or fails, or the process ends.
   */
  async embed(texts: readonly string[], dimensions: number): Promise<Float32Array> {
    const answer = await this.#ask([...texts]);
    if (answer.kind === "failed") throw failed("the model failed", answer.message);
    if (answer.kind === "vectors" && isShape(answer.shape, [texts.length, dimensions]))
      return answer.components;
    throw new MemoryError("unavailable", "the model returned a wrong number or size of vectors");
  }

  #ask(question: ModelTask | string[]): Promise<ModelAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#waiting = { resolve, reject };
      this.#child.ref();
      this.#child.channel?.ref();
      this.#child.send(question, (error) => error && this.#end(error));
    });
  }

  #settle(settle: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#child.unref();
    this.#child.channel?.unref();
    if (waiting) settle(waiting);
  }

  #end(cause: Error): void {
    this.#ended ??= new MemoryError("unavailable", "the model process has ended", {}, { cause });
    const ended = this.#ended;
    this.#settle(({ reject }) => reject(ended));
  }
}

function isShape(shape: readonly number[], expected: readonly number[]): boolean {
  return shape.length === expected.length && shape.every((size, axis) => size === expected[axis]);
}

function failed(text: string, message: string): MemoryError {
  return new MemoryError("unavailable", text, {}, { cause: new Error(message) });
}
