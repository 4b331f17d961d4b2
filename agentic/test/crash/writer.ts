import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { delay, systemClock } from "@membus/protocol";
import { endChild } from "../../../cli/test/run-cli.js";

const built = (path: string) =>
  JSON.stringify(new URL(`../../../${path}/dist/index.js`, import.meta.url).href);

/**
 * Adds numbered messages one after the other, prints each acknowledged number, and finally prints the order.
 */
const PROGRAM = `
import { MemoryClient } from ${built("agent-client")};
import { openConversation } from ${built("agentic")};
const [url, name, from, count] = process.argv.slice(2);
const memory = await MemoryClient.connect({ servers: url, agent: "alice", retryTimeoutMs: 120_000 });
const conversation = await openConversation(memory, { id: "shared" });
for (let n = Number(from); n < Number(count); n++) {
  await conversation.add({ id: name + "-" + n, message: { role: "user", content: name + " says " + n } });
  console.log("acknowledged " + n);
}
for await (const _ of process.stdin);
console.log("order " + JSON.stringify((await conversation.get()).map(({ id }) => id)));
await memory.close();
`;

/** A process that writes to the conversation and can be restarted. */
export class Writer {
  readonly name: string;
  readonly #count: number;
  readonly #url: string;
  readonly #folder: string;
  #acknowledged = 0;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stderr = "";
  #order: readonly string[] | undefined;

  constructor(name: string, count: number, url: string, folder: string) {
    this.name = name;
    this.#count = count;
    this.#url = url;
    this.#folder = folder;
  }

  /** Number of messages that were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  get isDone(): boolean {
    return this.#acknowledged === this.#count;
  }

  /** Continues after the last acknowledged message. Unacknowledged messages are sent again. */
  start(): void {
    const program = join(this.#folder, "writer.mjs");
    writeFileSync(program, PROGRAM);
    const args = [program, this.#url, this.name, String(this.#acknowledged), String(this.#count)];
    const child = spawn(process.execPath, args);
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr += chunk;
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (child === this.#child) this.#read(line);
    });
  }

  async kill(): Promise<void> {
    const child = this.#child!;
    this.#child = undefined;
    await endChild(child, "SIGKILL");
  }

  /** Throws if the process has exited unexpectedly. */
  check(): void {
    const code = this.#child?.exitCode ?? null;
    if (code !== null) throw new Error(`writer ${this.name} exited with ${code}: ${this.#stderr}`);
  }

  /** Ends the process, and resolves to the ids of the conversation in the order that it reads. */
  async order(): Promise<readonly string[]> {
    this.#child!.stdin.end();
    while (this.#order === undefined) {
      await delay(systemClock, 20);
      if (this.#order === undefined) this.check();
    }
    return this.#order;
  }

  #read(line: string): void {
    const [kind, value] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    if (kind === "acknowledged") this.#acknowledged = Number(value) + 1;
    if (kind === "order") this.#order = JSON.parse(value) as string[];
  }
}
