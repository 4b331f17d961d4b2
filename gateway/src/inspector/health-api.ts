// JSON responses of the health view: hosts, and budgets for model calls. Times are Unix seconds.

/** Response of `budgets`. */
export interface ModelBudgets {
  readonly budgets: readonly ModelBudget[];
}

/** A budget for model calls in its latest period. */
export interface ModelBudget {
  /** "agent", or "namespace" with its name. */
  readonly scope: string;
  readonly per: string;
  /** Start of the period in UTC. */
  readonly period: string;
  readonly until: number;
  readonly tokens: number;
  readonly usd: number;
  readonly calls: number;
  /** Absent: no maximum. */
  readonly tokensMax?: number | undefined;
  readonly usdMax?: number | undefined;
}

/** Response of `health`. */
export interface Health {
  readonly at: number;
  /** Writes of coding agents on the machine of the gateway that wait for the host. Absent: unknown. */
  readonly queued_writes?: number;
  readonly hosts: readonly HostHealth[];
}

export interface HostHealth {
  readonly id: string;
  /** Name in its cluster. Absent outside a cluster. */
  readonly name?: string;
  readonly version: string;
  readonly state: string;
  readonly started: string;
  readonly endpoints: readonly EndpointHealth[];
  readonly in_flight: Metrics;
  readonly process: Metrics;
  /** Number of dropped messages and rejected requests, by cause. */
  readonly dropped: Metrics;
  readonly refused: Metrics;
  /** Metrics of each tier's plugin. */
  readonly tiers: Readonly<Record<string, Metrics>>;
}

export type Metrics = Readonly<Record<string, number | string | boolean>>;

/** Totals of one operation since the start of the host. */
export interface EndpointHealth {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  /** Sum of the times from receipt to reply. */
  readonly total_ms: number;
}
