import {
  addHealthRoutes,
  type CallerRules,
  checkCaller,
  createApp,
  HEALTH_PATHS,
  type HttpApp,
  type HttpServer,
  headOnlyFor,
  hostnameOf,
  isLoopback,
  isResourceMetadata,
  jsonResponse,
  listen,
  RequestTracker,
  requireBearer,
  type TlsFiles,
  textResponse,
} from "@membus/http";
import { type Clock, isMemoryError, silentLogger, systemClock, withTimeout } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { Dispatcher } from "./a2e/dispatcher.js";
import { A2E_TIMEOUT_MS, Memories } from "./a2e/memories.js";
import { Outbox } from "./a2e/outbox.js";
import { Relay } from "./a2e/relay.js";
import { A2eRoutes } from "./a2e/routes.js";
import { type KeyValueBucket, SessionBucket } from "./a2e/session-bucket.js";
import { SessionFiles } from "./a2e/session-files.js";
import { Sessions } from "./a2e/sessions.js";
import { GatewayMetrics, type Gauges } from "./health/gateway-metrics.js";
import { Readiness } from "./health/readiness.js";
import { Refusals } from "./health/refusals.js";
import { InspectorRoutes } from "./inspector/routes.js";
import { MCP_TIMEOUT_MS, McpRoutes } from "./mcp/routes.js";
import { OpenAiRoutes } from "./openai/routes.js";
import { OPENAPI_PAGE_PATH, OPENAPI_PATH, openApiDocument } from "./openapi/openapi-document.js";
import { openApiPage, PAGE_HEADERS } from "./openapi/openapi-page.js";
import {
  type GatewayOptions,
  type ResolvedGatewayOptions,
  resolveGatewayOptions,
  TOKENS_MAX,
} from "./options.js";
import { TenantClients } from "./tenant-clients.js";
import { Tokens } from "./tokens.js";
import { VERSION } from "./version.js";

export interface GatewayDependencies {
  /** A connection that may publish for all agents of the gateway. The caller closes it. */
  readonly bus: Bus;
  /** A folder or a JetStream bucket for sessions, which outlive the process. Gateways behind one address share it. */
  readonly sessions: string | KeyValueBucket;
  /** Serves HTTPS. */
  readonly tls?: TlsFiles | undefined;
  /** Returns the number of writes on this machine that wait for the host. The inspector shows it. */
  readonly queuedWrites?: (() => Promise<number>) | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const INSPECTOR_TIMEOUT_MS = 5_000;
const INSPECTED_TENANTS_MAX = 100;
const CONNECTIONS_MAX = 20_000;
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  /** Interval in which node:http checks the first two. */
  connectionsCheckingInterval: 5_000,
};

/** Serves the bus over HTTP. It is a client of the bus. */
export class Gateway {
  readonly #options: ResolvedGatewayOptions;
  readonly #dependencies: GatewayDependencies;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #tokens: Tokens;
  readonly #sessions: Sessions;
  readonly #a2eClients: TenantClients;
  readonly #clients: readonly TenantClients[];
  readonly #outbox: Outbox;
  readonly #a2e: A2eRoutes;
  readonly #openAi: OpenAiRoutes | undefined;
  readonly #metrics: GatewayMetrics;
  readonly #refusals: Refusals;
  readonly #inspector: InspectorRoutes | undefined;
  readonly #mcp: McpRoutes | undefined;
  readonly #tracker: RequestTracker;
  #isStopping = false;
  #server: HttpServer | undefined;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(dependencies: GatewayDependencies, options: GatewayOptions = {}) {
    const { bus, sessions, clock = systemClock, logger = silentLogger } = dependencies;
    this.#options = resolveGatewayOptions(options);
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#logger = logger;
    this.#metrics = new GatewayMetrics(() => this.#gauges());
    this.#refusals = new Refusals(this.#metrics, clock, logger);
    this.#tracker = new RequestTracker(clock, ({ route, status, seconds }) =>
      this.#metrics.requestEnded(route, status, seconds),
    );
    const { prefix, openai, oauth, tokens: given, sessionIdleS, sessionCountMax } = this.#options;
    const tokens = new Tokens(this.#options);
    this.#tokens = tokens;
    const shared = { clock, logger, metrics: this.#metrics, refusals: this.#refusals, tokens };
    const store =
      typeof sessions === "string"
        ? new SessionFiles(sessions, sessionIdleS, clock)
        : new SessionBucket(sessions);
    this.#sessions = new Sessions(store, sessionCountMax, {
      ...{ clock, logger },
      onEnded: (digest) => this.#outbox.end(digest),
    });
    const clientsOf = (timeoutMs: number, tenantsMax = TOKENS_MAX) =>
      new TenantClients({ bus, clock, logger }, { prefix, timeoutMs, tenantsMax });
    this.#a2eClients = clientsOf(A2E_TIMEOUT_MS);
    this.#outbox = new Outbox(new Relay(bus, this.#options.relayPrefix), clock);
    const memories = new Memories(this.#a2eClients);
    const dispatcher = new Dispatcher({ ...shared, memories, sessions: this.#sessions });
    this.#a2e = new A2eRoutes(
      { ...shared, sessions: this.#sessions, dispatcher, outbox: this.#outbox },
      this.#options,
    );
    const modelClients = openai && clientsOf(openai.memoryTimeoutMs);
    this.#openAi =
      openai &&
      new OpenAiRoutes(
        { ...shared, clients: modelClients! },
        openai,
        given.length > 0 || oauth !== undefined,
      );
    // Without tokens a caller may name any tenant.
    const inspectorClients = clientsOf(INSPECTOR_TIMEOUT_MS, INSPECTED_TENANTS_MAX);
    this.#inspector = this.#options.inspector
      ? new InspectorRoutes(
          { ...shared, bus, clients: inspectorClients, queuedWrites: dependencies.queuedWrites },
          this.#options,
          dependencies.tls !== undefined,
        )
      : undefined;
    const mcpClients = clientsOf(MCP_TIMEOUT_MS);
    this.#mcp = this.#options.mcp
      ? new McpRoutes({ ...shared, clients: mcpClients }, this.#options)
      : undefined;
    this.#clients = [
      ...[this.#a2eClients, inspectorClients, mcpClients],
      ...(modelClients ? [modelClients] : []),
    ];
  }

  get streamCount(): number {
    return this.#outbox.streamCount + (this.#mcp?.streamCount ?? 0);
  }

  /** Number of open requests to the model server. */
  get modelRequestCount(): number {
    return this.#openAi?.requestCount ?? 0;
  }

  /** Whether it serves the inspector page at its address. */
  get hasInspector(): boolean {
    return this.#inspector !== undefined;
  }

  /**
   * Listens, and returns the URL of the gateway.
   * @throws {MemoryError} `unavailable` if it cannot listen.
   */
  async start(): Promise<string> {
    await this.#sessions.open();
    this.#outbox.start();
    await this.#inspector?.start();
    await this.#dependencies.bus.flush();
    this.#server = await listen(this.#app(), {
      host: this.#options.host,
      port: this.#options.port,
      tls: this.#dependencies.tls,
      connectionsMax: CONNECTIONS_MAX,
      limits: LIMITS,
      onRefused: (cause) => this.#refusals.add(cause),
    });
    return this.#server.url;
  }

  /** Answers the open requests, ends the streams, and closes. Sessions stay. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const drain = async () => {
      await withTimeout(this.#clock, this.#options.drainTimeoutMs, this.#tracker.idle());
      await Promise.all([this.#outbox.close(), this.#inspector?.close(), this.#mcp?.close()]);
    };
    if (this.#server === undefined) await drain();
    else await this.#server.close(drain);
    this.#sessions.close();
    for (const clients of this.#clients) await clients.close();
  }

  #app(): HttpApp {
    const app = createApp();
    app.use(
      this.#tracker.middleware,
      checkCaller(callerRules(this.#options), (c, cause) => {
        this.#refusals.add(cause);
        return jsonResponse(c, 403, { error: cause.replace("_", " ") });
      }),
      headOnlyFor(HEALTH_PATHS),
    );
    this.#a2e.addTo(app);
    this.#addHealth(app);
    this.#inspector?.addTo(app);
    this.#mcp?.addTo(app);
    this.#openAi?.addTo(app);
    app.get(OPENAPI_PATH, (c) => jsonResponse(c, 200, description));
    app.get(OPENAPI_PAGE_PATH, async (c) => c.body(await openApiPage(description), 200, PAGE_HEADERS));
    const description = openApiDocument(app.routes, VERSION);
    app.notFound((c) => jsonResponse(c, 404, { error: this.#pathError(c.req.path) }));
    app.onError((error, c) => {
      const { incoming } = c.env;
      // The client left while it sent its request. No client reads the response.
      if (incoming.destroyed && !incoming.complete) return c.body(null, 400);
      this.#logger.error({ err: error }, "failed to answer a request");
      if (isMemoryError(error)) return jsonResponse(c, 503, { error: error.message });
      return jsonResponse(c, 500, { error: "the gateway failed" });
    });
    return app;
  }

  #addHealth(app: HttpApp): void {
    const { tokens: given, tenant: open, host } = this.#options;
    const { bus } = this.#dependencies;
    const tenant = given[0]?.tenant ?? open;
    const readiness = new Readiness({
      ...{ bus, clock: this.#clock, isStopping: () => this.#isStopping },
      memory: () => this.#a2eClients.of({ tenant, agent: "gateway" }),
    });
    const guard = requireBearer(
      (token) => isLoopback(host) || this.#tokens.knows(token),
      (c) => {
        this.#refusals.add("unknown_token");
        return textResponse(c, 401, "the metrics need a token of the gateway");
      },
    );
    const sources = {
      notReady: () => readiness.problem(),
      metricsType: this.#metrics.contentType,
      metrics: () => this.#metrics.text(),
    };
    addHealthRoutes(app, sources, guard);
  }

  #gauges(): Gauges {
    const { replies, streams } = this.#outbox.waitingBytes;
    const mcp = this.#mcp?.waitingBytes ?? { answers: 0, streams: 0 };
    const waitingBytes = {
      replies,
      answers: mcp.answers,
      streams: streams + mcp.streams,
      bodies: this.#a2e.bodyBytes + (this.#openAi?.bodyBytes ?? 0) + (this.#mcp?.bodyBytes ?? 0),
    };
    return { streams: this.streamCount, sessions: this.#sessions.count, waitingBytes };
  }

  /** Explains the 404 of a request to OpenAI's API, if the gateway has no model server. */
  #pathError(path: string): string {
    const needsModel = this.#openAi === undefined && path.startsWith("/v1/");
    return needsModel
      ? "no such path: /v1 needs a model server, set by --openai or `gateway.openai`"
      : "no such path";
  }
}

/** The inspector page is allowed as an origin if its host is a name of the gateway. */
function callerRules({
  hosts,
  origins,
  oauth,
}: Pick<ResolvedGatewayOptions, "hosts" | "origins" | "oauth">): CallerRules {
  const isName = (host: string) => isLoopback(hostnameOf(host)) || hosts.includes(hostnameOf(host));
  return {
    isHostAllowed: (host) => isName(host) || hosts.includes("*"),
    isOriginAllowed: (origin, host) => {
      // Behind a proxy the scheme of the page may differ.
      const isOwnPage = isName(host) && [`http://${host}`, `https://${host}`].includes(origin);
      return isOwnPage || origins.includes(origin);
    },
    isPublic: (path) => oauth !== undefined && isResourceMetadata(path),
  };
}
