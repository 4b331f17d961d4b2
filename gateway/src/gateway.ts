import type { IncomingMessage, Server, ServerResponse } from "node:http";
import {
  type Bus,
  type Clock,
  isMemoryError,
  type Logger,
  silentLogger,
  systemClock,
  within,
} from "@membus/protocol";
import { Dispatcher } from "./a2e/dispatcher.js";
import { A2E_TIMEOUT_MS, Memories } from "./a2e/memories.js";
import { Outbox } from "./a2e/outbox.js";
import { Relay } from "./a2e/relay.js";
import { A2eRoutes } from "./a2e/routes.js";
import { type KeyValueBucket, SessionBucket } from "./a2e/session-bucket.js";
import { SessionFiles } from "./a2e/session-files.js";
import { Sessions } from "./a2e/sessions.js";
import { Figures, type Levels, type RefusalCause } from "./health/figures.js";
import { Readiness } from "./health/readiness.js";
import { Refusals } from "./health/refusals.js";
import { HealthRoutes } from "./health/routes.js";
import { refusalOf } from "./http/guard.js";
import { answerJson, listen, type Route, type TlsFiles, urlOf } from "./http/http-server.js";
import { InspectorRoutes } from "./inspector/routes.js";
import { MCP_STREAM, MCP_TIMEOUT_MS, McpRoutes } from "./mcp/routes.js";
import { OpenAiRoutes } from "./openai/routes.js";
import {
  type GatewayOptions,
  isLoopback,
  type ResolvedGatewayOptions,
  resolveGatewayOptions,
  TOKENS_MAX,
} from "./options.js";
import { TenantClients } from "./tenant-clients.js";
import { Tokens } from "./tokens.js";

export interface GatewayDependencies {
  /** Stays its owner's. Its connection speaks for all agents that the gateway lets in. */
  readonly bus: Bus;
  /**
   * Where sessions are kept, as they outlive the process: a folder, or a bucket of JetStream. Gateways behind one address
   * share it.
   */
  readonly sessions: string | KeyValueBucket;
  /** Serves HTTPS. */
  readonly tls?: TlsFiles | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const INSPECTOR_TIMEOUT_MS = 5_000;
const INSPECTED_TENANTS_MAX = 100;
/** They last as long as their readers like. */
const STREAMS: ReadonlySet<string> = new Set(["/stream", "/inspector/events", MCP_STREAM]);

/** HTTP in front of the bus: a client of it like any other. */
export class Gateway {
  readonly #options: ResolvedGatewayOptions;
  readonly #dependencies: GatewayDependencies;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sessions: Sessions;
  readonly #clients: readonly TenantClients[];
  readonly #outbox: Outbox;
  readonly #routes: A2eRoutes;
  readonly #openAi: OpenAiRoutes | undefined;
  readonly #health: HealthRoutes;
  readonly #figures: Figures;
  readonly #refusals: Refusals;
  readonly #inspector: InspectorRoutes | undefined;
  readonly #mcp: McpRoutes | undefined;
  #isStopping = false;
  #server: Server | undefined;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(dependencies: GatewayDependencies, options: GatewayOptions = {}) {
    const { bus, sessions, clock = systemClock, logger = silentLogger } = dependencies;
    this.#options = resolveGatewayOptions(options);
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#logger = logger;
    this.#figures = new Figures(() => this.#levels());
    this.#refusals = new Refusals(this.#figures, clock, logger);
    const shared = { clock, logger, figures: this.#figures, refusals: this.#refusals };
    const { prefix, openai, tokens: given, sessionIdleS, sessionCountMax } = this.#options;
    const store =
      typeof sessions === "string"
        ? new SessionFiles(sessions, sessionIdleS, clock)
        : new SessionBucket(sessions);
    this.#sessions = new Sessions(store, sessionCountMax, { clock, logger });
    const clientsOf = (timeoutMs: number, tenantsMax = TOKENS_MAX) =>
      new TenantClients({ bus, clock, logger }, { prefix, timeoutMs, tenantsMax });
    const clients = clientsOf(A2E_TIMEOUT_MS);
    this.#outbox = new Outbox(new Relay(bus, this.#options.relayPrefix), clock);
    const tokens = new Tokens(this.#options);
    const dispatcher = new Dispatcher({
      ...shared,
      tokens,
      memories: new Memories(clients),
      sessions: this.#sessions,
    });
    this.#routes = new A2eRoutes(
      { ...shared, sessions: this.#sessions, dispatcher, outbox: this.#outbox },
      this.#options,
    );
    const modelClients = openai && clientsOf(openai.memoryTimeoutMs);
    this.#openAi =
      openai && new OpenAiRoutes({ ...shared, tokens, clients: modelClients! }, openai, given.length > 0);
    // Without tokens anybody names any tenant.
    const inspectorClients = clientsOf(INSPECTOR_TIMEOUT_MS, INSPECTED_TENANTS_MAX);
    this.#inspector = this.#options.inspector
      ? new InspectorRoutes(
          { bus, clock, tokens, refusals: this.#refusals, clients: inspectorClients },
          this.#options,
          dependencies.tls !== undefined,
        )
      : undefined;
    const mcpClients = clientsOf(MCP_TIMEOUT_MS);
    this.#mcp = this.#options.mcp
      ? new McpRoutes({ ...shared, tokens, clients: mcpClients }, this.#options)
      : undefined;
    this.#clients = [clients, inspectorClients, mcpClients, ...(modelClients ? [modelClients] : [])];
    this.#health = this.#healthRoutes(clients, tokens);
  }

  get streamCount(): number {
    return this.#outbox.streamCount + (this.#mcp?.streamCount ?? 0);
  }

  /** Requests to the model server that are under way. */
  get modelRequestCount(): number {
    return this.#openAi?.requestCount ?? 0;
  }

  /**
   * Listens.
   * @returns its URL.
   * @throws {MemoryError} `unavailable` where it cannot.
   */
  async start(): Promise<string> {
    await this.#sessions.open();
    this.#outbox.start();
    await this.#inspector?.start();
    await this.#dependencies.bus.flush();
    const { tls } = this.#dependencies;
    const { host, port } = this.#options;
    const listener = { host, port, tls, onRefused: (cause: RefusalCause) => this.#refusals.add(cause) };
    this.#server = await listen(listener, (request, response) => this.#answer(request, response));
    return urlOf(this.#server, tls !== undefined);
  }

  /** Answers what is under way, ends the streams, and closes. The sessions stay. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#server && new Promise((resolve) => this.#server!.close(resolve));
    const rooms = [this.#routes, this.#openAi, this.#inspector, this.#mcp];
    const idle = Promise.all(rooms.map((room) => room?.idle()));
    await within(this.#clock, this.#options.drainTimeoutMs, idle);
    await Promise.all([this.#outbox.close(), this.#inspector?.close(), this.#mcp?.close()]);
    this.#server?.closeAllConnections();
    await closed;
    this.#sessions.close();
    for (const clients of this.#clients) await clients.close();
  }

  #healthRoutes(clients: TenantClients, tokens: Tokens): HealthRoutes {
    const { tokens: given, tenant: open, host } = this.#options;
    const { bus } = this.#dependencies;
    const tenant = given[0]?.tenant ?? open;
    const readiness = new Readiness({
      ...{ bus, clock: this.#clock, isStopping: () => this.#isStopping },
      memory: () => clients.of({ tenant, agent: "gateway" }),
    });
    return new HealthRoutes({
      notReady: () => readiness.problem(),
      figuresType: this.#figures.contentType,
      figures: () => this.#figures.text(),
      tokens: isLoopback(host) ? undefined : tokens,
      refusals: this.#refusals,
    });
  }

  #levels(): Levels {
    const { replies, streams } = this.#outbox.waitingBytes;
    const mcp = this.#mcp?.waitingBytes ?? { answers: 0, streams: 0 };
    const waitingBytes = {
      replies,
      answers: mcp.answers,
      streams: streams + mcp.streams,
      bodies: (this.#openAi?.claimedBytes ?? 0) + (this.#mcp?.claimedBytes ?? 0),
    };
    return { streams: this.streamCount, sessions: this.#sessions.count, waitingBytes };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = this.#find(request);
    this.#countAtEnd(response, route?.name ?? "none");
    try {
      const refusal = refusalOf(request, this.#options);
      if (refusal !== undefined) {
        this.#refusals.add(refusal);
        return answerJson(response, 403, { error: refusal.replace("_", " ") });
      }
      if (route === undefined) return answerJson(response, 404, { error: this.#pathError(request) });
      await route.answer(request, response);
    } catch (error) {
      // One that goes away in the middle of its request is nobody's fault.
      if (request.destroyed && !request.complete) return;
      this.#logger.error({ err: error }, "a request was not answered");
      if (isMemoryError(error)) return answerJson(response, 503, { error: error.message });
      answerJson(response, 500, { error: "the gateway failed" });
    }
  }

  #find({ method, url = "", headers }: IncomingMessage): Route | undefined {
    const path = url.split("?")[0]!;
    return (
      this.#routes.find(method, path) ??
      this.#health.find(method, path) ??
      this.#inspector?.find(method, path) ??
      this.#mcp?.find(path, headers) ??
      this.#openAi?.find(method, url)
    );
  }

  /** Who sends a request of OpenAI's to a gateway without a model server has the right path. */
  #pathError({ url = "" }: IncomingMessage): string {
    const needsModel = this.#openAi === undefined && url.startsWith("/v1/");
    return needsModel
      ? "no such path: /v1 needs a model server, by --openai or `gateway.openai`"
      : "no such path";
  }

  #countAtEnd(response: ServerResponse, route: string): void {
    const begunAt = this.#clock.now();
    response.once("close", () => {
      const status = response.headersSent ? response.statusCode : "aborted";
      const seconds = STREAMS.has(route) ? undefined : this.#clock.now() - begunAt;
      this.#figures.requestEnded(route, status, seconds);
    });
  }
}
