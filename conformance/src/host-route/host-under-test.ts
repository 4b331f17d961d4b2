import type { Clock, MemoryTier } from "@membus/protocol";
import type { Bus, Embedder, FurtherSuite, MemoryPlugin } from "@membus/protocol/plugin";

/** A host to test, reached over a bus. */
export interface HostUnderTest {
  readonly name: string;
  /**
   * Connection with permission to act as every configured agent and to receive their events. The suite does
   * not close it.
   */
  readonly bus: Bus;
  /** Address of the server, for scripts in reports. Default `nats://127.0.0.1:4222`. */
  readonly servers?: string;
  /** Subject prefix. Default `a2e`. */
  readonly prefix?: string;
  /**
   * One or two tenants that the host serves. Isolation of tenants is untestable with one. Default `default`.
   */
  readonly tenants?: readonly string[];
  /** Two agents. Default `conformance-first` and `conformance-second`. */
  readonly agents?: readonly string[];
  /** Tiers to test. Default: every tier that the host serves. */
  readonly tiers?: readonly MemoryTier[];
  /** Suites that test parts of the host's plugin, for the report. */
  readonly furtherSuites?: readonly FurtherSuite[];
  /** Kills the host without a graceful shutdown and starts it again. Resolves when it serves. */
  restart?(): Promise<void>;
  /** Moves all tenants to other hosts of their cluster. Resolves when they serve. */
  move?(): Promise<void>;
  /** Clock of the host, if it can be moved. Without it the suite waits in real time. */
  readonly clock?: { now(): number; advance(seconds: number): void };
  /**
   * Starts another host on the same bus from parts that a check made. Resolves when it serves.
   *
   * Only for hosts that accept JavaScript plugins.
   */
  startHost?(parts: HostParts): Promise<StartedHost>;
}

/** Parts of a host that a check starts. Absent parts are the same as in the host under test. */
export interface HostParts {
  readonly prefix: string;
  readonly clock: Clock;
  readonly tenants?: readonly string[];
  /** Name of the host's cluster. Default: none. A host without clusters ignores it. */
  readonly cluster?: string;
  /** Plugins by tier. Default: new instances of the plugins of the host under test. */
  readonly plugins?: Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>;
  readonly embedder?: Embedder;
  /** Maximum number of concurrent requests. Further requests are `overloaded`. */
  readonly inFlightCountMax?: number;
  /** Permitted requests. All others are `unauthorized`. Default: all requests are permitted. */
  readonly allowed?: readonly Allowed[];
}

/**
 * Permits all requests of these agents in these tiers, in these namespaces and below. Absent fields match all
 * values.
 */
export interface Allowed {
  readonly agents?: readonly string[];
  readonly tiers?: readonly MemoryTier[];
  readonly namespaces?: readonly string[];
}

export interface StartedHost {
  stop(): Promise<void>;
}

/** Returns the tenants and agents that checks use. */
export function namesOf({
  tenants = ["default"],
  agents = ["conformance-first", "conformance-second"],
}: HostUnderTest) {
  return {
    agents: { first: agents[0]!, second: agents[1]! },
    tenants: { first: tenants[0]!, second: tenants[1] ?? tenants[0]! },
  };
}
