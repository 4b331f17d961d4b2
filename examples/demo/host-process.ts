import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { supervise } from "@membus/nats-server";

const MEMBUS = fileURLToPath(new URL("../../cli/bin/membus.js", import.meta.url));

/** `membus up` in a separate process, which can be killed and restarted on the same data. */
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

  /** Rejects if the host exits unexpectedly. */
  get ended(): Promise<never> {
    return this.#ended;
  }

  /** Resolves when the host serves. */
  async start(): Promise<void> {
    this.#isExpectedToEnd = false;
    const child = spawn(MEMBUS, ["up", "--data", "data", "--json"], {
      cwd: this.#directory,
      env: environmentOf(this.#url, this.#directory),
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C in a terminal must reach only the demo, which then stops the host gracefully.
      detached: true,
    });
    const host = supervise(child);
    this.#host = host;
    void host.exited.then(() => {
      if (!this.#isExpectedToEnd)
        this.#fail(new Error(`the host exited: ${host.lastLog || "no log output"}`));
    });
    await Promise.race([once(child.stdout, "data"), this.#ended]);
  }

  /** Ends the host. SIGKILL stops it immediately, SIGTERM lets it complete the requests in progress. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<NodeJS.Signals | number | null> {
    this.#isExpectedToEnd = true;
    this.#host?.signal(signal);
    const exit = await this.#host?.exited;
    return exit?.signal ?? exit?.code ?? null;
  }
}

/** Returns an environment without the user's settings, so that the demo uses only its own host. */
function environmentOf(url: string, directory: string): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !name.startsWith("MEMBUS_"));
  return { ...Object.fromEntries(rest), NATS_URL: url, TMPDIR: directory };
}
