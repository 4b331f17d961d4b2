import type { Bus, Clock, Embedder, MemoryPlugin, MemoryTier } from "@membus/protocol";

/** A host to test: whatever answers on the other side of a bus. */
export interface HostUnderTest {
  readonly name: string;
  /** A connection that may act for every agent below, and see their events. Stays its owner's. */
  readonly bus: Bus;
  /** Where the bus is connected, for programs that a report shows. Default `nats://127.0.0.1:4222`. */
  readonly servers?: string;
  /** Default `a2e`. */
  readonly prefix?: string;
  /** One or two tenants that the host serves. With one, isolation of tenants is untestable. Default `default`. */
  readonly tenants?: readonly string[];
  /** Two agents. Default `conformance-first` and `conformance-second`. */
  readonly agents?: readonly string[];
  /** The tiers that checks of one tier run on. Default every tier that the host serves. */
  readonly tiers?: readonly MemoryTier[];
  /** Kills the host, without letting it stop, and starts it again; resolves when it serves. */
  restart?(): Promise<void>;
  /** The host's time, where it can be moved: what has to pass otherwise is waited for. */
  readonly clock?: { now(): number; advance(seconds: number): void };
  /**
   * Starts a further host on the same bus, of parts that a check made; resolves when it serves. Only where the host
   * takes plugins in JavaScript.
   */
  startHost?(parts: HostParts): Promise<StartedHost>;
}

/** What a host of a check's own is made of. What is absent is as it is in the host that is tested. */
export interface HostParts {
  readonly prefix: string;
  readonly clock: Clock;
  readonly tenants?: readonly string[];
  /** Absent: new instances of those that the host has. */
  readonly plugins?: Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>;
  readonly embedder?: Embedder;
  /** Requests under way at once; further ones are `overloaded`. */
  readonly inFlightCountMax?: number;
  /** What agents may do: all that is none of these is `unauthorized`. Absent: everything. */
  readonly allowed?: readonly Allowed[];
}

/** Everything that these agents ask for in these tiers, in these namespaces and below. What is left out is any. */
export interface Allowed {
  readonly agents?: readonly string[];
  readonly tiers?: readonly MemoryTier[];
  readonly namespaces?: readonly string[];
}

export interface StartedHost {
  stop(): Promise<void>;
}

/** The tenants and agents that checks act for. */
export function namesOf({
  tenants = ["default"],
  agents = ["conformance-first", "conformance-second"],
}: HostUnderTest) {
  return {
    agents: { first: agents[0]!, second: agents[1]! },
    tenants: { first: tenants[0]!, second: tenants[1] ?? tenants[0]! },
  };
}
