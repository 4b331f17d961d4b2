import { MemoryError } from "./memory-error.js";
import { type MemoryTier, TIERS } from "./scope.js";

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const PREFIX = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})*$/;
const AGENT_BYTES_MAX = 192;
/** Number of tokens of `memory.store.semantic.req`. */
const TOKENS_WITH_TIER = 4;
const TIER_AT = 2;

export const DEFAULT_PREFIX = "a2e";

/** Operations in the order of the specification. The type of a request is `memory/<operation>/req`. */
export const OPERATIONS = ["store", "retrieve", "forget", "status", "list"] as const;
export type OperationName = (typeof OPERATIONS)[number];
/** Type of the request that only operators send. */
export const AGENTS_REQUEST = "memory/agents/req";
export type RequestType = `memory/${OperationName}/req` | typeof AGENTS_REQUEST | "ping";

/** Token in place of an agent in the subjects of operators. No agent has it (clause AGENT-1). */
export const OPERATOR_TOKEN = "$OPERATOR";

export interface RequestAddress {
  readonly tenant: string;
  /** Name of the agent, or `OPERATOR_TOKEN` for the request of an operator. */
  readonly agent: string;
  /** Distinguishes an operator from an agent with the name `OPERATOR_TOKEN`, which has another token. */
  readonly isOperator?: true;
  readonly type: RequestType;
  /** Only tier of the request (clause SUBJ-12). Absent: the fields of the request select the tiers. */
  readonly tier?: MemoryTier;
}

/** Returns true for 1..64 of `A-Z a-z 0-9 _ -` (clause SUBJ-2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function isSubjectPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/**
 * Returns the subject token of an agent: its name if that is a valid token, else `=` and base64url (clause
 * SUBJ-3).
 *
 * @throws {TypeError} for an empty name, a name over 192 bytes, or a name with a lone surrogate.
 */
export function agentToken(agent: string): string {
  if (TOKEN.test(agent)) return agent;
  if (agent === "" || !agent.isWellFormed())
    throw new TypeError("the agent name must be a non-empty string without lone surrogates");
  const bytes = Buffer.from(agent, "utf8");
  if (bytes.length > AGENT_BYTES_MAX)
    throw new TypeError(`the agent name is too long: ${bytes.length} bytes, limit ${AGENT_BYTES_MAX}`);
  return `=${bytes.toString("base64url")}`;
}

/**
 * Returns the agent name of a token, or undefined if the token is invalid. Each name has exactly one token.
 */
export function parseAgentToken(token: string): string | undefined {
  if (TOKEN.test(token)) return token;
  if (!token.startsWith("=")) return undefined;
  const name = Buffer.from(token.slice(1), "base64url").toString("utf8");
  const bytes = Buffer.byteLength(name);
  return name !== "" && bytes <= AGENT_BYTES_MAX && agentToken(name) === token ? name : undefined;
}

/** Returns true for a name of 1..192 bytes of UTF-8 without lone surrogates (clause SUBJ-3). */
export function isAgentName(name: string): boolean {
  return name !== "" && name.isWellFormed() && Buffer.byteLength(name) <= AGENT_BYTES_MAX;
}

/**
 * Returns the subject of a request: `a2e.default.alice.memory.store.req` (clause SUBJ-1), or with a tier
 * `a2e.default.alice.memory.store.semantic.req` (clause SUBJ-12).
 */
export function requestSubject(
  { tenant, agent, isOperator, type, tier }: RequestAddress,
  prefix = DEFAULT_PREFIX,
): string {
  if (!isToken(tenant))
    throw new TypeError(`invalid tenant name \`${tenant}\`: use 1..64 of A-Z a-z 0-9 _ -`);
  const ending = tier === undefined ? "req" : `${tier}.req`;
  const operation = type.replaceAll("/", ".").replace(/req$/, ending);
  if (tier !== undefined && (type === "ping" || type === AGENTS_REQUEST))
    throw new TypeError(`a request of the type ${type} cannot have a tier`);
  return `${prefix}.${tenant}.${isOperator ? OPERATOR_TOKEN : agentToken(agent)}.${operation}`;
}

/** Returns the subject on which an operator lists the agents of a tenant (clause AGENT-1). */
export function operatorSubject(tenant: string, prefix = DEFAULT_PREFIX): string {
  const address = { tenant, agent: OPERATOR_TOKEN, isOperator: true, type: AGENTS_REQUEST } as const;
  return requestSubject(address, prefix);
}

/**
 * Returns the address in the subject of a request.
 *
 * @throws {MemoryError} `invalid_message` for any other subject.
 */
export function parseRequestSubject(subject: string, prefix = DEFAULT_PREFIX): RequestAddress {
  const tokens = subject.startsWith(`${prefix}.`) ? subject.slice(prefix.length + 1).split(".") : [];
  const [tenant = "", agentPart = "", ...rest] = tokens;
  const isOperator = agentPart === OPERATOR_TOKEN;
  const agent = isOperator ? OPERATOR_TOKEN : parseAgentToken(agentPart);
  const tier = rest.length === TOKENS_WITH_TIER ? TIERS.find((known) => known === rest[TIER_AT]) : undefined;
  const type = (tier === undefined ? rest : rest.toSpliced(TIER_AT, 1)).join("/");
  const isOperation = type === AGENTS_REQUEST ? tier === undefined : isRequestType(type) && !isOperator;
  if (!isToken(tenant) || agent === undefined || !isOperation) {
    throw new MemoryError("invalid_message", "the subject must contain a tenant, an agent and an operation", {
      subject,
    });
  }
  return {
    ...{ tenant, agent, type: type as RequestType },
    ...(isOperator && { isOperator }),
    ...(tier && { tier }),
  };
}

function isRequestType(type: string): boolean {
  return type === "ping" || OPERATIONS.some((operation) => type === `memory/${operation}/req`);
}

/** Returns the subjects that a host subscribes to, for one tenant or all. */
export function hostSubjects(prefix = DEFAULT_PREFIX, tenant = "*"): readonly string[] {
  const own = `${prefix}.${tenant}.*`;
  return [`${own}.memory.*.req`, `${own}.memory.*.*.req`, `${own}.ping`];
}

export type EventAction = "stored" | "forgotten" | "expired" | "evicted";

export interface EventAddress {
  readonly tenant: string;
  /** Acting agent. For expired and evicted entries their author. */
  readonly agent: string;
  readonly tier: MemoryTier;
  readonly action: EventAction;
}

/** Returns the subject of an event: `a2e.default.alice.events.memory.working.stored` (clause SUBJ-6). */
export function eventSubject(address: EventAddress, prefix = DEFAULT_PREFIX): string {
  const { tenant, agent, tier, action } = address;
  return `${prefix}.${tenant}.${agentToken(agent)}.events.memory.${tier}.${action}`;
}

/** Returns the subscription pattern for events. Absent fields match all values that the server permits. */
export function eventPattern(
  filter: { tenant: string; agent?: string; tier?: MemoryTier; action?: EventAction },
  prefix = DEFAULT_PREFIX,
): string {
  const agent = filter.agent === undefined ? "*" : agentToken(filter.agent);
  return `${prefix}.${filter.tenant}.${agent}.events.memory.${filter.tier ?? "*"}.${filter.action ?? "*"}`;
}
