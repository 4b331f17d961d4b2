import {
  type Caller,
  type Clock,
  type Embedder,
  type Logger,
  MemoryError,
  type MemoryTier,
  type Operation,
  type OperationName,
  requestDigest,
} from "@membus/protocol";
import type { AccessRules } from "../access-rules.js";
import type { Events } from "../events/index.js";
import type { InFlight } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import type { Deadlines, Outcome } from "../outcome.js";
import type { PluginRunner } from "../plugin-calls/index.js";

/**
 * Whether `caller` may use `namespace` (`a/b`, `a/**` for a subtree, or in a list `**` for all) for an operation. Refused ones are
 * answered `unauthorized`. Must answer at once.
 */
export type NamespaceRule = (
  caller: Caller,
  namespace: string,
  operation: Exclude<OperationName, "status">,
) => boolean;

/** What the operations share. */
export interface Runtime {
  readonly hostId: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: ResolvedHostOptions;
  /** The served tiers, in the order of the protocol. */
  readonly tiers: ReadonlyMap<MemoryTier, PluginRunner>;
  readonly embedder: Embedder | undefined;
  readonly deadlines: Deadlines;
  readonly inFlight: InFlight;
  readonly events: Events;
  readonly allowNamespace: NamespaceRule | undefined;
  readonly rules: AccessRules;
  /** What a reply may have besides its headers. May change while connected. */
  replyBytesMax(): number;
}

/** Who asks, and what every operation must know of the request besides its fields. */
export interface RequestContext {
  readonly caller: Caller;
  /** That of the subject, which the request is about alone; absent where it has none. */
  readonly tier?: MemoryTier | undefined;
  readonly id: string;
  /** Unix seconds of receipt. */
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  readonly messageBytes: number;
}

/** The operation that a mutation is. */
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
  throw new MemoryError("unauthorized", "this namespace may not be used", { path: "namespace" });
}

/** The outcome of one tier's call, or `timeout` when it takes longer than a plugin may and the request would wait. */
export function withinPluginTimeout<T>(
  { deadlines, options }: Runtime,
  { acceptedAt, deadlineAt }: RequestContext,
  call: Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const at = acceptedAt + options.pluginTimeoutMs / 1_000;
  return at < deadlineAt ? deadlines.race(call, at) : call;
}
