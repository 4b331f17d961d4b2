import {
  type Caller,
  type Clock,
  MemoryError,
  type MemoryTier,
  type OperationName,
  requestDigest,
} from "@membus/protocol";
import type { Embedder, Logger, Operation } from "@membus/protocol/plugin";
import type { AccessRules } from "../access-rules.js";
import type { Events } from "../events/index.js";
import type { InFlight } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import type { Deadlines, Outcome } from "../outcome.js";
import type { PluginRunner } from "../plugin-calls/index.js";

/**
 * Returns whether `caller` may use `namespace` for an operation. `namespace` is `a/b`, `a/**` for a subtree,
 * or `**` for all in a list. Refused requests are answered with `unauthorized`. Must be synchronous.
 */
export type NamespaceRule = (
  caller: Caller,
  namespace: string,
  operation: Exclude<OperationName, "status">,
) => boolean;

/** State that the operations share. */
export interface Runtime {
  readonly hostId: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: ResolvedHostOptions;
  /** Served tiers, in the order of the protocol. */
  readonly tiers: ReadonlyMap<MemoryTier, PluginRunner>;
  readonly embedder: Embedder | undefined;
  readonly deadlines: Deadlines;
  readonly inFlight: InFlight;
  readonly events: Events;
  readonly allowNamespace: NamespaceRule | undefined;
  readonly rules: AccessRules;
  /** Returns the maximum bytes of a reply without its headers. May change while connected. */
  replyBytesMax(): number;
}

/** Caller and properties of a request that every operation needs, in addition to its fields. */
export interface RequestContext {
  readonly caller: Caller;
  /** Whether an operator sent the request. `caller.agent` is then not an agent. */
  readonly isOperator: boolean;
  /** Tier named by the subject. The request is limited to it. Absent if the subject names none. */
  readonly tier?: MemoryTier | undefined;
  readonly id: string;
  /** Unix seconds of receipt. */
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  readonly messageBytes: number;
}

/** Returns the operation of a mutation. */
export function operationOf(
  { caller, tier, id, acceptedAt }: RequestContext,
  request: Readonly<Record<string, unknown>>,
): Operation {
  const { tenant, agent } = caller;
  const digest = requestDigest(tier === undefined ? request : { ...request, tier });
  return { tenant, agent, id, digest, accepted_at: acceptedAt };
}

/** @throws {MemoryError} `unauthorized`. */
export function checkNamespace(
  runtime: Runtime,
  caller: Caller,
  namespace: string,
  operation: Exclude<OperationName, "status">,
): void {
  if (runtime.allowNamespace?.(caller, namespace, operation) ?? true) return;
  throw new MemoryError("unauthorized", "this host does not allow the use of this namespace", {
    path: "namespace",
  });
}

/**
 * Returns the outcome of one tier's call, or `timeout` if the call exceeds `pluginTimeoutMs` before the
 * request's deadline.
 */
export function withinPluginTimeout<T>(
  { deadlines, options }: Runtime,
  { acceptedAt, deadlineAt }: RequestContext,
  call: Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const at = acceptedAt + options.pluginTimeoutMs / 1_000;
  return at < deadlineAt ? deadlines.race(call, at) : call;
}
