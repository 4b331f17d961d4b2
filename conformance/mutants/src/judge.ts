import {
  CHECKS,
  type CheckResult,
  createHostWorld,
  createPluginWorld,
  isRed,
  runSuite,
  type World,
} from "@membus/conformance";
import { startHost } from "./host-under-test.js";
import type { HostMutant, Mutant, PluginMutant } from "./mutant.js";

const SEED = 1;
/** Maximum duration of a check on a busy machine, in case a mutant hangs. Child processes need longer. */
const CHECK_TIMEOUT_MS = { alone: 60_000, withProcesses: 240_000 };

export interface Verdict {
  readonly id: string;
  readonly check: string;
  /** Message of the check. Empty if the check passed. */
  readonly message: string;
  /** Whether the check is red and names the defect, and the suite has no error. */
  readonly killed: boolean;
}

/** Runs the check of a mutant on it. */
export async function judge(mutant: Mutant): Promise<Verdict> {
  const { id, check, names } = mutant;
  const result = mutant.route === "plugin" ? await onPlugin(mutant) : await onHost(mutant);
  const message = messageOf(result);
  return { id, check, message, killed: result.outcome !== "suite-error" && names.test(message) };
}

async function onPlugin(mutant: PluginMutant): Promise<CheckResult> {
  const createPlugin = () => mutant.createPlugin();
  const tier = mutant.tier ?? "working";
  return run(
    await createPluginWorld({ name: mutant.id, tier, createPlugin, ...mutant.implementation }),
    mutant,
  );
}

async function onHost(mutant: HostMutant): Promise<CheckResult> {
  const host = await startHost(mutant);
  try {
    const tiers = [mutant.tier ?? "working"] as const;
    return await run(await createHostWorld({ ...host.implementation, name: mutant.id, tiers }), mutant);
  } finally {
    await host.stop();
  }
}

async function run(world: World, mutant: Mutant): Promise<CheckResult> {
  const checks = CHECKS.filter(({ id }) => id === mutant.check);
  const isLoaded = mutant.route === "plugin" && mutant.implementation?.module !== undefined;
  const checkTimeoutMs = CHECK_TIMEOUT_MS[isLoaded ? "withProcesses" : "alone"];
  const [result] = await runSuite(checks, world, { seed: SEED, checkTimeoutMs });
  return result!;
}

function messageOf({ cases }: CheckResult): string {
  const failed = cases.find(({ outcome }) => isRed(outcome));
  if (failed === undefined) return "";
  const { discrepancy, reason } = failed;
  return discrepancy
    ? `${discrepancy.what}: expected ${discrepancy.expected}, got ${discrepancy.got}`
    : (reason ?? "");
}
