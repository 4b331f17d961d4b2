import { eventPattern, parseAgentToken } from "@membus/protocol";
import type { Bus, BusSubscription } from "@membus/protocol/plugin";

const TENANTS_MAX = 16;
const AGENTS_MAX = 200;

/** Agents of one tenant. */
interface Seen {
  readonly names: Set<string>;
  readonly subscription: BusSubscription;
}

/**
 * Collects the names of agents with private memory: agents that publish events, and agents that a page has opened.
 * They are listed first, and they are the only ones if the host does not list its agents. It keeps the 200 latest
 * agents of the 16 latest tenants.
 */
export class KnownAgents {
  readonly #bus: Bus;
  readonly #prefix: string;
  readonly #tenants = new Map<string, Seen>();

  constructor(bus: Bus, prefix: string) {
    this.#bus = bus;
    this.#prefix = prefix;
  }

  /** Returns the known agents, latest first, and collects from now on. */
  async of(tenant: string): Promise<readonly string[]> {
    const { names } = this.#seenOf(tenant);
    // A refusal by the server is reported here. Without permission only opened agents are known.
    await this.#bus.flush().catch(() => {});
    return [...names].reverse();
  }

  add(tenant: string, agent: string): void {
    remember(this.#seenOf(tenant).names, agent);
  }

  /** Resolves when no more events arrive. */
  async close(): Promise<void> {
    const subscriptions = [...this.#tenants.values()].map(({ subscription }) => subscription);
    this.#tenants.clear();
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
  }

  #seenOf(tenant: string): Seen {
    const known = this.#tenants.get(tenant);
    const seen = known ?? this.#collect(tenant);
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, seen);
    if (this.#tenants.size > TENANTS_MAX) this.#dropOldest();
    return seen;
  }

  #collect(tenant: string): Seen {
    const names = new Set<string>();
    const at = this.#prefix.split(".").length + 1;
    const subscription = this.#bus.subscribe(eventPattern({ tenant }, this.#prefix), ({ subject }) => {
      const agent = parseAgentToken(subject.split(".")[at] ?? "");
      if (agent !== undefined) remember(names, agent);
    });
    return { names, subscription };
  }

  #dropOldest(): void {
    const [tenant, { subscription }] = this.#tenants.entries().next().value!;
    this.#tenants.delete(tenant);
    void subscription.drain();
  }
}

function remember(names: Set<string>, agent: string): void {
  names.delete(agent);
  names.add(agent);
  if (names.size > AGENTS_MAX) names.delete(names.values().next().value!);
}
