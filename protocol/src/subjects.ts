import { MemoryError } from "./memory-error.js";
import { type MemoryTier, TIERS } from "./scope.js";

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
const PREFIX = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})*$/;
const AGENT_BYTES_MAX = 192;
/** `memory.store.semantic.req`. */
const TOKENS_WITH_TIER = 4;
const TIER_AT = 2;

export const DEFAULT_PREFIX = "a2e";

/** Operations in the order of the spec; the type of a request is `memory/<operation>/req`. */
export const OPERATIONS = ["store", "retrieve", "forget", "status", "list"] as const;
export type OperationName = (typeof OPERATIONS)[number];
export type RequestType = `memory/${OperationName}/req` | "ping";

export interface RequestAddress {
  readonly tenant: string;
  readonly agent: string;
  readonly type: RequestType;
  /** The tier that the request is about alone (clause SUBJ-12); absent: its fields say which. */
  readonly tier?: MemoryTier;
}

/** True for 1..64 of `A-Z a-z 0-9 _ -` (clause SUBJ-2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function isSubjectPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/**
 * The subject token of an agent's name: the name where it is a token, else `=` and base64url (clause SUBJ-3).
 * @throws {TypeError} for an empty name, one over 192 bytes, or one with a lone surrogate.
 */
export function agentToken(agent: string): string {
  if (TOKEN.test(agent)) return agent;
  if (agent === "" || !agent.isWellFormed()) throw new TypeError("an agent's name is a non-empty string");
  const bytes = Buffer.from(agent, "utf8");
  if (bytes.length > AGENT_BYTES_MAX)
    throw new TypeError(`an agent's name has at most ${AGENT_BYTES_MAX} bytes`);
  return `=${bytes.toString("base64url")}`;
}

/** The agent's name behind a token, or undefined where no agent has that token: one name, one token. */
export function parseAgentToken(token: string): string | undefined {
  if (TOKEN.test(token)) return token;
  if (!token.startsWith("=")) return undefined;
  const name = Buffer.from(token.slice(1), "base64url").toString("utf8");
  const bytes = Buffer.byteLength(name);
  return name !== "" && bytes <= AGENT_BYTES_MAX && agentToken(name) === token ? name : undefined;
}

/**
 * Where a request is published: `a2e.default.alice.memory.store.req` (clause SUBJ-1), or `...memory.store.semantic.req`
 * with a tier (clause SUBJ-12).
 */
export function requestSubject(
  { tenant, agent, type, tier }: RequestAddress,
  prefix = DEFAULT_PREFIX,
): string {
  if (!isToken(tenant)) throw new TypeError(`\`${tenant}\` is no tenant name`);
  const ending = tier === undefined ? "req" : `${tier}.req`;
  const operation = type.replaceAll("/", ".").replace(/req$/, ending);
  if (type === "ping" && tier !== undefined) throw new TypeError("a ping is about no tier");
  return `${prefix}.${tenant}.${agentToken(agent)}.${operation}`;
}

/**
 * Who sends what, as the subject says.
 * @throws {MemoryError} `invalid_message` for a subject that is no request's.
 */
export function parseRequestSubject(subject: string, prefix = DEFAULT_PREFIX): RequestAddress {
  const tokens = subject.startsWith(`${prefix}.`) ? subject.slice(prefix.length + 1).split(".") : [];
  const [tenant = "", agentPart = "", ...rest] = tokens;
  const agent = parseAgentToken(agentPart);
  const tier = rest.length === TOKENS_WITH_TIER ? TIERS.find((known) => known === rest[TIER_AT]) : undefined;
  const type = (tier === undefined ? rest : rest.toSpliced(TIER_AT, 1)).join("/");
  if (!isToken(tenant) || agent === undefined || !isRequestType(type)) {
    throw new MemoryError("invalid_message", "the subject names no tenant, agent and operation", { subject });
  }
  return { tenant, agent, type, ...(tier && { tier }) };
}

function isRequestType(type: string): type is RequestType {
  return type === "ping" || OPERATIONS.some((operation) => type === `memory/${operation}/req`);
}

/** The subjects that a host listens on, for one tenant or for all. */
export function hostSubjects(prefix = DEFAULT_PREFIX, tenant = "*"): readonly string[] {
  const own = `${prefix}.${tenant}.*`;
  return [`${own}.memory.*.req`, `${own}.memory.*.*.req`, `${own}.ping`];
}

export type EventAction = "stored" | "forgotten" | "expired" | "evicted";

export interface EventAddress {
  readonly tenant: string;
  /** The acting agent; for expired and evicted entries their author. */
  readonly agent: string;
  readonly tier: MemoryTier;
  readonly action: EventAction;
}

/** `a2e.default.alice.events.memory.working.stored` (clause SUBJ-6). */
export function eventSubject(address: EventAddress, prefix = DEFAULT_PREFIX): string {
  const { tenant, agent, tier, action } = address;
  return `${prefix}.${tenant}.${agentToken(agent)}.events.memory.${tier}.${action}`;
}

/** A subscription to the events of one agent (or all that may be seen) and tier. */
export function eventPattern(
  filter: { tenant: string; agent?: string; tier?: MemoryTier; action?: EventAction },
  prefix = DEFAULT_PREFIX,
): string {
  const agent = filter.agent === undefined ? "*" : agentToken(filter.agent);
  return `${prefix}.${filter.tenant}.${agent}.events.memory.${filter.tier ?? "*"}.${filter.action ?? "*"}`;
}
