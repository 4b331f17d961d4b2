import type { AgentMemory } from "@membus/agent-client";
import {
  createApp,
  type HttpApp,
  type HttpContext,
  type HttpEnv,
  jsonResponse,
  limitRequests,
  RequestPool,
} from "@membus/http";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import type { MiddlewareHandler } from "hono";
import type { Refusals } from "../health/refusals.js";
import type { ResolvedGatewayOptions } from "../options.js";
import type { TenantClients } from "../tenant-clients.js";
import type { Tokens } from "../tokens.js";
import { Access, type Grant, identityFor, wholeTenant } from "./access.js";
import { EDIT_ROUTES } from "./edits.js";
import { EventReaders } from "./events.js";
import { bodyOf, errorResponse, JSON_BODY, LOGIN_BODY, queryOf } from "./http-json.js";
import { KnownAgents } from "./known-agents.js";
import { NO_AGENT } from "./no-agent.js";
import { PageFiles, securityHeaders } from "./page.js";
import { optionalText, type Query, textField } from "./query-fields.js";
import { USER_EDIT_ROUTES } from "./user.js";
import type { TenantRoutes, ViewRoutes } from "./view-route.js";
import { tenantRoutes, viewRoutes } from "./view-routes.js";

export interface InspectorRoutesDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly refusals: Refusals;
  readonly clients: TenantClients;
  readonly queuedWrites?: (() => Promise<number>) | undefined;
}

interface GrantEnv extends HttpEnv {
  Variables: HttpEnv["Variables"] & { grant: Grant };
}

/** Returns the body of the response. */
type GrantedRoute = (grant: Grant, query: Query) => Promise<unknown>;

const ROOT = "/inspector/";
const REQUESTS_MAX = 64;

/** Serves the inspector page and its API. The API accesses memory in the name of the inspected agent. */
export class InspectorRoutes {
  readonly #clients: TenantClients;
  readonly #options: ResolvedGatewayOptions;
  readonly #refusals: Refusals;
  readonly #isSecure: boolean;
  readonly #access: Access;
  readonly #events: EventReaders;
  readonly #knownAgents: KnownAgents;
  readonly #tenantRoutes: TenantRoutes;
  readonly #viewRoutes: ViewRoutes;
  readonly #page = new PageFiles();
  readonly #pool = new RequestPool({ countMax: REQUESTS_MAX });

  constructor(dependencies: InspectorRoutesDependencies, options: ResolvedGatewayOptions, isSecure: boolean) {
    const { tokens, clock, clients } = dependencies;
    this.#clients = clients;
    this.#options = options;
    this.#refusals = dependencies.refusals;
    this.#isSecure = isSecure;
    this.#access = new Access(tokens, options.tokens.length === 0, clock);
    this.#events = new EventReaders(dependencies);
    this.#knownAgents = new KnownAgents(dependencies.bus, options.prefix);
    const parts = { ...dependencies, prefix: options.prefix };
    this.#tenantRoutes = tenantRoutes(parts, this.#knownAgents);
    this.#viewRoutes = viewRoutes(parts, this.#knownAgents);
  }

  async start(): Promise<void> {
    await this.#page.read();
    this.#events.start();
    await this.#knownAgents.of(this.#options.tenant);
  }

  /** Call it after `start`, because the files of the page are routes. */
  addTo(root: HttpApp): void {
    const app = createApp();
    app.onError((error, c) => errorResponse(c, error));
    for (const path of this.#page.paths) {
      app.get(path, securityHeaders, (c) => {
        // The names of the files change with each build.
        c.set("routeLabel", "/");
        return this.#page.response(c, path);
      });
    }
    const limit = limitRequests(this.#pool, refuseOneMore);
    const common = [securityHeaders, limit] as const;
    // A login takes no place before its body is complete, because any caller can begin one.
    app.post(`${ROOT}session`, securityHeaders, ...LOGIN_BODY, limit, (c) => this.#beginVisit(c));
    app.get(`${ROOT}session`, ...common, this.#requireGrant, (c) =>
      jsonResponse(c, 200, this.#choices(c.get("grant"))),
    );
    app.get(`${ROOT}events`, ...common, this.#requireGrant, (c) => this.#stream(c, c.get("grant")));
    const get = (name: string, route: GrantedRoute) =>
      app.get(ROOT + name, ...common, this.#requireGrant, async (c) =>
        jsonResponse(c, 200, (await route(c.get("grant"), queryOf(c))) as object),
      );
    for (const [name, route] of Object.entries(this.#tenantRoutes)) {
      get(name, (grant, query) => route(wholeTenant(grant, textField(query, "tenant"))));
    }
    for (const [name, route] of Object.entries(this.#viewRoutes)) {
      get(name, async (grant, query) => route(await this.#memoryOf(grant, query), query));
    }
    for (const [name, route] of Object.entries({ ...EDIT_ROUTES, ...USER_EDIT_ROUTES })) {
      app.post(ROOT + name, ...common, this.#requireGrant, this.#requireEdit, ...JSON_BODY, async (c) => {
        const memory = await this.#memoryOf(c.get("grant"), queryOf(c));
        return jsonResponse(c, 200, (await route(memory, bodyOf(c))) as object);
      });
    }
    root.route("/", app);
  }

  async close(): Promise<void> {
    await this.#knownAgents.close();
    await this.#events.close();
  }

  readonly #requireGrant: MiddlewareHandler<GrantEnv> = async (c, next) => {
    const grant = this.#access.grantOf(c.env.incoming);
    if (grant === undefined) return this.#refuse(c);
    c.set("grant", grant);
    return next();
  };

  readonly #requireEdit: MiddlewareHandler<HttpEnv> = (_, next) => {
    if (this.#options.inspectorEdit) return next();
    throw new MemoryError("unauthorized", "the inspector is read-only: start the gateway with --edit");
  };

  #beginVisit(c: HttpContext): Response {
    const { token } = bodyOf(c);
    const cookie = this.#access.begin(typeof token === "string" ? token : "", c.env.incoming, this.#isSecure);
    if (cookie === undefined) return this.#refuse(c);
    c.header("set-cookie", cookie);
    return jsonResponse(c, 200, {});
  }

  /**
   * Returns the tenant and agent that the page shows first, whether they are fixed, whether it may edit, and the prefix of the subjects.
   */
  #choices({ tenant, agent }: Grant): object {
    const { tenant: first, inspectorEdit: edit, prefix } = this.#options;
    const fixed = { tenant: tenant !== undefined, agent: agent !== undefined };
    return { tenant: tenant ?? first, agent: agent ?? "", fixed, edit, prefix };
  }

  /** Streams the events of one agent, or of all agents if the query names none. */
  async #stream(c: HttpContext, grant: Grant): Promise<Response> {
    const query = queryOf(c);
    const agents = optionalText(query, "agent") === undefined ? "all" : "own";
    return this.#events.open(c, await this.#memoryOf(grant, query), agents);
  }

  async #memoryOf(grant: Grant, query: Query): Promise<AgentMemory> {
    const named = optionalText(query, "agent");
    const tenant = textField(query, "tenant");
    // Without an agent the request reads what all agents of the tenant share.
    const identity =
      named === undefined
        ? { tenant: wholeTenant(grant, tenant), agent: NO_AGENT }
        : identityFor(grant, { tenant, agent: named });
    if (named !== undefined) this.#knownAgents.add(identity.tenant, named);
    const memory = await this.#clients.of(identity);
    return memory.forSession(optionalText(query, "session") ?? "");
  }

  #refuse(c: HttpContext): Response {
    this.#refusals.add("unknown_token");
    return jsonResponse(c, 401, {
      error: { code: "unauthorized", message: "a token of the gateway is needed" },
    });
  }
}

function refuseOneMore(): never {
  throw new MemoryError(
    "overloaded",
    `the inspector serves at most ${REQUESTS_MAX} requests at the same time`,
  );
}
