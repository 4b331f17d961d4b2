import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@membus/protocol";
import type { Figures } from "../health/figures.js";
import type { Refusals } from "../health/refusals.js";
import { bearerOf } from "../http/bearer.js";
import { readBody } from "../http/body.js";
import { BodyClaims } from "../http/body-claims.js";
import type { Route } from "../http/http-server.js";
import type { Tokens } from "../tokens.js";
import { Call } from "./call.js";
import { chatCompletions } from "./chat-completions.js";
import type { ModelApi } from "./model-api.js";
import { answerError, OpenAiError } from "./openai-error.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";
import { passOn } from "./pass-on.js";
import { responses } from "./responses.js";
import type { TurnMemoryDependencies } from "./turn-memory.js";
import { Turns } from "./turns.js";
import { Upstream } from "./upstream.js";

export interface OpenAiRoutesDependencies extends TurnMemoryDependencies {
  readonly tokens: Tokens;
  readonly figures: Figures;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

/** Behind the version: what is asked for, and what of it. */
const TARGET = /^\/v1((\/[^/?]+(?:\/completions)?)([^?]*)(?:\?.*)?)$/;

type ModelRoute = (request: IncomingMessage, call: Call, url: URL) => Promise<void>;

/** The API of a model server, passed on to it; its turns with a memory. */
export class OpenAiRoutes {
  readonly #dependencies: OpenAiRoutesDependencies;
  readonly #options: ResolvedOpenAiOptions;
  readonly #upstream: Upstream;
  readonly #turns: Turns;
  readonly #work = new Set<Promise<void>>();
  readonly #claims: BodyClaims;

  constructor(dependencies: OpenAiRoutesDependencies, options: ResolvedOpenAiOptions, hasTokens: boolean) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#upstream = new Upstream(options, hasTokens, dependencies.figures);
    this.#claims = new BodyClaims(options.requestBytesMax, options.requestsBytesMax);
    this.#turns = new Turns({ ...dependencies, upstream: this.#upstream }, options);
  }

  /** How many requests are under way. */
  get requestCount(): number {
    return this.#work.size;
  }

  /** What the bodies of requests under way take. */
  get claimedBytes(): number {
    return this.#claims.bytes;
  }

  /** Undefined for a path that is not passed on. `target` may have a query. */
  find(method: string | undefined, target: string): Route | undefined {
    const [, path, root, rest] = TARGET.exec(target) ?? [];
    const route = this.#routeOf(`${method} ${root}`, rest === "");
    if (path === undefined || root === undefined || route === undefined) return undefined;
    const url = this.#upstream.urlOf(root, path);
    if (url === undefined) return undefined;
    return {
      name: `/v1${root}`,
      answer: (request, response) => this.#answer(request, response, (call) => route(request, call, url)),
    };
  }

  /** Resolves when every request is answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }

  /** @param isWhole whether nothing stands behind the name. */
  #routeOf(name: string, isWhole: boolean): ModelRoute | undefined {
    switch (name) {
      case "POST /chat/completions":
        return (request, call, url) => this.#turn(chatCompletions, request, call, url);
      case "POST /responses":
        if (isWhole) return (request, call, url) => this.#turn(responses, request, call, url);
        return (request, call, url) => this.#forwardBody(request, call, url);
      case "POST /conversations":
      case "POST /embeddings":
        return (request, call, url) => this.#forwardBody(request, call, url);
      case "GET /models":
      case "GET /responses":
      case "DELETE /responses":
      case "GET /conversations":
      case "DELETE /conversations":
        return (request, call, url) => this.#forward(request, undefined, call, url);
      default:
        return undefined;
    }
  }

  async #turn(api: ModelApi, request: IncomingMessage, call: Call, url: URL): Promise<void> {
    await this.#turns.answer({ api, request, body: await this.#bodyOf(request), call, url });
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (call: Call) => Promise<void>,
  ): Promise<void> {
    const admitted = this.#admit(request);
    if (admitted instanceof OpenAiError) return answerError(response, admitted);
    const { clock, logger } = this.#dependencies;
    const call = new Call(response, clock, this.#options.upstreamTimeoutMs);
    const work = answer(call).catch((error: unknown) => {
      if (call.signal.aborted && !call.isLate) return;
      const failure = failureOf(error, call);
      logger.warn({ code: failure.code, cause: causeOf(error) }, "a request to the model server failed");
      answerError(response, failure);
      // A stream that was cut off is seen as one.
      if (!response.writableEnded) response.destroy();
    });
    this.#work.add(work);
    await work;
    this.#work.delete(work);
    admitted();
    call.end();
  }

  /** @returns what ends its claim, or why it is refused. */
  #admit(request: IncomingMessage): (() => void) | OpenAiError {
    const { tokens, refusals } = this.#dependencies;
    if (!tokens.knows(bearerOf(request.headers))) {
      refusals.add("unknown_token");
      return new OpenAiError(401, "invalid_api_key", "the gateway does not know this token");
    }
    const hasRoom = this.#work.size < this.#options.requestCountMax;
    const endClaim = hasRoom ? this.#claims.take(request) : undefined;
    if (endClaim !== undefined) return endClaim;
    refusals.add("model_requests");
    return new OpenAiError(503, "overloaded", "the gateway has too many requests under way");
  }

  async #bodyOf(request: IncomingMessage): Promise<Buffer> {
    const { requestBytesMax } = this.#options;
    const { bytes, isWhole } = await readBody(request, requestBytesMax);
    if (isWhole) return bytes;
    this.#dependencies.refusals.add("model_request_bytes");
    throw new OpenAiError(413, "request_too_large", `a request has at most ${requestBytesMax} bytes`);
  }

  async #forwardBody(request: IncomingMessage, call: Call, url: URL): Promise<void> {
    await this.#forward(request, await this.#bodyOf(request), call, url);
  }

  async #forward(request: IncomingMessage, body: Buffer | undefined, call: Call, url: URL): Promise<void> {
    await passOn(await this.#upstream.ask(url, request, body, call), call, "off");
  }
}

function failureOf(error: unknown, call: Call): OpenAiError {
  if (error instanceof OpenAiError) return error;
  if (call.isLate) return new OpenAiError(504, "upstream_timeout", "the model server does not answer");
  return new OpenAiError(502, "upstream_unavailable", "the model server cannot be reached", { cause: error });
}

/** What the network said, without what was sent. */
function causeOf(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  return (cause as { readonly code?: string }).code ?? (cause as Error).name;
}
