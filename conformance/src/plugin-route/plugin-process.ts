import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type MemoryTier, systemClock } from "@membus/protocol";
import type { PluginUnderTest } from "./plugin-under-test.js";

/** Maximum lifetime of a child process, in case a plugin hangs. */
const PATIENCE_MS = 60_000;
const COMPLAINT_LENGTH_MAX = 2_000;

/** Arguments for opening the plugin, and further ones of the program. */
export interface ProcessArguments {
  readonly directory: string;
  readonly tier: MemoryTier;
  readonly more?: readonly string[];
}

/** Descriptor of the child for the suite's lines. The plugin may print to standard output. */
export const LINES_DESCRIPTOR = 4;

/** A child process that opens a plugin and is killed. */
export class PluginProcess {
  readonly child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #complaint = "";

  /**
   * @param program file in this folder, called with module, directory, tier, embedder and further arguments
   */
  constructor(
    program: "store-forever.js" | "live-and-die.js",
    { embedder, module, nodeArguments = [] }: PluginUnderTest,
    { directory, tier, more = [] }: ProcessArguments,
  ) {
    const file = import.meta.url.endsWith(".ts") ? program.replace(/js$/, "ts") : program;
    const path = fileURLToPath(new URL(file, import.meta.url));
    const args = [path, module!, directory, tier, embedder === null ? "none" : "words", ...more];
    this.child = spawn(process.execPath, [...nodeArguments, ...args], {
      stdio: ["pipe", "ignore", "pipe", "ipc", "pipe"],
    });
    this.#exited = once(this.child, "exit");
    this.child.stderr!.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-COMPLAINT_LENGTH_MAX);
    });
    // Writing to a killed process fails, which is expected.
    this.child.stdin!.on("error", () => undefined);
  }

  /** Standard error of the process, or the information that it timed out. */
  get complaint(): string {
    return this.#complaint;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Resolves when the process has exited. Kills the process after a timeout. */
  async ended(): Promise<void> {
    const lines = this.lines();
    while (!(await lines.next()).done);
  }

  /** Yields the lines of the process until it exits. Kills the process after a timeout, or if the caller stops. */
  async *lines(): AsyncGenerator<string> {
    const stopWaiting = systemClock.after(PATIENCE_MS, () => {
      this.#complaint = `it took more than ${PATIENCE_MS / 1_000} s`;
      this.kill();
    });
    try {
      yield* createInterface({ input: this.child.stdio[LINES_DESCRIPTOR] as Readable });
      await this.#exited;
    } finally {
      stopWaiting();
      this.kill();
    }
  }
}
