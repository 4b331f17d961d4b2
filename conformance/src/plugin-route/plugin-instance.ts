import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMemoryError, type MemoryTier, silentLogger } from "@membus/protocol";
import {
  type Embedder,
  type MemoryChange,
  type MemoryPlugin,
  PluginManifestSchema,
  type PluginServices,
  type Reranker,
} from "@membus/protocol/plugin";
import { ExpectationError } from "../expect.js";
import { figureReranker } from "../fixtures/figure-reranker.js";
import type { ShiftingClock } from "../fixtures/shifting-clock.js";
import { shown } from "../report/shown.js";
import { thrownText } from "../stack-frames.js";
import type { PluginUnderTest } from "./plugin-under-test.js";

export interface ReportedChange {
  readonly change: MemoryChange;
  readonly agent: string;
}

/** Environment of a plugin. Its directory is deleted at the end. */
export interface PluginSurroundings {
  readonly services: PluginServices;
  readonly directory: string;
  readonly changes: ReportedChange[];
}

export async function makeSurroundings(
  tier: MemoryTier,
  clock: ShiftingClock,
  embedder: Embedder | null,
  reranker: Reranker = figureReranker,
): Promise<PluginSurroundings> {
  const directory = await mkdtemp(join(tmpdir(), "membus-conformance-"));
  const changes: ReportedChange[] = [];
  const services = {
    tier,
    clock,
    logger: silentLogger,
    ...(embedder && { embedder }),
    reranker,
    dataDirectory: directory,
    notify: (change: MemoryChange, agent: string) => void changes.push({ change, agent }),
  };
  return { services, directory, changes };
}

export async function removeSurroundings({ directory }: PluginSurroundings): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Creates and opens a new instance of the implementation. */
export async function openPlugin(
  implementation: PluginUnderTest,
  services: PluginServices,
): Promise<MemoryPlugin> {
  try {
    const plugin = await implementation.createPlugin();
    await plugin.open?.(services);
    return plugin;
  } catch (error) {
    if (isMemoryError(error)) throw error;
    const what = "`createPlugin` and `open`";
    throw new ExpectationError({ what, expected: "an open plugin", got: `it threw ${thrownText(error)}` });
  }
}

/**
 * Returns the features of an open plugin.
 * @throws {ExpectationError} if its manifest violates the contract (clause PLUG-2).
 */
export function featuresOf(plugin: MemoryPlugin): MemoryPlugin["manifest"]["features"] {
  const parsed = PluginManifestSchema.safeParse(plugin.manifest);
  if (parsed.success) return parsed.data.features;
  const { path, message } = parsed.error.issues[0]!;
  const what = `the plugin's manifest, field ${path.join(".") || "(itself)"}`;
  const expected = `contract, name, version, and every feature as true or false (${message})`;
  throw new ExpectationError({ what, expected, got: shown(plugin.manifest) });
}
