import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endChild } from "../../../../cli/test/run-cli.js";

const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const SCRIPT = fileURLToPath(new URL("one_fact.py", import.meta.url));
const PYTHONPATH = fileURLToPath(new URL("../../../../python/src", import.meta.url));
const ENV = { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: "1" };
const MODULES = "nats, langgraph.store.base, langgraph.checkpoint.base";

export const HAS_PYTHON =
  spawnSync(PYTHON, ["-c", `import ${MODULES}`], { env: ENV, timeout: 60_000 }).status === 0;

/** Reason why tests that need Python are skipped. */
export const NEEDS_PYTHON = `needs ${MODULES} of python3 or of MEMBUS_TEST_PYTHON`;

/** The programs of `one_fact.py` in one process, called one after another. */
export class PythonProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #stderr = "";

  constructor(url: string, agent: string) {
    this.#child = spawn(PYTHON, [SCRIPT, url, agent], { env: ENV });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stderr.on("data", (chunk) => {
      this.#stderr += chunk;
    });
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify({ call: name, ...args })}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error(`${name} of Python failed: ${this.#stderr}`);
    return JSON.parse(value);
  }

  async stop(): Promise<void> {
    await endChild(this.#child, "SIGKILL");
  }
}
