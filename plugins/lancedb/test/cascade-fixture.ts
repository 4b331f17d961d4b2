import type { KitOptions, KitPlugin } from "@membus/plugin-kit";
import { type Clock, keyHash, systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { calls } from "../../kit/test/kit-calls.js";
import type { TestStoreEntry } from "../../kit/test/kit-requests.js";
import { createLanceDbPlugin } from "../src/index.js";

const NAMESPACES = ["default", "x", "x/y"] as const;
const BRANCHES = 40;

/** Size of a tree: the root, its branches, and a leaf of each branch. */
export const TREE_SIZE = 1 + 2 * BRANCHES;

/** Opens a durable tier that flushes immediately, so that kills also hit flushes. */
export async function openTier(
  directory: string,
  kit: KitOptions = {},
  clock: Clock = systemClock,
): Promise<KitPlugin> {
  const plugin = createLanceDbPlugin({ kit: { flushIdleMs: 5, ...kit } });
  await plugin.open({
    tier: "episodic",
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    dataDirectory: directory,
    notify() {},
  });
  return plugin;
}

function derived(name: string, from: readonly string[]): TestStoreEntry {
  return { key: name, content: name, sources: from.map((source) => keyHash({ name: source })) };
}

/**
 * Stores the entries of a round in every namespace: a tree derived from one entry, and an unrelated entry.
 * Can be repeated.
 */
export async function plant(plugin: MemoryPlugin, round: number): Promise<void> {
  const { store } = calls({ plugin, clock: systemClock });
  await store([derived(`root ${round}`, [])], { id: `root ${round}` });
  for (const [at, namespace] of NAMESPACES.entries()) {
    const own = Array.from({ length: BRANCHES }, (_, n) => n).filter((n) => n % NAMESPACES.length === at);
    const branches = own.map((n) => derived(`branch ${n} ${round}`, [`root ${round}`]));
    // Leaves are in another namespace than their branch, except for the last one.
    const leaves = own.map((n) => derived(`leaf ${n} ${round}`, [`branch ${(n + 1) % BRANCHES} ${round}`]));
    await store([...branches, ...leaves, derived(`kept ${round}`, [`kept ${round - 1}`])], {
      namespace,
      id: `${namespace} ${round}`,
    });
  }
}

export function fell(plugin: MemoryPlugin, round: number) {
  const { forget } = calls({ plugin, clock: systemClock });
  return forget({ keys: [`root ${round}`] }, { id: `fell ${round}`, cascade: true });
}

/** Returns how many entries of each round are left, in its tree and next to it. */
export async function countRemaining(
  plugin: MemoryPlugin,
  rounds: number,
): Promise<[tree: number, kept: number][]> {
  const counts = Array.from({ length: rounds }, (): [number, number] => [0, 0]);
  for (const namespace of NAMESPACES) {
    const { entries } = await calls({ plugin, clock: systemClock }, { namespace }).retrieve({ limit: 1e6 });
    for (const { content } of entries) {
      const [kind, ...rest] = String(content).split(" ");
      counts[Number(rest.at(-1))]![kind === "kept" ? 1 : 0]++;
    }
  }
  return counts;
}
