import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type Bus, type Clock, type Logger, silentLogger, systemClock, within } from "@membus/protocol";
import { Dispatcher } from "./a2e/dispatcher.js";
import { A2E_TIMEOUT_MS, Memories } from "./a2e/memories.js";
import { Outbox } from "./a2e/outbox.js";
import { Relay } from "./a2e/relay.js";
import { A2eRoutes } from "./a2e/routes.js";
import { SessionFiles } from "./a2e/sessions.js";
import { refusalOf } from "./http/guard.js";
import { answerJson, listen, type TlsFiles, urlOf } from "./http/http-server.js";
import { InspectorRoutes } from "./inspector/routes.js";
import { OpenAiRoutes } from "./openai/routes.js";
import {
  type GatewayOptions,
  type ResolvedGatewayOptions,
  resolveGatewayOptions,
  TOKENS_MAX,
} from "./options.js";
import { TenantClients } from "./tenant-clients.js";
import { Tokens } from "./tokens.js";

export interface GatewayDependencies {
  /** Stays its owner's. Its connection speaks for all agents that the gateway lets in. */
  readonly bus: Bus;
  /** Of the sessions, which outlive the process. Gateways behind one address share it. */
  readonly directory: string;
  /** Serves HTTPS. */
  readonly tls?: TlsFiles | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const INSPECTOR_TIMEOUT_MS = 5_000;
const INSPECTED_TENANTS_MAX = 100;

/** HTTP in front of the bus: a client of it like any other. */
export class Gateway {
  readonly #options: ResolvedGatewayOptions;
  readonly #dependencies: GatewayDependencies;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sessions: SessionFiles;
  readonly #clients: readonly TenantClients[];
  readonly #outbox: Outbox;
  readonly #routes: A2eRoutes;
  readonly #openAi: OpenAiRoutes | undefined;
  readonly #inspector: InspectorRoutes | undefined;
  #server: Server | undefined;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(dependencies: GatewayDependencies, options: GatewayOptions = {}) {
    const { bus, directory, clock = systemClock, logger = silentLogger } = dependencies;
    this.#options = resolveGatewayOptions(options);
    this.#dependencies = dependencies;
    this.#clock = clock;
    this.#logger = logger;
    const shared = { clock, logger };
    this.#sessions = new SessionFiles(directory, this.#options, clock);
    const { prefix, openai, tokens: given } = this.#options;
    const clientsOf = (timeoutMs: number, tenantsMax = TOKENS_MAX) =>
      new TenantClients({ ...shared, bus }, { prefix, timeoutMs, tenantsMax });
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
          { bus, clock, tokens, clients: inspectorClients },
          this.#options,
          dependencies.tls !== undefined,
        )
      : undefined;
    this.#clients = [clients, inspectorClients, ...(modelClients === undefined ? [] : [modelClients])];
  }

  get streamCount(): number {
    return this.#outbox.streamCount;
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
    this.#inspector?.start();
    await this.#dependencies.bus.flush();
    const { tls } = this.#dependencies;
    const { host, port } = this.#options;
    this.#server = await listen({ host, port, tls }, (request, response) => this.#answer(request, response));
    return urlOf(this.#server, tls !== undefined);
  }

  /** Answers what is under way, ends the streams, and closes. The sessions stay. */
  async stop(): Promise<void> {
    const closed = this.#server && new Promise((resolve) => this.#server!.close(resolve));
    const idle = Promise.all([this.#routes.idle(), this.#openAi?.idle(), this.#inspector?.idle()]);
    await within(this.#clock, this.#options.drainTimeoutMs, idle);
    await Promise.all([this.#outbox.close(), this.#inspector?.close()]);
    this.#server?.closeAllConnections();
    await closed;
    this.#sessions.close();
    for (const clients of this.#clients) await clients.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = refusalOf(request, this.#options);
      if (refusal !== undefined) return answerJson(response, 403, { error: refusal });
      const { method, url = "" } = request;
      const path = url.split("?")[0]!;
      const route =
        this.#routes.find(method, path) ??
        this.#inspector?.find(method, path) ??
        this.#openAi?.find(method, url);
      if (route === undefined) return answerJson(response, 404, { error: "no such path" });
      await route(request, response);
    } catch (error) {
      // One that goes away in the middle of its request is nobody's fault.
      if (request.destroyed && !request.complete) return;
      this.#logger.error({ err: error }, "a request was not answered");
      answerJson(response, 500, { error: "the gateway failed" });
    }
  }
}
