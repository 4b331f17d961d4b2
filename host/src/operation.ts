import { type Operation, requestDigest } from "@membus/protocol";
import type { RequestContext } from "./runtime.js";

/** Which operation it is: the same request of the same agent has the same. */
export type OperationIdentity = Pick<Operation, "tenant" | "agent" | "id">;

/**
 * One string per operation: neither a tenant nor an id holds a line break. Joined: a template would make a string of
 * pieces, which as a key that is kept keeps all of them in RAM.
 */
export function operationKey({ tenant, agent, id }: OperationIdentity): string {
  return [tenant, agent, id].join("\n");
}

/** The operation that a mutation is. */
export function operationOf(
  { caller, id, acceptedAt }: RequestContext,
  request: Readonly<Record<string, unknown>>,
): Operation {
  const { tenant, agent } = caller;
  return { tenant, agent, id, digest: requestDigest(request), accepted_at: acceptedAt };
}
