import {
  CHECKS,
  type Check,
  type CheckResult,
  createHostWorld,
  createPluginWorld,
  runSuite,
  type World,
} from "../src/index.js";
import { isRed } from "../src/run/outcome.js";
import { startHost } from "./host-under-test.js";
import type { HostMutant, Mutant, PluginMutant } from "./mutant.js";

const SEED = 1;
/** A mutant that hangs must not hold up the others. */
const CHECK_TIMEOUT_MS = 5_000;

export interface Verdict {
  readonly id: string;
  readonly check: string;
  readonly defect: string;
  /** Ids of the checks that turned red, sorted. */
  readonly turned_red: readonly string[];
  /** What the check that is meant to find it said. */
  readonly said: string;
  /** Whether that check turned red and named the defect, and nothing else went wrong. */
  readonly ok: boolean;
}

/** What is generated, happens at once, waits for hosts of its own or stores thousands finds other defects too: not every time, or at length. */
const LEFT_TO_CHANCE =
  /^(model|concurrency|host-plugins|volume)\/|^(where\/agrees-with-matches|cascade\/too-many-take-nothing)$/;

/**
 * The checks that a mutant is judged by: of a plugin, all that plugins have; of a host, those about hosts. What memory
 * does behind a host is what its plugins do, which their mutants are about. The check that is meant to find a mutant
 * is always among them.
 */
export function judgesOf({ route, check }: Mutant): Check[] {
  return CHECKS.filter(({ id, routes }) => {
    if (id === check) return true;
    const isAboutOthers = route === "host" && routes.includes("plugin");
    return routes.includes(route) && !isAboutOthers && !LEFT_TO_CHANCE.test(id);
  });
}

/** Runs checks on a mutant; without `checks`, all that it is judged by. */
export async function judge(mutant: Mutant, checks: readonly Check[] = judgesOf(mutant)): Promise<Verdict> {
  const { id, check, defect, names } = mutant;
  const results = mutant.route === "plugin" ? await onPlugin(mutant, checks) : await onHost(mutant, checks);
  const red = results.filter(({ outcome }) => isRed(outcome));
  const said = saidBy(red.find((result) => result.id === check));
  const suiteAtFault = red.some(({ outcome }) => outcome === "suite-error");
  const turned_red = red.map((result) => result.id).sort();
  return { id, check, defect, turned_red, said, ok: names.test(said) && !suiteAtFault };
}

async function onPlugin(mutant: PluginMutant, checks: readonly Check[]): Promise<CheckResult[]> {
  const createPlugin = () => mutant.createPlugin();
  const tier = mutant.tier ?? "working";
  const world = await createPluginWorld({ name: mutant.id, tier, createPlugin, ...mutant.implementation });
  return run(world, checks);
}

async function onHost(mutant: HostMutant, checks: readonly Check[]): Promise<CheckResult[]> {
  const host = await startHost(mutant);
  try {
    const tiers = [mutant.tier ?? "working"] as const;
    return await run(await createHostWorld({ ...host.implementation, name: mutant.id, tiers }), checks);
  } finally {
    await host.stop();
  }
}

function run(world: World, checks: readonly Check[]): Promise<CheckResult[]> {
  return runSuite(checks, world, { seed: SEED, checkTimeoutMs: CHECK_TIMEOUT_MS });
}

function saidBy(result: CheckResult | undefined): string {
  const failed = result?.cases.find(({ outcome }) => isRed(outcome));
  if (failed === undefined) return "";
  const { discrepancy, reason } = failed;
  return discrepancy
    ? `${discrepancy.what}: expected ${discrepancy.expected}, got ${discrepancy.got}`
    : (reason ?? "");
}
