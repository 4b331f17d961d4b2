import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Clock, isAgentName, isToken, MemoryError } from "@membus/protocol";
import type { Identity, Tokens } from "../tokens.js";

/** What a token allows to inspect. An absent part allows any value. */
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
/** Characters of a token. A longer token is rejected. */
const TOKEN_LENGTH_MAX = 4_096;

/** Controls access to the inspector. A token is exchanged for a cookie that scripts cannot read. */
export class Access {
  readonly #tokens: Tokens;
  readonly #isOpen: boolean;
  readonly #clock: Clock;
  /** Visits by the value of the cookie, oldest first. */
  readonly #visits = new Map<string, Visit>();

  /** @param isOpen true without tokens: every caller may inspect everything. */
  constructor(tokens: Tokens, isOpen: boolean, clock: Clock) {
    this.#tokens = tokens;
    this.#isOpen = isOpen;
    this.#clock = clock;
  }

  /**
   * Begins a visit. With more than 1,000 visits the oldest ends. @returns the cookie to set, undefined for an
   * unknown token.
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

  /** Returns undefined if the caller needs a token. */
  grantOf(request: IncomingMessage): Grant | undefined {
    if (this.#isOpen) return {};
    const id = cookieOf(request);
    const visit = id === undefined ? undefined : this.#visits.get(id);
    if (visit === undefined || visit.endsAt > this.#clock.now()) return visit?.grant;
    this.#visits.delete(id!);
    return undefined;
  }
}

/**
 * @throws {MemoryError} `unauthorized` if the grant does not allow it, `schema_violation` for an invalid
 * name.
 */
export function identityFor(grant: Grant, { tenant, agent }: Identity): Identity {
  if (!isToken(tenant)) throw new MemoryError("schema_violation", "tenant: invalid name");
  if (!isAgentName(agent)) throw new MemoryError("schema_violation", "agent: invalid name");
  if (grant.tenant !== undefined && grant.tenant !== tenant) throw notYours("tenant");
  if (grant.agent !== undefined && grant.agent !== agent) throw notYours("agent");
  return { tenant, agent };
}

/** Returns the tenant if the grant allows all of its agents. @throws as `identityFor` does. */
export function wholeTenant(grant: Grant, tenant: string): string {
  if (grant.agent !== undefined) {
    throw new MemoryError(
      "unauthorized",
      "the token is for one agent, and this request reads all agents of a tenant",
    );
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

/** Returns a name that contains the port, because a browser sends cookies to all ports of a host. */
function cookieName({ socket }: IncomingMessage): string {
  return `membus_inspector_${socket.localPort}`;
}
