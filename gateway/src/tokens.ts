import { createHash } from "node:crypto";
import { agentToken } from "@membus/protocol";
import type { GatewayToken, ResolvedGatewayOptions } from "./options.js";

/** Whose memory it is. */
export interface Identity {
  readonly tenant: string;
  readonly agent: string;
}

/** Digests and not tokens are looked up, so that the time it takes tells nothing of the tokens there are. */
export class Tokens {
  readonly #byDigest: ReadonlyMap<string, GatewayToken>;
  readonly #openTenant: string;

  constructor({ tokens, tenant }: Pick<ResolvedGatewayOptions, "tokens" | "tenant">) {
    this.#byDigest = new Map(tokens.map((token) => [token.sha256, token]));
    this.#openTenant = tenant;
  }

  /** Whom `token` lets speak as `agent`; undefined where it does not, or where no agent has such a name. */
  identityOf(token: string, agent: string): Identity | undefined {
    const found = this.grantOf(token);
    if (found === undefined) return undefined;
    if (found.agent !== undefined) return { tenant: found.tenant, agent: found.agent };
    return isAgentName(agent) ? { tenant: found.tenant, agent } : undefined;
  }

  /** Whether it is let in at all. */
  knows(token: string): boolean {
    return this.grantOf(token) !== undefined;
  }

  /** What it opens: without an agent those of the whole tenant. */
  grantOf(token: string): Pick<GatewayToken, "tenant" | "agent"> | undefined {
    if (this.#byDigest.size === 0) return { tenant: this.#openTenant };
    return this.#byDigest.get(createHash("sha256").update(token).digest("hex"));
  }
}

export function isAgentName(name: string): boolean {
  try {
    agentToken(name);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
