import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";
import { hostnameOf, isLoopback } from "../caller-checks.js";

/** Signatures with a public key. With a shared secret, every server that checks tokens could also issue them. */
const ALGORITHMS = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] as const),
  ...(["ES256", "ES384", "ES512", "EdDSA"] as const),
] as const;

/** Characters of a scope in RFC 6749. */
const SCOPE_PATTERN = /^[!#-[\]-~]{1,128}$/;

export const OAuthOptionsSchema = optionSet({
  /** URL of the authorization server, exactly as in `iss` of its tokens. */
  issuer: secureUrl(),
  /** URL of the MCP endpoint, as clients use it. */
  resource: secureUrl(),
  /** Required in `aud` of a token. Default: `resource`. */
  audience: option.text().optional(),
  /** URL of the public keys of the issuer. Default: `jwks_uri` in its metadata. */
  jwksUrl: secureUrl().optional(),
  /** Scopes that a token must have. */
  scopes: option.list(scope(), 0, 20).default([]),
  /** Claim of a token that names the agent. */
  agentClaim: option.text().default("sub"),
  /** Claim of a token that names the tenant. Absent: tokens name no tenant. */
  tenantClaim: option.text().optional(),
  /** Accepted signature algorithms. */
  algorithms: option.list(option.choice(...ALGORITHMS), 1).default(["RS256", "PS256", "ES256", "EdDSA"]),
  /** Seconds by which the clocks of the issuer and of this server may differ. */
  clockToleranceS: option.integer(0, 300).default(5),
});

/** Options of a resource that accepts access tokens of an OAuth authorization server. */
export interface OAuthOptions extends OptionsOf<typeof OAuthOptionsSchema> {}
export interface ResolvedOAuthOptions extends ResolvedOptionsOf<typeof OAuthOptionsSchema> {}

/** @throws {TypeError} for an unknown option or an invalid value. */
export function resolveOAuthOptions(options: OAuthOptions): ResolvedOAuthOptions {
  return parseOptions(OAuthOptionsSchema, options);
}

/** Returns true for an https URL, and for an http URL on loopback. */
export function isSecureUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostnameOf(host)));
}

/** The message does not repeat the value, which may contain a secret. */
function secureUrl() {
  const isPlain = (value: unknown) => {
    if (!isSecureUrl(value)) return false;
    const { username, password, search, hash } = new URL(value);
    return username + password + search + hash === "";
  };
  const message = "must be an https URL, or http on loopback, without credentials, query or fragment";
  return option.value<string>(isPlain, message);
}

function scope() {
  const message = "must be 1..128 printable ASCII characters without spaces, quotes and backslashes";
  return option.value<string>((value) => typeof value === "string" && SCOPE_PATTERN.test(value), message);
}
