import type { Check, Provision } from "../catalogue/check.js";
import type { TierFacts, World } from "../world.js";
import type { CheckOutcome } from "./outcome.js";

/** Why a check does not run; undefined when it does. Decided here alone, never by the check. */
export interface NotRun {
  readonly outcome: Extract<CheckOutcome, "not-applicable" | "untestable">;
  readonly reason: string;
}

const LACKS: Readonly<Record<Provision, NotRun>> = {
  second_tenant: untestable("needs a second tenant that the host serves: --tenants a,b"),
  restart: untestable("needs a way to kill the host and start it again: --restart-command"),
  kill: untestable("needs the plugin's module, to kill a process that uses it"),
  stop: {
    outcome: "not-applicable",
    reason:
      "is about kills at chosen moments, for which a process is stopped and looked at: only Linux tells enough",
  },
  own_plugins: {
    outcome: "not-applicable",
    reason: "is about a host that takes plugins in JavaScript, which this run cannot give it",
  },
};

export function whyNotRun(check: Check, { tier, features }: TierFacts, world: World): NotRun | undefined {
  const { profile } = world;
  if (profile !== undefined && !profile.checks.includes(check.id)) {
    const reason = `is not of the profile ${profile.name}, which the host keeps in place of all others`;
    return { outcome: "not-applicable", reason };
  }
  if (check.profile !== undefined && check.profile !== profile?.name) {
    return {
      outcome: "not-applicable",
      reason: `is about a host that keeps the profile ${check.profile} alone`,
    };
  }
  if (check.tiers !== undefined && !check.tiers.includes(tier)) {
    return { outcome: "not-applicable", reason: `is about the tier ${check.tiers.join(" or ")}` };
  }
  const missing = check.features?.find((feature) => !features[feature]);
  if (missing !== undefined) return { outcome: "not-applicable", reason: `${missing} is not declared` };
  if (check.withoutFeature !== undefined && features[check.withoutFeature]) {
    return { outcome: "not-applicable", reason: `${check.withoutFeature} is declared` };
  }
  const lacking = check.provisions?.find((provision) => !world.provisions.has(provision));
  if (lacking === undefined) return undefined;
  return check.spared ? { ...LACKS[lacking], outcome: "not-applicable" } : LACKS[lacking];
}

function untestable(reason: string): NotRun {
  return { outcome: "untestable", reason };
}
