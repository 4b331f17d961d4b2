import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { createHost, type Host } from "@membus/host";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { MemoryError } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { vectorOf } from "../../../plugins/kit/test/scripted-embedder.js";
import type { GatewayFixture } from "../../test/gateway-fixture.js";

export const DURABLE_PREFIX = "durable";
export const ENTRY_COUNT = 20;

/**
 * A host with a separate prefix. The new embedder of its durable tier does not answer, so that reindexing
 * does not end.
 */
export class DurableHost {
  readonly #fixture: GatewayFixture;
  #directory = "";
  #host: Host | undefined;

  constructor(fixture: GatewayFixture) {
    this.#fixture = fixture;
  }

  async start(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), "membus-inspector-"));
    const first = await this.#open({ id: "first", dimensions: 8, embed });
    const bus = await this.#fixture.bus();
    const memory = await MemoryClient.connect({ bus, agent: "alice", prefix: DURABLE_PREFIX });
    const entries = Array.from({ length: ENTRY_COUNT }, (_, n) => ({
      key: `k${n}`,
      content: `word${n}`,
      tier: "episodic" as const,
    }));
    await memory.store(entries);
    await first.stop();
    const silent = async () => Promise.reject(new MemoryError("unavailable", "the provider does not answer"));
    this.#host = await this.#open({ id: "second", dimensions: 8, embed: silent });
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    await rm(this.#directory, { recursive: true });
  }

  async #open(embedder: Embedder): Promise<Host> {
    const episodic = createLanceDbPlugin({ kit: { flushIdleMs: 20 } });
    const parts = { bus: await this.#fixture.bus(), plugins: { episodic }, embedder };
    const { logger } = this.#fixture;
    const dataDirectories = { episodic: this.#directory };
    const host = createHost({ ...parts, logger, dataDirectories }, { prefix: DURABLE_PREFIX });
    await host.start();
    return host;
  }
}

async function embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
  return texts.map((text) => vectorOf(text, 8));
}
