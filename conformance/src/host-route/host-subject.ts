import type { Bus } from "@membus/protocol";

/** A host to test: whatever answers on the other side of a bus. */
export interface HostSubject {
  readonly name: string;
  /** A connection that may act for every agent below, and see their events. Stays its owner's. */
  readonly bus: Bus;
  /** Default `a2e`. */
  readonly prefix?: string;
  /** One or two tenants that the host serves. With one, isolation of tenants is untestable. Default `default`. */
  readonly tenants?: readonly string[];
  /** Two agents. Default `conformance-first` and `conformance-second`. */
  readonly agents?: readonly string[];
  /** Kills the host, without letting it stop, and starts it again; resolves when it serves. */
  restart?(): Promise<void>;
  /** The host's time, where it can be moved: what has to pass otherwise is waited for. */
  readonly clock?: { now(): number; advance(seconds: number): void };
}
