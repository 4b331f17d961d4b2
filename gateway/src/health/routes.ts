import type { IncomingMessage } from "node:http";
import { bearerOf } from "../http/bearer.js";
import type { Route } from "../http/http-server.js";
import type { Tokens } from "../tokens.js";
import { answerPage, type HealthSources, healthPages, type Page, textPage } from "./pages.js";
import type { Refusals } from "./refusals.js";

export interface HealthRoutesDependencies extends HealthSources {
  /** That open the figures; undefined where everybody may see them. */
  readonly tokens: Tokens | undefined;
  readonly refusals: Refusals;
}

/** What an orchestrator and Prometheus ask for. */
export class HealthRoutes {
  readonly #dependencies: HealthRoutesDependencies;
  readonly #pages: ReturnType<typeof healthPages>;

  constructor(dependencies: HealthRoutesDependencies) {
    this.#dependencies = dependencies;
    this.#pages = healthPages(dependencies);
  }

  /** Undefined for a path that is none of health's. */
  find(method: string | undefined, path: string): Route | undefined {
    const page = method === "GET" || method === "HEAD" ? this.#pages.get(path) : undefined;
    if (page === undefined) return undefined;
    const answer = path === "/metrics" ? this.#guarded(page) : page;
    return {
      name: path,
      answer: async (request, response) => answerPage(response, await answer(request)),
    };
  }

  #guarded(page: () => Promise<Page>) {
    const { tokens, refusals } = this.#dependencies;
    return async ({ headers }: IncomingMessage): Promise<Page> => {
      if (tokens === undefined || tokens.knows(bearerOf(headers))) return page();
      refusals.add("unknown_token");
      return textPage(401, "the figures need a token of the gateway");
    };
  }
}
