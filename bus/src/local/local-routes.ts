import { hasWildcard, tokensMatch } from "../subject.js";

export interface Route {
  readonly subject: string;
  readonly queue: string | undefined;
}

/**
 * Finds the receivers of a subject. In each queue group, the member that has waited longest receives the
 * message.
 */
export class LocalRoutes<R extends Route> {
  readonly #exact = new Map<string, Set<R>>();
  readonly #patterns = new Map<R, readonly string[]>();
  readonly #lastTurns = new WeakMap<R, number>();
  #turn = 0;

  add(route: R): void {
    if (hasWildcard(route.subject)) {
      this.#patterns.set(route, route.subject.split("."));
      return;
    }
    const routes = this.#exact.get(route.subject) ?? new Set();
    this.#exact.set(route.subject, routes.add(route));
  }

  delete(route: R): void {
    this.#patterns.delete(route);
    const routes = this.#exact.get(route.subject);
    routes?.delete(route);
    if (routes?.size === 0) this.#exact.delete(route.subject);
  }

  receivers(subject: string): readonly R[] {
    const matching = this.#matching(subject);
    const receivers = matching.filter((route) => route.queue === undefined);
    return matching.length === receivers.length
      ? receivers
      : [...receivers, ...this.#selectMembers(matching)];
  }

  #matching(subject: string): R[] {
    const matching = [...(this.#exact.get(subject) ?? [])];
    const tokens = subject.split(".");
    for (const [route, pattern] of this.#patterns) {
      if (tokensMatch(pattern, tokens)) matching.push(route);
    }
    return matching;
  }

  /** Selects one member of each group. */
  #selectMembers(matching: readonly R[]): Iterable<R> {
    const chosen = new Map<string, R>();
    for (const route of matching) {
      if (route.queue === undefined) continue;
      const current = chosen.get(route.queue);
      if (current === undefined || this.#lastTurn(route) < this.#lastTurn(current))
        chosen.set(route.queue, route);
    }
    for (const route of chosen.values()) {
      this.#turn++;
      this.#lastTurns.set(route, this.#turn);
    }
    return chosen.values();
  }

  #lastTurn(route: R): number {
    return this.#lastTurns.get(route) ?? 0;
  }
}
