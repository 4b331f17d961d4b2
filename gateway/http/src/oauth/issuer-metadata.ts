import { isJsonObject } from "@membus/protocol";
import { IssuerUnavailable } from "./issuer-unavailable.js";
import { isSecureUrl } from "./oauth-options.js";

/** Returns where the metadata of an issuer may be, in the order of the MCP specification. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const atRoot = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? atRoot : [...atRoot, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Returns the URL of the public keys of an issuer.
 * @param read returns the JSON at a URL, or throws.
 * @throws {IssuerUnavailable} if no metadata of this issuer names its keys.
 */
export async function discoverJwksUrl(
  issuer: string,
  read: (url: string) => Promise<unknown>,
): Promise<string> {
  const problems: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      return jwksUrlIn(await read(url), issuer);
    } catch (error) {
      if (!(error instanceof IssuerUnavailable)) throw error;
      problems.push(error.message);
    }
  }
  throw new IssuerUnavailable(`found no keys of ${issuer}: ${problems.join("; ")}`);
}

function jwksUrlIn(metadata: unknown, issuer: string): string {
  if (!isJsonObject(metadata) || metadata.issuer !== issuer) {
    throw new IssuerUnavailable("the metadata has another issuer");
  }
  if (!isSecureUrl(metadata.jwks_uri)) throw new IssuerUnavailable("the metadata has no https jwks_uri");
  return metadata.jwks_uri;
}
