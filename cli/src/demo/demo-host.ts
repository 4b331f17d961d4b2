import { killProcess, type ServerExit, stopProcess } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { firstLine, type LineProcess } from "./line-process.js";

const STOP_TIMEOUT_MS = 20_000;

/** The host of the demo: `membus up` in a process of its own, which can be killed and started again. */
export class DemoHost {
  readonly #launch: () => LineProcess;
  #process: LineProcess;

  constructor(launch: () => LineProcess) {
    this.#launch = launch;
    this.#process = launch();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves when it serves. */
  async ready(): Promise<void> {
    await firstLine("the host", this.#process);
  }

  async kill(): Promise<ServerExit> {
    return killProcess(this.#process);
  }

  async restart(): Promise<void> {
    this.#process = this.#launch();
    await this.ready();
  }

  async stop(): Promise<ServerExit> {
    return stopProcess(this.#process, STOP_TIMEOUT_MS, systemClock);
  }
}
