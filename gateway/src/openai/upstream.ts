import type { IncomingMessage } from "node:http";
import type { Call } from "./call.js";
import { upstreamHeaders } from "./headers.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";

/** The model server behind the gateway. */
export class Upstream {
  readonly #base: string;
  readonly #key: string;
  readonly #passesAuthorization: boolean;

  /** @param hasTokens whether a caller's `Authorization` is the gateway's: then it goes no further. */
  constructor({ upstream, key }: Pick<ResolvedOpenAiOptions, "upstream" | "key">, hasTokens: boolean) {
    this.#base = upstream.replace(/\/+$/, "");
    this.#key = key;
    this.#passesAuthorization = !hasTokens;
  }

  /** Where `path` is, such as "/models/gpt"; undefined for one that leads elsewhere than below `root`. */
  urlOf(root: string, path: string): URL | undefined {
    const url = new URL(this.#base + path);
    const home = new URL(this.#base + root).pathname;
    return url.pathname === home || url.pathname.startsWith(`${home}/`) ? url : undefined;
  }

  /** @throws what keeps it from answering. Redirects are answers: a request goes only where it was meant to. */
  async ask(url: URL, request: IncomingMessage, body: Uint8Array | undefined, call: Call): Promise<Response> {
    const { method = "GET", headers } = request;
    const response = await fetch(url, {
      method,
      headers: upstreamHeaders(headers, this.#authorizationOf(headers.authorization)),
      redirect: "manual",
      signal: call.signal,
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
    });
    call.moves();
    return response;
  }

  #authorizationOf(callers: string | undefined): string | undefined {
    if (this.#key !== "") return `Bearer ${this.#key}`;
    return this.#passesAuthorization ? callers : undefined;
  }
}
