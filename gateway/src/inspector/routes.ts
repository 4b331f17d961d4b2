import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentMemory } from "@membus/agent-client";
import { type Bus, type Clock, MemoryError } from "@membus/protocol";
import type { Refusals } from "../health/refusals.js";
import { type Answer, answerJson, type Route } from "../http/http-server.js";
import type { ResolvedGatewayOptions } from "../options.js";
import type { TenantClients } from "../tenant-clients.js";
import type { Tokens } from "../tokens.js";
import { Access, type Grant, identityFor, wholeTenant } from "./access.js";
import { EDIT_ROUTES } from "./edits.js";
import { EventReaders } from "./events.js";
import { answerFailure, bodyOf, queryOf } from "./http-json.js";
import { PageFiles, setSecurityHeaders } from "./page.js";
import { optionalText, type Query, textField } from "./query-fields.js";
import { type TenantRoutes, tenantRoutes, VIEW_ROUTES } from "./view-routes.js";

export interface InspectorRoutesDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly refusals: Refusals;
  readonly clients: TenantClients;
}

/** What is asked by whom. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: Query;
  readonly grant: Grant;
}
/** Gives the answer, unless it has begun one itself. */
type GrantedRoute = (asked: Asked) => Promise<unknown>;

const ROOT = "/inspector/";
const REQUESTS_MAX = 64;
/** Who asks where no agent is named: one with no memory of its own, for what all of a tenant share. */
const NO_AGENT = "inspector";

/** The page that shows what is remembered, and what it reads: a client of the bus, in the name of the agent that is looked at. */
export class InspectorRoutes {
  readonly #clients: TenantClients;
  readonly #options: ResolvedGatewayOptions;
  readonly #refusals: Refusals;
  readonly #isSecure: boolean;
  readonly #access: Access;
  readonly #events: EventReaders;
  readonly #ofTenant: TenantRoutes;
  readonly #page = new PageFiles();
  readonly #work = new Set<Promise<void>>();

  constructor(dependencies: InspectorRoutesDependencies, options: ResolvedGatewayOptions, isSecure: boolean) {
    const { tokens, clock, clients } = dependencies;
    this.#clients = clients;
    this.#options = options;
    this.#refusals = dependencies.refusals;
    this.#isSecure = isSecure;
    this.#access = new Access(tokens, options.tokens.length === 0, clock);
    this.#events = new EventReaders(dependencies);
    this.#ofTenant = tenantRoutes({ ...dependencies, prefix: options.prefix });
  }

  async start(): Promise<void> {
    await this.#page.read();
    this.#events.start();
  }

  /** Undefined for a path that is not the inspector's. */
  find(method: string | undefined, path: string): Route | undefined {
    const page = this.#pageAnswer(method, path);
    const route = page ?? this.#apiAnswer(method, path);
    if (route === undefined) return undefined;
    const answer: Answer = async (request, response) => {
      setSecurityHeaders(response);
      await route(request, response);
    };
    // Figures count the page as one: the names of its files change with each build.
    return { name: page === undefined ? path : "/", answer };
  }

  /** Resolves when every request is answered. Streams go on. */
  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }

  async close(): Promise<void> {
    await this.#events.close();
  }

  #pageAnswer(method: string | undefined, path: string): Answer | undefined {
    if (method !== "GET" || !this.#page.has(path)) return undefined;
    return async (request, response) => this.#page.answer(request, response, path);
  }

  #apiAnswer(method: string | undefined, path: string): Answer | undefined {
    const name = path.startsWith(ROOT) ? path.slice(ROOT.length) : "";
    const route = `${method} ${name}` === "POST session" ? this.#beginVisit : this.#withGrant(method, name);
    return route && ((request, response) => this.#answer(request, response, route.bind(this)));
  }

  /** What is answered to those alone who may ask. */
  #withGrant(method: string | undefined, name: string): Answer | undefined {
    const route = this.#grantedRoute(method, name);
    if (route === undefined) return undefined;
    return async (request, response) => {
      const grant = this.#access.grantOf(request);
      if (grant === undefined) return this.#refuse(response);
      const asked: Asked = { request, response, query: queryOf(request), grant };
      return route(asked).then((answer) => {
        if (answer !== undefined) answerJson(response, 200, answer as object);
      });
    };
  }

  #grantedRoute(method: string | undefined, name: string): GrantedRoute | undefined {
    if (method === "GET" && name === "session") return async ({ grant }) => this.#choices(grant);
    if (method === "GET" && name === "events") return (asked) => this.#stream(asked);
    const ofTenant =
      method === "GET" && Object.hasOwn(this.#ofTenant, name) ? this.#ofTenant[name] : undefined;
    if (ofTenant !== undefined) {
      return async ({ grant, query }) => ofTenant(wholeTenant(grant, textField(query, "tenant")));
    }
    const view = method === "GET" && Object.hasOwn(VIEW_ROUTES, name) ? VIEW_ROUTES[name] : undefined;
    if (view !== undefined) {
      return async ({ grant, query }) => view(await this.#memoryOf(grant, query), query);
    }
    const edit = method === "POST" && Object.hasOwn(EDIT_ROUTES, name) ? EDIT_ROUTES[name] : undefined;
    return (
      edit &&
      (async ({ request, grant, query }) => {
        this.#requireEdit();
        return edit(await this.#memoryOf(grant, query), await bodyOf(request));
      })
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse, route: Answer): Promise<void> {
    if (this.#work.size >= REQUESTS_MAX) {
      const tooMany = `at most ${REQUESTS_MAX} requests of the inspector at once`;
      return answerFailure(response, new MemoryError("overloaded", tooMany));
    }
    const work = route(request, response).catch((error: unknown) => answerFailure(response, error));
    // Of what fails the caller hears.
    const ended = work.catch(() => {});
    this.#work.add(ended);
    try {
      await work;
    } finally {
      this.#work.delete(ended);
    }
  }

  async #beginVisit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token } = await bodyOf(request);
    const cookie = this.#access.begin(typeof token === "string" ? token : "", request, this.#isSecure);
    if (cookie === undefined) return this.#refuse(response);
    response.setHeader("set-cookie", cookie);
    answerJson(response, 200, {});
  }

  /** Whom the page may look at, and whom it looks at first. */
  #choices({ tenant, agent }: Grant): object {
    const { tenant: first, inspectorEdit: edit } = this.#options;
    const fixed = { tenant: tenant !== undefined, agent: agent !== undefined };
    return { tenant: tenant ?? first, agent: agent ?? "", fixed, edit };
  }

  /** Without an agent those of all. */
  async #stream({ response, query, grant }: Asked): Promise<void> {
    const agents = optionalText(query, "agent") === undefined ? "all" : "own";
    await this.#events.open(response, await this.#memoryOf(grant, query), agents);
  }

  async #memoryOf(grant: Grant, query: Query): Promise<AgentMemory> {
    const agent = optionalText(query, "agent") ?? NO_AGENT;
    const named = { tenant: textField(query, "tenant"), agent };
    const memory = await this.#clients.of(identityFor(grant, named));
    return memory.forSession(optionalText(query, "session") ?? "");
  }

  /** There is no token, or one that the gateway does not know. */
  #refuse(response: ServerResponse): void {
    this.#refusals.add("unknown_token");
    answerJson(response, 401, {
      error: { code: "unauthorized", message: "a token of the gateway is needed" },
    });
  }

  #requireEdit(): void {
    if (!this.#options.inspectorEdit) {
      throw new MemoryError("unauthorized", "the inspector shows only: start the gateway with --edit");
    }
  }
}
