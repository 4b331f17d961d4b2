import type { IncomingMessage } from "node:http";
import type { GatewayMetrics } from "../health/gateway-metrics.js";
import type { Call } from "./call.js";
import { upstreamHeaders } from "./headers.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";

/** The model server. */
export class Upstream {
  readonly #base: string;
  readonly #key: string;
  readonly #passesAuthorization: boolean;
  readonly #metrics: GatewayMetrics;

  /**
   * @param hasTokens true if the caller's `Authorization` belongs to the gateway. It is then not passed on.
   */
  constructor(
    { upstream, key }: Pick<ResolvedOpenAiOptions, "upstream" | "key">,
    hasTokens: boolean,
    metrics: GatewayMetrics,
  ) {
    this.#base = upstream.replace(/(?<!\/)\/+$/, "");
    this.#key = key;
    this.#passesAuthorization = !hasTokens;
    this.#metrics = metrics;
  }

  /** Returns the URL of `path`, such as "/models/gpt". Undefined if the URL is not below `root`. */
  urlOf(root: string, path: string): URL | undefined {
    const url = new URL(this.#base + path);
    const home = new URL(this.#base + root).pathname;
    const isBelow = url.pathname === home || url.pathname.startsWith(`${home}/`);
    return isBelow && isPlain(url.pathname) ? url : undefined;
  }

  /** Sends the request. Redirects are returned and not followed. @throws network errors. */
  async ask(url: URL, request: IncomingMessage, body: Uint8Array | undefined, call: Call): Promise<Response> {
    try {
      const response = await this.#fetch(url, request, body, call);
      this.#metrics.upstreamAnswered(response.status);
      call.madeProgress();
      return response;
    } catch (error) {
      const isGivenUp = call.signal.aborted && !call.isLate;
      this.#metrics.upstreamAnswered(isGivenUp ? "aborted" : "failed");
      throw error;
    }
  }

  #fetch(url: URL, { method = "GET", headers }: IncomingMessage, body: Uint8Array | undefined, call: Call) {
    return fetch(url, {
      method,
      headers: upstreamHeaders(headers, this.#authorizationOf(headers.authorization)),
      redirect: "manual",
      signal: call.signal,
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
    });
  }

  #authorizationOf(callers: string | undefined): string | undefined {
    if (this.#key !== "") return `Bearer ${this.#key}`;
    return this.#passesAuthorization ? callers : undefined;
  }
}

/** Returns false for a path that contains control characters or parent segments after decoding. */
function isPlain(pathname: string): boolean {
  try {
    const decoded = decodeURIComponent(pathname);
    return !/(?:^|[/\\])\.\.?(?:[/\\]|$)|\p{Cc}/u.test(decoded);
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
