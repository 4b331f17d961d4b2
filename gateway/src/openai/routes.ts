import type { IncomingMessage } from "node:http";
import {
  boundedBody,
  type HttpApp,
  type HttpContext,
  limitRequests,
  RequestPool,
  requireBearer,
} from "@membus/http";
import type { Clock } from "@membus/protocol";
import type { GatewayMetrics } from "../health/gateway-metrics.js";
import type { Refusals } from "../health/refusals.js";
import type { Tokens } from "../tokens.js";
import { Call } from "./call.js";
import { chatCompletions } from "./chat-completions.js";
import type { ModelApi } from "./model-api.js";
import { OpenAiError } from "./openai-error.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";
import { passOn } from "./pass-on.js";
import { responses } from "./responses.js";
import type { TurnMemoryDependencies } from "./turn-memory.js";
import { Turns } from "./turns.js";
import { Upstream } from "./upstream.js";

export interface OpenAiRoutesDependencies extends TurnMemoryDependencies {
  readonly tokens: Tokens;
  readonly metrics: GatewayMetrics;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

interface ModelRequest {
  readonly request: IncomingMessage;
  readonly body: Buffer | undefined;
  readonly call: Call;
  readonly url: URL;
}

type ModelRoute = (request: ModelRequest) => Promise<void>;

const VERSION = "/v1";

/** Passes requests on to a model server, and adds memory to the turns of its conversations. */
export class OpenAiRoutes {
  readonly #dependencies: OpenAiRoutesDependencies;
  readonly #options: ResolvedOpenAiOptions;
  readonly #upstream: Upstream;
  readonly #turns: Turns;
  readonly #pool: RequestPool;

  constructor(dependencies: OpenAiRoutesDependencies, options: ResolvedOpenAiOptions, hasTokens: boolean) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#upstream = new Upstream(options, hasTokens, dependencies.metrics);
    this.#pool = new RequestPool({
      countMax: options.requestCountMax,
      bodyBytesMax: options.requestBytesMax,
      bodiesBytesMax: options.requestsBytesMax,
    });
    this.#turns = new Turns({ ...dependencies, upstream: this.#upstream }, options);
  }

  /** Number of open requests. */
  get requestCount(): number {
    return this.#pool.count;
  }

  /** Bytes that are reserved for the bodies of open requests. */
  get bodyBytes(): number {
    return this.#pool.bodyBytes;
  }

  addTo(app: HttpApp): void {
    const { tokens } = this.#dependencies;
    const post = (path: string, root: string, route: ModelRoute) =>
      app.post(
        VERSION + path,
        requireBearer(
          (token) => tokens.knows(token),
          () => this.#refuseToken(),
        ),
        limitRequests(this.#pool, () => this.#refuseOneMore()),
        boundedBody(this.#options.requestBytesMax, () => this.#refuseBody()),
        (c) => this.#answer(c, root, route),
      );
    const forward: ModelRoute = (request) => this.#forward(request);
    post("/chat/completions/*", "/chat/completions", (request) => this.#turn(chatCompletions, request));
    post("/responses", "/responses", (request) => this.#turn(responses, request));
    for (const root of ["/responses", "/conversations", "/embeddings"]) post(`${root}/*`, root, forward);
    const withoutBody = {
      GET: ["/models", "/responses", "/conversations"],
      DELETE: ["/responses", "/conversations"],
    };
    for (const [method, roots] of Object.entries(withoutBody)) {
      for (const root of roots) {
        app.on(
          method,
          `${VERSION}${root}/*`,
          requireBearer(
            (token) => tokens.knows(token),
            () => this.#refuseToken(),
          ),
          limitRequests(this.#pool, () => this.#refuseOneMore()),
          (c) => this.#answer(c, root, forward),
        );
      }
    }
  }

  /** Starts the answer, and returns its response when it begins. */
  async #answer(c: HttpContext, root: string, route: ModelRoute): Promise<Response> {
    const { incoming } = c.env;
    const url = this.#upstream.urlOf(root, incoming.url!.slice(VERSION.length));
    if (url === undefined) return c.notFound();
    const { clock, logger } = this.#dependencies;
    const call = new Call(c, clock, this.#options.upstreamTimeoutMs);
    const request = { request: incoming, body: c.get("body")?.bytes, call, url };
    const work = route(request)
      .catch((error: unknown) => {
        const failure = failureOf(error, call);
        const isAborted = call.signal.aborted && !call.isLate;
        if (!isAborted)
          logger.warn({ code: failure.code, cause: causeOf(error) }, "a request to the model server failed");
        call.fail(failure.toResponse());
      })
      .finally(() => call.end());
    c.get("openRequest").addWork(work);
    return call.response;
  }

  #turn(api: ModelApi, { body, ...request }: ModelRequest): Promise<void> {
    return this.#turns.answer({ ...request, api, body: body! });
  }

  async #forward({ url, request, body, call }: ModelRequest): Promise<void> {
    await passOn(await this.#upstream.ask(url, request, body, call), call, "off");
  }

  #refuseToken(): Response {
    this.#dependencies.refusals.add("unknown_token");
    return new OpenAiError(401, "invalid_api_key", "the gateway does not know this token").toResponse();
  }

  #refuseOneMore(): Response {
    this.#dependencies.refusals.add("model_requests");
    return new OpenAiError(503, "overloaded", "the gateway has too many requests under way").toResponse();
  }

  #refuseBody(): Response {
    this.#dependencies.refusals.add("model_request_bytes");
    const message = `a request has at most ${this.#options.requestBytesMax} bytes`;
    return new OpenAiError(413, "request_too_large", message).toResponse();
  }
}

function failureOf(error: unknown, call: Call): OpenAiError {
  if (error instanceof OpenAiError) return error;
  if (call.isLate) return new OpenAiError(504, "upstream_timeout", "the model server does not answer");
  return new OpenAiError(502, "upstream_unavailable", "the model server cannot be reached", { cause: error });
}

/** Returns the error of the network, without anything that was sent. */
function causeOf(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  return (cause as { readonly code?: string }).code ?? (cause as Error).name;
}
