import {
  AGENTS_REQUEST,
  agentToken,
  isNamespace,
  isSubjectPrefix,
  isToken,
  LIMITS,
  type MemoryTier,
  operatorSubject,
  PROTOCOL_VERSION,
  type RequestType,
  requestSubject,
} from "@membus/protocol";

/** Identity and namespace of a view. */
export interface Identity {
  readonly prefix: string;
  readonly tenant: string;
  readonly agent: string;
  readonly session: string;
  readonly namespace: string;
}

/**
 * Validates an identity.
 *
 * @throws {TypeError} for a part that no host accepts.
 */
export function checkIdentity({ prefix, tenant, agent, session, namespace }: Identity): void {
  for (const [name, value] of Object.entries({ prefix, tenant, agent, session, namespace })) {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string, got ${String(value)}`);
  }
  agentToken(agent);
  if (!isSubjectPrefix(prefix))
    throw new TypeError(`prefix must be tokens separated by dots, got \`${prefix}\``);
  if (!isToken(tenant)) throw new TypeError(`tenant must be 1..64 of A-Z a-z 0-9 _ -, got \`${tenant}\``);
  if (session.length > LIMITS.idLength || !session.isWellFormed()) {
    throw new TypeError(`session must be at most ${LIMITS.idLength} characters without lone surrogates`);
  }
  if (!isNamespace(namespace))
    throw new TypeError(`namespace must be a path of 1..8 segments, got \`${namespace}\``);
}

/** Returns the subject of a request. `tier` is its only tier, or undefined for none or several. */
export function subjectOf(
  { tenant, agent, prefix, tierSubjects }: Identity & { readonly tierSubjects: boolean },
  type: RequestType,
  tier: MemoryTier | undefined,
): string {
  if (type === AGENTS_REQUEST) return operatorSubject(tenant, prefix);
  return requestSubject({ tenant, agent, type, ...(tierSubjects && tier && { tier }) }, prefix);
}

/** Common fields of every request. */
export type Envelope = {
  readonly type: RequestType;
  readonly id: string;
  readonly version: string;
  readonly deadline_ms: number;
  session_id?: string;
};

export function createEnvelope(
  identity: Identity,
  type: RequestType,
  id: string,
  timeoutMs: number,
): Envelope {
  const envelope: Envelope = { type, id, version: PROTOCOL_VERSION, deadline_ms: timeoutMs };
  if (identity.session !== "") envelope.session_id = identity.session;
  return envelope;
}
