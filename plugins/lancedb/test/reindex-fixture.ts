import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import type { Embedder, EmbedKind, MemoryPlugin } from "@membus/protocol/plugin";
import { calls } from "../../kit/test/kit-calls.js";
import { otherAnalyzer } from "../../kit/test/other-analyzer.js";
import { vectorOf } from "../../kit/test/scripted-embedder.js";
import { createLanceDbPlugin } from "../src/index.js";

export type Generation = "first" | "embedder" | "analyzer";

export const NAMESPACES = ["a", "b", "c"] as const;
export const ROWS = 150;

/** Queries that match only by vectors, only by words, and by both, to distinguish generations. */
const QUERIES = ["lantern harbour", "word7 thing3", "word11 lantern"];

interface OpenOptions {
  /** Milliseconds per batch of documents. */
  readonly batchMs: number;
  readonly flushIdleMs: number;
}

function hashEmbedder(id: string, dimensions: number, { batchMs }: OpenOptions): Embedder {
  return {
    id,
    dimensions,
    async embed(texts: readonly string[], kind: EmbedKind) {
      if (kind === "document" && batchMs > 0) await wait(batchMs);
      return texts.map((text) => vectorOf(text, dimensions));
    },
  };
}

/**
 * Opens the tier in its first generation, with an embedder of other dimensions, or also with another
 * analyzer.
 */
export async function openGeneration(
  directory: string,
  generation: Generation,
  options: OpenOptions = { batchMs: 0, flushIdleMs: 20 },
): Promise<MemoryPlugin> {
  const first = hashEmbedder("first/8", 8, options);
  const second = hashEmbedder("second/5", 5, options);
  const plugin = createLanceDbPlugin({
    kit: { flushIdleMs: options.flushIdleMs, embedRetryMs: 20, reindexRowsPerSecondMax: 1_000_000 },
    ...(generation === "analyzer" ? { analyzer: otherAnalyzer } : {}),
  });
  await plugin.open!({
    tier: "episodic",
    clock: systemClock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDirectory: directory,
    notify() {},
    ...(generation === "first" ? { embedder: first } : { embedder: second }),
  });
  return plugin;
}

export async function fill(plugin: MemoryPlugin): Promise<void> {
  for (const namespace of NAMESPACES) {
    const entries = Array.from({ length: ROWS }, (_, at) => ({
      key: `k${at}`,
      content: `word${at} thing${at % 7} ${namespace}`,
      occurred_at: 1_700_000_000,
    }));
    await calls({ plugin, clock: systemClock }, { namespace }).store(entries);
  }
}

/**
 * Returns the answers of each namespace to each query: keys and scores in order, and whether the answer is
 * degraded.
 */
export async function rankings(plugin: MemoryPlugin, mode: "hybrid" | "text" = "hybrid"): Promise<string[]> {
  const found: string[] = [];
  for (const namespace of NAMESPACES) {
    const { retrieve } = calls({ plugin, clock: systemClock }, { namespace });
    for (const query of QUERIES) {
      const { entries, degraded } = await retrieve({ query, mode });
      const scores = entries.map(({ key, score }) => [key.name, score]);
      found.push(JSON.stringify([scores, degraded?.detail.reason ?? null]));
    }
  }
  return found;
}

export async function untilDone(plugin: MemoryPlugin): Promise<void> {
  while (plugin.stats?.().reindex_state !== "done") await wait(5);
}
