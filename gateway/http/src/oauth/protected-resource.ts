import { readableByAnyPage } from "../cross-origin.js";
import { type HttpApp, type HttpContext, jsonResponse } from "../http-context.js";
import { type AccessGrant, type AccessRefusal, AccessTokens } from "./access-tokens.js";
import type { IssuerKeysDependencies } from "./issuer-keys.js";
import { type OAuthOptions, type ResolvedOAuthOptions, resolveOAuthOptions } from "./oauth-options.js";

const METADATA_PATH = "/.well-known/oauth-protected-resource";

const RETRY_AFTER_S = "5";

/** Returns true for a path at which metadata is served, which is public. */
export function isResourceMetadata(path: string): boolean {
  return path === METADATA_PATH || path.startsWith(`${METADATA_PATH}/`);
}

/** A resource that accepts the access tokens of one authorization server (RFC 6750, RFC 9728). */
export class ProtectedResource {
  readonly #options: ResolvedOAuthOptions;
  readonly #tokens: AccessTokens;
  /** Path of the resource in its public URL, "" for the root. */
  readonly #path: string;

  /** @throws {TypeError} for an unknown option or an invalid value. */
  constructor(options: OAuthOptions, dependencies: IssuerKeysDependencies) {
    this.#options = resolveOAuthOptions(options);
    this.#tokens = new AccessTokens(this.#options, dependencies);
    this.#path = new URL(this.#options.resource).pathname.replace(/\/$/, "");
  }

  /** Serves the metadata, at the root and for the path of the resource and paths below it. */
  addTo(app: HttpApp): void {
    app.on(["GET", "OPTIONS"], `${METADATA_PATH}/*`, readableByAnyPage, (c) => {
      const path = c.req.path.slice(METADATA_PATH.length);
      const isOwn = path === "" || path === this.#path || path.startsWith(`${this.#path}/`);
      return isOwn ? jsonResponse(c, 200, this.#metadata()) : c.notFound();
    });
  }

  /** Checks a bearer token, "" if the request has none. */
  async check(token: string): Promise<AccessGrant | AccessRefusal> {
    return token === "" ? { status: 401, reason: "an access token is needed" } : this.#tokens.check(token);
  }

  /** Adds the headers of a refusal to the response, which name the authorization server to the client. */
  addHeaders(c: HttpContext, { status, code, reason }: AccessRefusal): void {
    if (status === 503) c.header("retry-after", RETRY_AFTER_S);
    // Without a code and a missing token, a new token would not help.
    if (code === undefined && status !== 401) return;
    const { scopes, resource } = this.#options;
    const parts = [
      ...(code === undefined ? [] : [`error="${code}"`, `error_description="${reason}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(" ")}"`]),
      `resource_metadata="${new URL(resource).origin}${METADATA_PATH}${this.#path}"`,
    ];
    c.header("www-authenticate", `Bearer ${parts.join(", ")}`);
  }

  #metadata(): object {
    const { resource, issuer, scopes } = this.#options;
    return {
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      resource_name: "membus",
    };
  }
}
