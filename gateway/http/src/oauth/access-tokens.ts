import type { errors, JWTPayload, JWTVerifyOptions } from "jose";
import { IssuerKeys, type IssuerKeysDependencies } from "./issuer-keys.js";
import { IssuerUnavailable } from "./issuer-unavailable.js";
import type { ResolvedOAuthOptions } from "./oauth-options.js";

/** Access that a valid token gives. */
export interface AccessGrant {
  readonly agent: string;
  /** Only with `tenantClaim`. */
  readonly tenant?: string | undefined;
  /** Unix seconds at which the grant ends. */
  readonly expiresAt: number;
}

/** Why an access token is refused. */
export interface AccessRefusal {
  readonly status: 401 | 403 | 503;
  /** Code of RFC 6750. */
  readonly code?: "invalid_token" | "insufficient_scope";
  readonly reason: string;
}

/** Types of access tokens. Other types, such as logout tokens, are signed with the same keys. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** Checks access tokens in the form of JWTs. */
export class AccessTokens {
  readonly #options: ResolvedOAuthOptions;
  readonly #clock: IssuerKeysDependencies["clock"];
  readonly #keys: IssuerKeys;

  constructor(options: ResolvedOAuthOptions, dependencies: IssuerKeysDependencies) {
    this.#options = options;
    this.#clock = dependencies.clock;
    this.#keys = new IssuerKeys(options, dependencies);
  }

  async check(token: string): Promise<AccessGrant | AccessRefusal> {
    const { jwtVerify, errors } = await import("jose");
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, this.#verifyOptions());
      const { typ } = protectedHeader;
      if (typ !== undefined && !TYPES.has(typ.toLowerCase())) return invalid("the token is no access token");
      return this.#grantOf(payload);
    } catch (error) {
      if (error instanceof IssuerUnavailable) {
        return { status: 503, reason: "the keys of the authorization server cannot be read. Retry later" };
      }
      if (error instanceof errors.JOSEError) return invalid(reasonOf(error));
      throw error;
    }
  }

  #verifyOptions(): JWTVerifyOptions {
    const { issuer, resource, audience = resource, algorithms, clockToleranceS } = this.#options;
    return {
      ...{ issuer, audience, algorithms: [...algorithms] },
      clockTolerance: clockToleranceS,
      currentDate: new Date(this.#clock.now() * 1_000),
      // A token without an end would be valid for ever.
      requiredClaims: ["exp"],
    };
  }

  #grantOf(payload: JWTPayload): AccessGrant | AccessRefusal {
    const { scopes, agentClaim, tenantClaim } = this.#options;
    const granted = scopesOf(payload);
    if (!scopes.every((scope) => granted.has(scope))) {
      return { status: 403, code: "insufficient_scope", reason: `the token needs ${scopes.join(" ")}` };
    }
    const agent = textIn(payload, agentClaim);
    if (agent === undefined) return { status: 403, reason: "the token names no agent" };
    // `requiredClaims` has `exp`.
    const expiresAt = payload.exp!;
    if (tenantClaim === undefined) return { agent, expiresAt };
    const tenant = textIn(payload, tenantClaim);
    return tenant === undefined
      ? { status: 403, reason: "the token names no tenant" }
      : { agent, tenant, expiresAt };
  }
}

function invalid(reason: string): AccessRefusal {
  return { status: 401, code: "invalid_token", reason };
}

function reasonOf(error: errors.JOSEError): string {
  if (error.code === "ERR_JWT_EXPIRED") return "the token has expired";
  const { claim } = error as Partial<errors.JWTClaimValidationFailed>;
  if (claim === "aud") return "the token is for another resource";
  if (claim === "iss") return "the token has another issuer";
  return "the token is not valid";
}

/** Most servers send `scope` as one text, some send `scp` as a text or a list. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const texts = [scope, scp].flat().filter((value): value is string => typeof value === "string");
  return new Set(texts.flatMap((text) => text.split(" ")));
}

function textIn(payload: JWTPayload, claim: string): string | undefined {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
