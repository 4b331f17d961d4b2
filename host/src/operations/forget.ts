import {
  compileCriteria,
  DEFAULTS,
  type DecodedRequest,
  type Filter,
  type MemoryTier,
  parseNamespacePattern,
  selectorOf,
} from "@membus/protocol";
import type { Operation, PluginForgetRequest, PluginForgetResult } from "@membus/protocol/plugin";
import { v5 as uuidv5 } from "uuid";
import { type Access, type AccessRules, WHOLE_TIER } from "../access-rules.js";
import { operationKey } from "../operation.js";
import type { Outcome } from "../outcome.js";
import { missingFeature, type PluginRunner, tierNotServedError } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import {
  checkNamespace,
  operationOf,
  type RequestContext,
  type Runtime,
  withinPluginTimeout,
} from "./runtime.js";

type ForgetRequest = Extract<DecodedRequest, { type: "memory/forget/req" }>;

/** Any fixed UUID. Receipts are named after their operation, so a retry gets the same name. */
const RECEIPT_NAMESPACE = "6f1c8a54-5f0e-4c1a-9d53-6a0f0f6d2f0b";

interface ForgetCall {
  readonly tier: MemoryTier;
  readonly outcome: Promise<Outcome<PluginForgetResult>>;
}

/**
 * Forgets in the named tier, or in all served tiers. If one tier fails, the request fails with that tier's
 * error, because a partial forget must not look complete. A retry completes it (clause FORGET-8).
 */
export async function forget(
  runtime: Runtime,
  context: RequestContext,
  request: ForgetRequest,
): Promise<Reply> {
  const namespace = request.namespace ?? DEFAULTS.namespace;
  checkNamespace(runtime, context.caller, namespace, "forget");
  const selected = parseNamespacePattern(namespace);
  const runners = capableTiers(runtime, request, selected.subtree);
  for (const { tier } of runners) {
    requireForget(runtime.rules, { caller: context.caller, tier, selected }, request.cascade ?? false);
  }
  const operation = operationOf(context, request);
  const calls = runtime.inFlight.join(request.type, operation, () =>
    runners.map((runner) => startForget(runtime.rules, runner, context, request, operation)),
  );
  const byTier: Record<string, number> = {};
  const cascaded: number[] = [];
  let purge: PluginForgetResult["purge"] = "done";
  let at = Number.POSITIVE_INFINITY;
  for (const { tier, outcome } of calls) {
    const settled = await withinPluginTimeout(runtime, context, outcome);
    if (!settled.ok) throw settled.error;
    byTier[tier] = settled.value.deleted;
    for (const [level, count] of (settled.value.cascaded ?? []).entries()) {
      cascaded[level] = (cascaded[level] ?? 0) + count;
    }
    at = Math.min(at, settled.value.at ?? context.acceptedAt);
    if (settled.value.purge === "scheduled") purge = "scheduled";
  }
  const deleted = Object.values(byTier).reduce((sum, count) => sum + count, 0);
  const receipt = {
    id: uuidv5(operationKey(operation), RECEIPT_NAMESPACE),
    at,
    by_tier: byTier,
    ...(request.cascade && { cascaded }),
    purge,
  };
  return { fields: { deleted, receipt }, counts: { deleted } };
}

/**
 * Returns the tiers to forget in. Each must support the request, because otherwise the forget would be
 * partial.
 */
function capableTiers(runtime: Runtime, request: ForgetRequest, subtree: boolean): PluginRunner[] {
  const named = request.tier == null ? undefined : runtime.tiers.get(request.tier);
  if (request.tier != null && named === undefined) throw tierNotServedError(request.tier);
  const runners = named === undefined ? [...runtime.tiers.values()] : [named];
  const required = [...(request.requires ?? []), ...(subtree ? ["subtree"] : [])];
  if (request.cascade) required.push("cascade");
  if (request.purge) required.push("purge");
  for (const { tier, features } of runners) {
    const error = missingFeature(tier, features, required);
    if (error !== undefined) throw error;
  }
  return runners;
}

/**
 * Checks the access for a forget. A cascade needs access to the whole tier, because derived entries may be in
 * any namespace and have any author.
 */
function requireForget(rules: AccessRules, access: Access, cascade: boolean): void {
  if (cascade) rules.require({ ...access, selected: WHOLE_TIER }, "forget");
  else if (!rules.allows(access, "forget")) rules.require(access, "forget_own");
}

/**
 * Returns the filter of the request, restricted to the caller's own entries if the caller may forget no
 * others.
 */
function filterOf(rules: AccessRules, access: Access, request: ForgetRequest): Filter {
  const filter = compileCriteria(request);
  if (rules.allows(access, "forget")) return filter;
  const own: Filter = { field: "author", op: "eq", value: access.caller.agent };
  return { all: [filter, own] };
}

function startForget(
  rules: AccessRules,
  runner: PluginRunner,
  { caller, deadlineAt }: RequestContext,
  request: ForgetRequest,
  op: Operation,
): ForgetCall {
  const { tier } = runner;
  const selected = parseNamespacePattern(request.namespace ?? DEFAULTS.namespace);
  const selector = selectorOf(tier, caller, selected);
  const plan: PluginForgetRequest = {
    op,
    filter: filterOf(rules, { caller, tier, selected }, request),
    dry_run: request.dry_run ?? false,
    ...(request.cascade && { cascade: true }),
    ...(request.purge && { purge: true }),
  };
  return { tier, outcome: runner.forget(selector, plan, deadlineAt) };
}
