import { type Clock, delay } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createParser } from "eventsource-parser";
import { backoffMs } from "./backoff.js";
import { Deadline } from "./deadline.js";
import { ProviderError } from "./provider-error.js";
import { eventError, isErrorEvent, statusError } from "./reply-error.js";
import { sendRequest } from "./send-request.js";

export interface OpenAiClientOptions {
  /** Name of the server in messages, such as "the reranker". */
  readonly provider: string;
  /** Whether the message about a failed connection has the origin of `baseUrl`. The path may be a secret. */
  readonly showsOrigin?: boolean;
  /** Field `component` of the log lines. */
  readonly component: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly retryCountMax: number;
  readonly responseBytesMax: number;
  /** Timeout of one attempt of `post` in milliseconds. Absent: the caller's signal ends the call. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Maximum pause that the server may require before a retry, in milliseconds. Absent: no maximum. */
  readonly retryAfterMsMax?: number | undefined;
}

export interface OpenAiClientDependencies {
  /** Used for timeouts, pauses between attempts and `Retry-After` dates. */
  readonly clock: Clock;
  /** Receives lines about attempts and retries, at level debug, without texts or the API key. */
  readonly logger?: Logger | undefined;
  /** Sends the requests. Absent: HTTP of Node, without another time limit. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Sends JSON to a model server. It follows no redirects, so that texts and the API key reach only the
 * configured server. It reads nothing from the environment, limits the size of replies, and removes the API
 * key from errors that repeat it.
 */
export class OpenAiClient {
  readonly #options: OpenAiClientOptions;
  readonly #clock: Clock;
  readonly #logger: Logger | undefined;
  readonly #fetch: typeof fetch;

  constructor(
    options: OpenAiClientOptions,
    { clock, logger, fetch: send = sendRequest }: OpenAiClientDependencies,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#fetch = send;
  }

  /**
   * Returns the JSON of the reply, after the configured retries.
   *
   * @param path path below the base URL, such as "/embeddings".
   * @throws {ProviderError} if the last attempt fails. The signal's reason if aborted.
   */
  post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    return this.#retry(signal, async (attempt) => {
      const timeoutMs = this.#options.attemptTimeoutMs;
      if (timeoutMs === undefined) return this.#readJson(path, body, signal, attempt);
      const message = `${this.#options.provider} did not answer within ${timeoutMs} ms`;
      const deadline = new Deadline(this.#clock, timeoutMs, message, signal);
      try {
        return await this.#readJson(path, body, deadline.signal, attempt);
      } finally {
        deadline.stop();
      }
    });
  }

  /**
   * Returns the JSON of a reply to GET, without retries.
   *
   * @param path path below the base URL, such as "/models". With `below: "origin"` below the server's root.
   * @throws {ProviderError} as `post` does.
   */
  async get(
    path: string,
    signal: AbortSignal,
    { below = "base" }: { readonly below?: "base" | "origin" } = {},
  ): Promise<unknown> {
    const { baseUrl } = this.#options;
    const response = await this.#fetchFrom(below === "base" ? baseUrl : new URL(baseUrl).origin, path, {
      method: "GET",
      headers: this.#headers("application/json"),
      signal,
    });
    return this.#parse(await this.#readText(response, signal));
  }

  /**
   * Resolves when a streamed reply begins, after the configured retries. The result yields the JSON of its
   * events, or the JSON of the whole reply if the server does not stream. It must be iterated. Ending the
   * iteration ends the request.
   *
   * @throws {ProviderError} if the last attempt fails, and during the iteration. The signal's reason if aborted.
   */
  async stream(path: string, body: object, signal: AbortSignal): Promise<AsyncGenerator<unknown, void>> {
    const send = (attempt: number) => this.#send(path, body, "text/event-stream", signal, attempt);
    return this.#events(await this.#retry(signal, send), signal);
  }

  async *#events(response: Response, signal: AbortSignal): AsyncGenerator<unknown, void> {
    if (/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
      yield this.#parse(await this.#readText(response, signal));
      return;
    }
    const events: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => events.push(data) });
    const decoder = new TextDecoder();
    let isDone = false;
    // The rest of the reply is read after the last event, because the connection is then used again.
    for await (const chunk of this.#chunks(response, signal)) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const event of events.splice(0)) {
        isDone ||= event.startsWith("[DONE]");
        if (isDone) continue;
        const parsed = this.#parse(event);
        if (isErrorEvent(parsed)) throw eventError(this.#options.provider, this.#withoutKey(event));
        yield parsed;
        signal.throwIfAborted();
      }
    }
  }

  async #retry<T>(signal: AbortSignal, send: (attempt: number) => Promise<T>): Promise<T> {
    const { retryCountMax, retryAfterMsMax = Number.POSITIVE_INFINITY } = this.#options;
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await send(attempt);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError) || !error.isRetryable || attempt >= retryCountMax) throw error;
        if ((error.retryAfterMs ?? 0) > retryAfterMsMax) throw error;
        const pauseMs = error.retryAfterMs ?? backoffMs(attempt);
        this.#log({ attempt, failure: error.failure, pause_ms: pauseMs }, "retrying the request");
        await delay(this.#clock, pauseMs, signal);
      }
    }
  }

  async #readJson(path: string, body: object, signal: AbortSignal, attempt: number): Promise<unknown> {
    const response = await this.#send(path, body, "application/json", signal, attempt);
    return this.#parse(await this.#readText(response, signal));
  }

  async #send(
    path: string,
    body: object,
    accept: string,
    signal: AbortSignal,
    attempt: number,
  ): Promise<Response> {
    const headers = { ...this.#headers(accept), "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body), signal };
    return this.#fetchFrom(this.#options.baseUrl, path, request, attempt);
  }

  #headers(accept: string): Record<string, string> {
    const { apiKey } = this.#options;
    return { accept, ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }) };
  }

  /** @throws {ProviderError} for a failed connection and for a status other than 2xx. */
  async #fetchFrom(
    base: string,
    path: string,
    request: RequestInit & { readonly signal: AbortSignal },
    attempt = 0,
  ): Promise<Response> {
    const { provider, showsOrigin = false } = this.#options;
    const url = base.replace(/(?<!\/)\/+$/, "") + path;
    const response = await this.#fetch(url, { ...request, redirect: "manual" }).catch((cause: unknown) => {
      this.#log({ path, attempt }, `cannot connect to ${provider}`);
      request.signal.throwIfAborted();
      const at = showsOrigin ? ` at ${new URL(base).origin}` : "";
      throw new ProviderError("unavailable", `cannot connect to ${provider}${at}`, {}, { cause });
    });
    this.#log({ path, attempt, status: response.status }, `received a reply from ${provider}`);
    if (response.ok) return response;
    const text = this.#withoutKey(await this.#readText(response, request.signal));
    throw statusError(provider, response, text, this.#clock);
  }

  /** The error has no cause, because a syntax error quotes the reply, which may contain the API key. */
  #parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ProviderError("invalid_reply", `${this.#options.provider} sent an invalid reply: not JSON`);
    }
  }

  async #readText(response: Response, signal: AbortSignal): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#chunks(response, signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  async *#chunks({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const { provider, responseBytesMax } = this.#options;
    let size = 0;
    try {
      for await (const chunk of body ?? []) {
        size += chunk.byteLength;
        if (size > responseBytesMax) {
          const text = `the reply of ${provider} is longer than ${responseBytesMax} bytes. Raise responseBytesMax`;
          throw new ProviderError("reply_too_long", text);
        }
        yield chunk;
      }
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ProviderError) throw cause;
      throw new ProviderError("unavailable", `the connection to ${provider} was lost`, {}, { cause });
    }
  }

  #log(fields: object, message: string): void {
    this.#logger?.debug({ component: this.#options.component, ...fields }, message);
  }

  #withoutKey(text: string): string {
    const { apiKey } = this.#options;
    return apiKey === "" ? text : text.replaceAll(apiKey, "[api key]");
  }
}
