import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMemoryError, type MemoryTier, systemClock, TIERS, withTimeout } from "@membus/protocol";
import type { Embedder, MemoryPlugin, PluginServices } from "@membus/protocol/plugin";
import { composeEmbedder } from "../compose/compose-embedder.js";
import { loadPlugin, PluginLoadError } from "../compose/load-plugin.js";
import type { Config, PluginSettings } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import type { Finding } from "./check-node.js";

const OPEN_TIMEOUT_MS = 30_000;
const logger = createLogger("silent");

/** Checks whether each configured plugin can be loaded, and can open an empty folder. */
export async function checkPlugins(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const tier of TIERS) {
    const settings = config.plugins[tier];
    const check = `plugin ${tier}`;
    if (settings === "none") {
      findings.push({ check, state: "warning", found: "none: requests to this tier are rejected" });
    } else if (settings !== undefined) {
      // A broken embedder is reported by another check. Plugins can be opened without it.
      const embedder = await composeEmbedder(config, env, { clock: systemClock, logger }).catch(
        () => undefined,
      );
      findings.push({ check, ...(await tryPlugin(tier, settings, embedder)) });
    }
  }
  return findings;
}

type Found = Omit<Finding, "check">;

async function tryPlugin(tier: MemoryTier, settings: PluginSettings, embedder?: Embedder): Promise<Found> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "membus-doctor-"));
  try {
    const plugin = await loadPlugin(tier, settings);
    return await tryOpen(plugin, {
      ...{ tier, clock: systemClock, logger, dataDirectory, notify() {} },
      ...(embedder && { embedder }),
    });
  } catch (error) {
    return problemOf(error, tier);
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

async function tryOpen(plugin: MemoryPlugin, services: PluginServices): Promise<Found> {
  const opening = (async () => plugin.open?.(services))().then(() => true);
  if ((await withTimeout(systemClock, OPEN_TIMEOUT_MS, opening)) === undefined) {
    const found = `\`open\` did not finish within ${OPEN_TIMEOUT_MS / 1_000} s`;
    return {
      state: "problem",
      found,
      advice: "check whether the service that the plugin connects to responds",
    };
  }
  const { name, version, features } = plugin.manifest;
  await plugin.close?.();
  const offered = Object.entries(features).filter(([, has]) => has);
  return { state: "ok", found: `${name} ${version}: ${offered.map(([feature]) => feature).join(", ")}` };
}

function problemOf(error: unknown, tier: MemoryTier): Found {
  if (error instanceof PluginLoadError)
    return { state: "problem", found: error.message, advice: error.advice };
  const message = error instanceof Error ? error.message : String(error);
  if (isMemoryError(error) && error.code === "conflict") {
    const advice = "expected while a host is running. Otherwise stop the process that has it open";
    return { state: "warning", found: `already open in another process: ${message}`, advice };
  }
  const advice = `check \`plugins.${tier}.options\` and the service that the plugin connects to`;
  return { state: "problem", found: `cannot open and close the plugin: ${message}`, advice };
}
