import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { supervise } from "@membus/nats-server";

const MEMBUS = fileURLToPath(new URL("../../cli/bin/membus.js", import.meta.url));

/** `membus up` in a process of its own, which can be killed and started again on the same data. */
export class HostProcess {
  readonly #url: string;
  readonly #directory: string;
  readonly #ended: Promise<never>;
  #fail: (error: Error) => void = () => {};
  #host: ReturnType<typeof supervise> | undefined;
  #isExpectedToEnd = false;

  constructor(url: string, directory: string) {
    this.#url = url;
    this.#directory = directory;
    this.#ended = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.#ended.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#host?.pid;
  }

  /** Rejects when the host ends although nobody told it to. */
  get ended(): Promise<never> {
    return this.#ended;
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    this.#isExpectedToEnd = false;
    const child = spawn(MEMBUS, ["up", "--data", "data", "--json"], {
      cwd: this.#directory,
      env: environmentOf(this.#url, this.#directory),
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C in a terminal reaches the demo, which then ends the host in order.
      detached: true,
    });
    const host = supervise(child);
    this.#host = host;
    void host.exited.then(() => {
      if (!this.#isExpectedToEnd)
        this.#fail(new Error(`the host ended: ${host.lastLog || "it said nothing"}`));
    });
    await Promise.race([once(child.stdout, "data"), this.#ended]);
  }

  /** SIGKILL leaves it no time for anything; SIGTERM lets it answer what is in flight. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<NodeJS.Signals | number | null> {
    this.#isExpectedToEnd = true;
    this.#host?.signal(signal);
    const exit = await this.#host?.exited;
    return exit?.signal ?? exit?.code ?? null;
  }
}

/** Without settings of whoever runs the demo: it touches nothing but its own host. */
function environmentOf(url: string, directory: string): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !name.startsWith("MEMBUS_"));
  return { ...Object.fromEntries(rest), NATS_URL: url, TMPDIR: directory };
}
