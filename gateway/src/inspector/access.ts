import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Clock, isToken, MemoryError } from "@membus/protocol";
import { type Identity, isAgentName, type Tokens } from "../tokens.js";

/** What somebody may look at: where a part is absent, any. */
export interface Grant {
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
}

interface Visit {
  readonly grant: Grant;
  readonly endsAt: number;
}

const VISITS_MAX = 1_000;
const VISIT_S = 12 * 3_600;
/** Of a token, in characters: a longer one is none. */
const TOKEN_LENGTH_MAX = 4_096;

/** Who may see what. A token is given once; a cookie that no script reads stands for it from then on. */
export class Access {
  readonly #tokens: Tokens;
  readonly #isOpen: boolean;
  readonly #clock: Clock;
  /** By the cookie's value, in the order in which they began. */
  readonly #visits = new Map<string, Visit>();

  /** @param isOpen there are no tokens: everybody may see everything. */
  constructor(tokens: Tokens, isOpen: boolean, clock: Clock) {
    this.#tokens = tokens;
    this.#isOpen = isOpen;
    this.#clock = clock;
  }

  /**
   * Begins a visit. Of more than 1,000 the oldest ends.
   * @returns the cookie to set; undefined for a token that opens nothing.
   */
  begin(token: string, request: IncomingMessage, isSecure: boolean): string | undefined {
    const grant = token.length > TOKEN_LENGTH_MAX ? undefined : this.#tokens.grantOf(token);
    if (grant === undefined) return undefined;
    const id = randomBytes(32).toString("base64url");
    this.#visits.set(id, { grant, endsAt: this.#clock.now() + VISIT_S });
    if (this.#visits.size > VISITS_MAX) this.#visits.delete(this.#visits.keys().next().value!);
    const attributes = `Path=/inspector; Max-Age=${VISIT_S}; HttpOnly; SameSite=Strict`;
    return `${cookieName(request)}=${id}; ${attributes}${isSecure ? "; Secure" : ""}`;
  }

  /** Undefined for who has to show a token first. */
  grantOf(request: IncomingMessage): Grant | undefined {
    if (this.#isOpen) return {};
    const id = cookieOf(request);
    const visit = id === undefined ? undefined : this.#visits.get(id);
    if (visit === undefined || visit.endsAt > this.#clock.now()) return visit?.grant;
    this.#visits.delete(id!);
    return undefined;
  }
}

/** @throws {MemoryError} `unauthorized` for what the grant does not say, `schema_violation` for what is no name. */
export function identityFor(grant: Grant, { tenant, agent }: Identity): Identity {
  if (!isToken(tenant)) throw new MemoryError("schema_violation", "tenant: no tenant has such a name");
  if (!isAgentName(agent)) throw new MemoryError("schema_violation", "agent: no agent has such a name");
  if (grant.tenant !== undefined && grant.tenant !== tenant) throw notYours("tenant");
  if (grant.agent !== undefined && grant.agent !== agent) throw notYours("agent");
  return { tenant, agent };
}

/** A tenant of which all agents may be seen. @throws as `identityFor` does. */
export function wholeTenant(grant: Grant, tenant: string): string {
  if (grant.agent !== undefined) {
    throw new MemoryError("unauthorized", "the token is for one agent, and this is about all of a tenant");
  }
  return identityFor(grant, { tenant, agent: "any" }).tenant;
}

function notYours(part: string): MemoryError {
  return new MemoryError("unauthorized", `the token is for another ${part}`);
}

function cookieOf(request: IncomingMessage): string | undefined {
  const name = `${cookieName(request)}=`;
  const cookies = (request.headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length);
}

/** A browser sends the cookies of all ports of a machine to each. */
function cookieName({ socket }: IncomingMessage): string {
  return `membus_inspector_${socket.localPort}`;
}
