import type { Config } from "../config/config-schema.js";
import { checkDataDirectory } from "./check-data.js";
import { checkEmbedder } from "./check-embedder.js";
import { checkFiles } from "./check-files.js";
import { checkHost } from "./check-host.js";
import { checkNatsServer } from "./check-nats-server.js";
import { checkNode, type Finding } from "./check-node.js";
import { checkPlugins } from "./check-plugins.js";
import { checkReranker } from "./check-reranker.js";
import { checkTiers } from "./check-tiers.js";

/** Runs all checks in order. A check that throws is reported as a problem. */
export async function runChecks(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const checks: [string, () => Promise<Finding[]>][] = [
    ["node", async () => [checkNode(process.versions.node)]],
    ["nats-server", () => checkNatsServer(config, env)],
    ["host", () => checkHost(config)],
    ["tiers", () => checkTiers(config)],
    ["data", () => checkDataDirectory(config.data)],
    ["files", () => checkFiles(config)],
    ["embedder", () => checkEmbedder(config, env)],
    ["reranker", () => checkReranker(config, env)],
    ["plugins", () => checkPlugins(config, env)],
  ];
  const findings: Finding[] = [];
  for (const [check, run] of checks) findings.push(...(await run().catch((error) => [failed(check, error)])));
  return findings;
}

function failed(check: string, error: unknown): Finding {
  return { check, state: "problem", found: error instanceof Error ? error.message : String(error) };
}
