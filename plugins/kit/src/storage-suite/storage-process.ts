import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { systemClock, withTimeout } from "@membus/protocol";
import { StorageSuiteError } from "./expectation.js";
import type { ChildCommand, ChildReport } from "./storage-child.js";
import type { StorageUnderTest } from "./storage-under-test.js";

const CHILD = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("./storage-child.ts", import.meta.url)
    : new URL("./storage-child.js", import.meta.url),
);
const COMPLAINT_CHARACTERS = 2_000;

/** Another process that loads the storage's module. */
export class StorageProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #reports: ChildReport[] = [];
  #wake: () => void = () => {};
  #hasEnded = false;
  #stderr = "";

  constructor(
    { module, nodeArguments = [] }: StorageUnderTest,
    readonly timeoutMs: number,
    command: ChildCommand,
  ) {
    this.#child = fork(CHILD, { execArgv: [...nodeArguments], stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#child.stderr!.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-COMPLAINT_CHARACTERS);
    });
    this.#child.on("message", (report: ChildReport) => {
      this.#reports.push(report);
      this.#wake();
    });
    // All reports have arrived when both events have occurred.
    this.#ended = Promise.all([once(this.#child, "exit"), once(this.#child, "disconnect")]).then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
    this.#child.send({ ...command, module });
  }

  /** Returns the next report, or undefined once the process has ended. */
  async next(): Promise<ChildReport | undefined> {
    while (this.#reports.length === 0 && !this.#hasEnded) {
      const announced = new Promise<true>((resolve) => {
        this.#wake = () => resolve(true);
      });
      if (await withTimeout(systemClock, this.timeoutMs, announced)) continue;
      this.#child.kill("SIGKILL");
      throw this.#failure("a report", `none within ${this.timeoutMs} ms`);
    }
    return this.#reports.shift();
  }

  /** Returns the next report of a process that must neither end nor fail. */
  async expectNext(): Promise<ChildReport> {
    return this.#expectSuccess(await this.next());
  }

  /** Returns the next report, or undefined once the process was killed. It must not end otherwise. */
  async nextUntilKilled(): Promise<ChildReport | undefined> {
    const report = await this.next();
    if (report === undefined && this.#child.signalCode === "SIGKILL") return undefined;
    return this.#expectSuccess(report);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #expectSuccess(report: ChildReport | undefined): ChildReport {
    if (report === undefined) throw this.#failure("a report", "end of the process");
    if (report.event === "failed") throw this.#failure("no failure", report.message);
    return report;
  }

  #failure(expected: string, got: string): StorageSuiteError {
    return new StorageSuiteError("another process with the storage", expected, `${got}. ${this.#stderr}`);
  }
}
