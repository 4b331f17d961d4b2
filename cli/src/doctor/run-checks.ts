import { asAuthOperator } from "../auth/auth-host.js";
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

export interface DoctorOptions {
  /** Whether to check a running host. */
  readonly host: boolean;
}

/**
 * Runs all checks in order. A check that throws is reported as a problem. With `nats.auth`, the checks connect
 * as the operator.
 */
export async function runChecks(
  given: Config,
  env: NodeJS.ProcessEnv,
  { host }: DoctorOptions,
): Promise<Finding[]> {
  const config = asAuthOperator(given);
  const checks: [string, () => Promise<Finding[]>][] = [
    ["node", async () => [checkNode(process.versions.node)]],
    ["nats-server", () => checkNatsServer(config, env)],
    ["host", async () => (host ? checkHost(config) : [])],
    ["tiers", async () => (host ? checkTiers(config) : [])],
    config.cluster === undefined
      ? ["data", () => checkDataDirectory(config.data)]
      : ["cluster", async () => (host ? (await import("./check-cluster.js")).checkCluster(given, env) : [])],
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
