import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { GatewayOptions } from "../../src/index.js";

const SCRIPT = fileURLToPath(new URL("gateway-process.ts", import.meta.url));
const EXEC_ARGV = ["--expose-gc", "--conditions=membus-source", "--import", "tsx"];

/** Resources of the gateway process after garbage collection. */
export interface Holdings {
  readonly requestCount: number;
  readonly heapBytes: number;
}

export class GatewayChild {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(natsUrl: string, directory: string, options: GatewayOptions): Promise<GatewayChild> {
    const child = fork(SCRIPT, [natsUrl, directory, JSON.stringify(options)], { execArgv: EXEC_ARGV });
    const [{ url }] = (await once(child, "message")) as [{ url: string }];
    return new GatewayChild(child, url);
  }

  async look(): Promise<Holdings> {
    const answer = once(this.#child, "message");
    this.#child.send("look");
    return ((await answer) as [Holdings])[0];
  }

  /** @returns the exit code. The process exits when nothing keeps it alive. */
  async stop(): Promise<number | null> {
    const exited = once(this.#child, "exit");
    this.#child.send("stop");
    return ((await exited) as [number | null])[0];
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
