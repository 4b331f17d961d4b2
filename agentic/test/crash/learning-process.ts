import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { delay, systemClock } from "@membus/protocol";
import { endChild, spawnCli } from "../../../cli/test/run-cli.js";

/** A `membus learn` process that can be killed and restarted. */
export class LearningProcess {
  readonly #args: readonly string[];
  readonly #url: string;
  readonly #folder: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stderr = "";
  /** Number of batches that it reported. */
  batches = 0;

  constructor(baseUrl: string, url: string, folder: string) {
    const flags = ["--model", "scripted", "--base-url", baseUrl, "--debounce-ms", "20", "--lease-ms", "300"];
    const failing = ["--retry-ms", "20", "--fault-count", "2"];
    this.#args = ["learn", ...flags, ...failing, "--batch", "4", "--concurrency", "3", "--agent", "alice"];
    this.#url = url;
    this.#folder = folder;
  }

  start(): void {
    const child = spawnCli(this.#args, { url: this.#url, cwd: this.#folder });
    this.#child = child;
    this.#stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr += chunk;
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("learned ")) this.batches++;
    });
  }

  /** Resolves when it has started. Without a server at its start, it exits. */
  async started(): Promise<void> {
    while (!this.#stderr.includes("learning from")) {
      await delay(systemClock, 20);
      this.check();
    }
  }

  kill(): Promise<number | null> {
    return endChild(this.#child!, "SIGKILL");
  }

  stop(): Promise<number | null> {
    return endChild(this.#child!, "SIGTERM");
  }

  /** Throws if the process has exited unexpectedly. */
  check(): void {
    const code = this.#child!.exitCode;
    if (code !== null) throw new Error(`membus learn exited with ${code}: ${this.#stderr}`);
  }
}
