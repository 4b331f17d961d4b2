import { MemoryError } from "@membus/protocol";
import type { AgentCall, AgentLine, AgentTasks } from "./agent-messages.js";
import type { LineProcess } from "./line-process.js";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** An agent in a process of its own, as the demo directs it. */
export class RemoteAgent {
  readonly name: string;
  readonly #process: LineProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #salesAcknowledged = 0;

  constructor(name: string, process: LineProcess) {
    this.name = name;
    this.#process = process;
    process.onLine((line) => this.#receive(JSON.parse(line) as AgentLine));
    void process.exited.then(() => this.#failAll());
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Sales acknowledged so far, as the agent tells while it stores them. */
  get salesAcknowledged(): number {
    return this.#salesAcknowledged;
  }

  /** @throws {MemoryError} what the agent's client threw, or `unavailable` when its process has ended. */
  ask<T extends keyof AgentTasks>(
    task: T,
    ...args: Parameters<AgentTasks[T]>
  ): Promise<Awaited<ReturnType<AgentTasks[T]>>> {
    const call: AgentCall = { id: ++this.#calls, task, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(call.id, { resolve: resolve as Waiting["resolve"], reject });
      if (this.#process.running) this.#process.writeLine(JSON.stringify(call));
      else this.#failAll();
    });
  }

  #receive(line: AgentLine): void {
    if ("salesAcknowledged" in line) {
      this.#salesAcknowledged = line.salesAcknowledged;
      return;
    }
    const waiting = this.#waiting.get(line.id);
    this.#waiting.delete(line.id);
    if (line.error === undefined) waiting?.resolve(line.value);
    else waiting?.reject(new MemoryError(line.error.code, `${this.name}: ${line.error.message}`));
  }

  #failAll(): void {
    const error = new MemoryError("unavailable", `${this.name}'s process ended: ${this.#process.lastLog}`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
