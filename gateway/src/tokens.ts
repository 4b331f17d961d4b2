import { createHash } from "node:crypto";
import { isAgentName } from "@membus/protocol";
import type { GatewayToken, ResolvedGatewayOptions } from "./options.js";

/** The owner of a memory. */
export interface Identity {
  readonly tenant: string;
  readonly agent: string;
}

/** Looks tokens up by digest, so that the duration reveals nothing about them. */
export class Tokens {
  readonly #byDigest: ReadonlyMap<string, GatewayToken>;
  /** Undefined if every caller needs a token. */
  readonly #openTenant: string | undefined;

  constructor({ tokens, tenant, oauth }: Pick<ResolvedGatewayOptions, "tokens" | "tenant" | "oauth">) {
    this.#byDigest = new Map(tokens.map((token) => [token.sha256, token]));
    this.#openTenant = tokens.length === 0 && oauth === undefined ? tenant : undefined;
  }

  /**
   * Returns the identity that `token` grants for `agent`. Undefined for an unknown token or an invalid agent
   * name.
   */
  identityOf(token: string, agent: string): Identity | undefined {
    const found = this.grantOf(token);
    if (found === undefined) return undefined;
    if (found.agent !== undefined) return { tenant: found.tenant, agent: found.agent };
    return isAgentName(agent) ? { tenant: found.tenant, agent } : undefined;
  }

  /** Returns true if the token is accepted. */
  knows(token: string): boolean {
    return this.grantOf(token) !== undefined;
  }

  /** Returns what the token grants. Without an agent it grants all agents of the tenant. */
  grantOf(token: string): Pick<GatewayToken, "tenant" | "agent"> | undefined {
    if (this.#openTenant !== undefined) return { tenant: this.#openTenant };
    return this.#byDigest.get(createHash("sha256").update(token).digest("hex"));
  }
}
