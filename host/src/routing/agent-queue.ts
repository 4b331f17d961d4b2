/** Maximum estimated cost of the concurrent work of one agent, in milliseconds. */
const CONCURRENT_MS = 25;
/** Minimum concurrent mutations, so that one can wait for the disk while another works. */
const MUTATIONS_MIN = 2;
/** Estimated cost of the first piece of work, in milliseconds. */
const FIRST_ESTIMATE_MS = 0.25;
/** Weight of the latest cost in the estimate. */
const LATEST_SHARE = 0.25;
/** Cost in milliseconds from which a read delays other requests. */
const EXPENSIVE_MS = 3;

/** Event-loop time used by an agent or tenant, for comparison with others. */
export class ServiceTotals {
  ms = 0;
  /**
   * Usage of the member that was served last. A member that was idle starts from here, so that idle time
   * gives no credit.
   */
  floorMs = 0;
  /** Number of running pieces of work that are not expensive. */
  cheapCount = 0;
}

/** Estimated cost of a started piece of work. */
export interface Charge {
  readonly ms: number;
  readonly isCheap: boolean;
}

export interface QueuedRequest {
  /** Unix seconds. */
  readonly deadlineAt: number;
  start(): void;
}

/** Queue of the reads, or of the mutations, of one agent. */
export class AgentQueue {
  readonly agent: ServiceTotals;
  readonly tenant: ServiceTotals;
  readonly #isMutation: boolean;
  waiting: QueuedRequest[] = [];
  /** Whether the agent's latest request came before it had waited after a refusal. */
  isImpatient = false;
  runningCount = 0;
  estimateMs = FIRST_ESTIMATE_MS;

  constructor(agent: ServiceTotals, tenant: ServiceTotals, isMutation: boolean) {
    this.agent = agent;
    this.tenant = tenant;
    this.#isMutation = isMutation;
  }

  /** Whether one more piece of work may run concurrently. */
  get hasCapacity(): boolean {
    const minimum = this.#isMutation ? MUTATIONS_MIN : 1;
    return this.runningCount < minimum || (this.runningCount + 1) * this.estimateMs <= CONCURRENT_MS;
  }

  /**
   * Whether the next piece of work is likely to delay others. Mutations never count, because they wait for
   * the disk while other requests run.
   */
  get isExpensive(): boolean {
    return !this.#isMutation && this.estimateMs >= EXPENSIVE_MS;
  }

  /**
   * Returns whether this queue precedes `other`: first by patience of the agent, then by usage of the tenant,
   * then by usage of the agent.
   */
  precedes(other: AgentQueue): boolean {
    if (this.isImpatient !== other.isImpatient) return other.isImpatient;
    const byTenant = this.tenant.ms - other.tenant.ms;
    return byTenant === 0 ? this.agent.ms < other.agent.ms : byTenant < 0;
  }

  /** Starts a piece of work and charges its estimated cost. */
  start(all: ServiceTotals): Charge {
    this.tenant.ms = Math.max(this.tenant.ms, all.floorMs);
    this.agent.ms = Math.max(this.agent.ms, this.tenant.floorMs);
    all.floorMs = this.tenant.ms;
    this.tenant.floorMs = this.agent.ms;
    this.runningCount++;
    const charge = { ms: this.estimateMs, isCheap: !this.isExpensive };
    this.#charge(charge.ms);
    if (charge.isCheap) this.#countCheap(all, 1);
    return charge;
  }

  end(all: ServiceTotals, charge: Charge, costMs: number): void {
    this.runningCount--;
    this.#charge(costMs - charge.ms);
    if (charge.isCheap) this.#countCheap(all, -1);
    this.estimateMs += LATEST_SHARE * (costMs - this.estimateMs);
  }

  #countCheap(all: ServiceTotals, count: 1 | -1): void {
    all.cheapCount += count;
    this.agent.cheapCount += count;
  }

  #charge(ms: number): void {
    this.agent.ms += ms;
    this.tenant.ms += ms;
  }
}
