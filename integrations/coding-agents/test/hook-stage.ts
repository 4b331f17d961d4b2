import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { MemoryError } from "@membus/protocol";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { RunningHost } from "../../../cli/test/running-host.js";

/** A real host for hooks that run in this process, and a new folder for each test. */
export class HookStage {
  readonly #host = new RunningHost();
  client!: MemoryClient;
  /** Has the folder of a project, `project`. */
  folder = "";
  /** Whether the host cannot be reached. */
  isDown = false;

  /** Starts the host before the tests of a file, and stops it after them. */
  register(): this {
    beforeAll(async () => {
      await this.#host.start();
      this.client = await MemoryClient.connect({ servers: this.#host.url, agent: "coding-agent" });
    });
    afterAll(async () => {
      await this.client.close();
      await this.#host.stop();
    });
    beforeEach(() => {
      this.folder = mkdtempSync(join(tmpdir(), "membus-hooks-"));
      mkdirSync(join(this.folder, "project"));
      this.isDown = false;
    });
    afterEach(() => rmSync(this.folder, { recursive: true }));
    return this;
  }

  readonly withMemory = async <T>(
    _isStart: boolean,
    use: (memory: AgentMemory) => Promise<T>,
  ): Promise<T> => {
    if (this.isDown) throw new MemoryError("unavailable", "no host");
    return use(this.client);
  };
}
