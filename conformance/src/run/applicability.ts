import type { Check, Provision } from "../catalogue/check.js";
import type { TierFacts, World } from "../world.js";
import type { CheckOutcome } from "./outcome.js";

/** Reason why a check does not run. The runner decides it, never the check. */
export interface NotRun {
  readonly outcome: Extract<CheckOutcome, "not-applicable" | "untestable">;
  readonly reason: string;
}

const LACKS: Readonly<Record<Provision, NotRun>> = {
  second_tenant: untestable("needs a second tenant that the host serves: --tenants a,b"),
  restart: untestable("needs a way to kill the host and start it again: --restart-command"),
  move: {
    outcome: "not-applicable",
    reason: "needs hosts of a cluster, and a way to move tenants between them: --move-command",
  },
  kill: untestable("needs the plugin's module, to kill a process that uses it"),
  stop: {
    outcome: "not-applicable",
    reason: "kills a process at chosen moments, which needs Linux to stop and inspect the process",
  },
  own_plugins: {
    outcome: "not-applicable",
    reason: "needs a host that loads JavaScript plugins, which this run cannot provide",
  },
};

export function whyNotRun(check: Check, { tier, features }: TierFacts, world: World): NotRun | undefined {
  const { profile } = world;
  if (profile !== undefined && !profile.checks.includes(check.id)) {
    const reason = `is not in the profile ${profile.name}, the only profile of this host`;
    return { outcome: "not-applicable", reason };
  }
  if (check.profile !== undefined && check.profile !== profile?.name) {
    return {
      outcome: "not-applicable",
      reason: `only applies to a host with the single profile ${check.profile}`,
    };
  }
  if (check.tiers !== undefined && !check.tiers.includes(tier)) {
    return { outcome: "not-applicable", reason: `only applies to the tier ${check.tiers.join(" or ")}` };
  }
  const missing = check.features?.find((feature) => !features[feature]);
  if (missing !== undefined) return { outcome: "not-applicable", reason: `${missing} is not declared` };
  if (check.withoutFeature !== undefined && features[check.withoutFeature]) {
    return { outcome: "not-applicable", reason: `${check.withoutFeature} is declared` };
  }
  const absent = check.provisions?.find((provision) => !world.provisions.has(provision));
  if (absent === undefined) return undefined;
  return check.skippable ? { ...LACKS[absent], outcome: "not-applicable" } : LACKS[absent];
}

function untestable(reason: string): NotRun {
  return { outcome: "untestable", reason };
}
