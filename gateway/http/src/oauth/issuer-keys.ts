import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { JWTVerifyGetKey } from "jose";
import { fetchJson } from "../fetch-json.js";
import { discoverJwksUrl } from "./issuer-metadata.js";
import { IssuerUnavailable } from "./issuer-unavailable.js";
import type { ResolvedOAuthOptions } from "./oauth-options.js";

/** Age at which keys are read again, so that a revoked key is not accepted for longer. */
const KEYS_AGE_MAX_MS = 600_000;
/** Pause before an unknown key id causes another request, so that callers cannot flood the issuer. */
const UNKNOWN_KEY_PAUSE_MS = 30_000;
/** Pause after a failed request. */
const RETRY_PAUSE_S = 5;

export interface IssuerKeysDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The public keys of an authorization server, which are read at the first token. */
export class IssuerKeys {
  readonly #options: ResolvedOAuthOptions;
  readonly #dependencies: IssuerKeysDependencies;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failure: { readonly error: IssuerUnavailable; readonly endsAt: number } | undefined;

  constructor(options: ResolvedOAuthOptions, dependencies: IssuerKeysDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Finds the key of a token. @throws {IssuerUnavailable} if the keys cannot be read. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    this.#keys ??= this.#open();
    const pending = this.#keys;
    const keys = await pending.catch((error: unknown) => {
      if (this.#keys === pending) this.#keys = undefined;
      throw error;
    });
    return keys(header, token);
  };

  async #open(): Promise<JWTVerifyGetKey> {
    const { issuer, jwksUrl } = this.#options;
    const { createRemoteJWKSet, customFetch, errors } = await import("jose");
    const url = jwksUrl ?? (await this.#guarded(() => discoverJwksUrl(issuer, (each) => this.#fetch(each))));
    const keys = createRemoteJWKSet(new URL(url), {
      cacheMaxAge: KEYS_AGE_MAX_MS,
      cooldownDuration: UNKNOWN_KEY_PAUSE_MS,
      [customFetch]: async () => Response.json(await this.#guarded(() => this.#fetch(url))),
    });
    return async (header, token) => {
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSInvalid)) throw error;
        throw new IssuerUnavailable(`no key set at ${url}`, { cause: error });
      }
    };
  }

  async #fetch(url: string): Promise<unknown> {
    try {
      return await fetchJson(url, this.#dependencies.clock);
    } catch (cause) {
      throw new IssuerUnavailable((cause as Error).message, { cause });
    }
  }

  /** Runs `read`, and repeats its failure for some seconds without another attempt. */
  async #guarded<T>(read: () => Promise<T>): Promise<T> {
    const { clock, logger } = this.#dependencies;
    if (this.#failure !== undefined && clock.now() < this.#failure.endsAt) throw this.#failure.error;
    try {
      return await read();
    } catch (error) {
      if (error instanceof IssuerUnavailable) {
        this.#failure = { error, endsAt: clock.now() + RETRY_PAUSE_S };
        logger.warn({ err: error }, "cannot read the keys of the authorization server");
      }
      throw error;
    }
  }
}
