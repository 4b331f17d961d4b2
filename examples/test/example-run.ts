import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll } from "vitest";
import { type ReceivedChat, type Script, ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { type CliResult, resultOf } from "../../cli/test/run-cli.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { leftIn } from "./left-behind.js";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts an example as `npm run example` does, with only the given settings. Its files are in `folder`. */
export function startExample(
  name: string,
  folder: string,
  settings: NodeJS.ProcessEnv,
  ...flags: readonly string[]
) {
  const rest = Object.entries(process.env).filter(
    ([variable]) => !/^(OPENAI|ANTHROPIC|MEMBUS|NATS)_/.test(variable),
  );
  const env = { ...Object.fromEntries(rest), MEMBUS_NATS_SERVER: NATS_SERVER, TMPDIR: folder, ...settings };
  return spawn(process.execPath, ["--import", "tsx", MAIN, name, ...flags], { env });
}

/** An example that runs to its end before the tests of a file, with its model and its bus. */
export class ExampleStage {
  readonly #host = new RunningHost();
  readonly #clients: MemoryClient[] = [];
  #model: ScriptedOpenAi | undefined;
  #result: (CliResult & { readonly left: string[] }) | undefined;

  constructor(name: string, script: Script) {
    beforeAll(() => this.#run(name, script));
    afterAll(async () => {
      for (const client of this.#clients) await client.close();
      await this.#host.stop();
      await this.#model?.stop();
    });
  }

  /** The result of the example, its output, and the files it left. */
  get result(): CliResult & { readonly left: string[] } {
    return this.#result!;
  }

  /** The requests to the model, in order. */
  get requests(): readonly ReceivedChat[] {
    return this.#model!.requests;
  }

  /** Connects to the bus as an agent of the example. */
  async connect(agent: string): Promise<MemoryClient> {
    const client = await MemoryClient.connect({ servers: this.#host.url, agent });
    this.#clients.push(client);
    return client;
  }

  async #run(name: string, script: Script): Promise<void> {
    this.#model = await ScriptedOpenAi.start(script);
    await this.#host.start();
    const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
    const { baseUrl } = this.#model;
    const anthropic = { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ""), ANTHROPIC_MODEL: "scripted" };
    const model = { OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "scripted", ...anthropic };
    const result = await resultOf(startExample(name, folder, { ...model, NATS_URL: this.#host.url }));
    this.#result = { ...result, left: leftIn(folder) };
    rmSync(folder, { recursive: true });
  }
}
