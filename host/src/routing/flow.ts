/** Work of one agent that runs at once may cost so much, by what its work has cost before. */
const RUNNING_MS = 25;
/** So that one may wait for the disk while another works. */
const MUTATIONS_AT_LEAST = 2;
/** What the first piece of work is taken to cost. */
const FIRST_ESTIMATE_MS = 0.25;
/** How much the latest cost counts in an estimate. */
const LATEST_SHARE = 0.25;
/** A read of so much holds others up. */
const DEAR_MS = 3;

/** What somebody has been served, which is compared with others. */
export class Served {
  ms = 0;
  /** What the one had been served that was served last within: nobody saves up while he asks for nothing. */
  floorMs = 0;
  /** Pieces of work under way that are not dear. */
  lightCount = 0;
}

/** A piece of work that has begun. */
export interface Charge {
  readonly ms: number;
  readonly isLight: boolean;
}

export interface Waiting {
  /** Unix seconds. */
  readonly deadlineAt: number;
  begin(): void;
}

/** The reads, or the mutations, of one agent. */
export class Flow {
  readonly agent: Served;
  readonly tenant: Served;
  readonly #isMutation: boolean;
  waiting: Waiting[] = [];
  runningCount = 0;
  estimateMs = FIRST_ESTIMATE_MS;

  constructor(agent: Served, tenant: Served, isMutation: boolean) {
    this.agent = agent;
    this.tenant = tenant;
    this.#isMutation = isMutation;
  }

  /** Whether one more may run beside those that do. */
  get hasRoom(): boolean {
    const atLeast = this.#isMutation ? MUTATIONS_AT_LEAST : 1;
    return this.runningCount < atLeast || (this.runningCount + 1) * this.estimateMs <= RUNNING_MS;
  }

  /** Whether what it begins is likely to hold others up. A mutation waits for the disk, while others work and it is charged too. */
  get isDear(): boolean {
    return !this.#isMutation && this.estimateMs >= DEAR_MS;
  }

  /** Whether it comes before `other`: the tenant that was served less, in it the agent that was. */
  isBefore(other: Flow): boolean {
    const byTenant = this.tenant.ms - other.tenant.ms;
    return byTenant === 0 ? this.agent.ms < other.agent.ms : byTenant < 0;
  }

  /** One begins, and is charged what it is likely to cost. */
  begin(all: Served): Charge {
    this.tenant.ms = Math.max(this.tenant.ms, all.floorMs);
    this.agent.ms = Math.max(this.agent.ms, this.tenant.floorMs);
    all.floorMs = this.tenant.ms;
    this.tenant.floorMs = this.agent.ms;
    this.runningCount++;
    const charge = { ms: this.estimateMs, isLight: !this.isDear };
    this.#charge(charge.ms);
    if (charge.isLight) this.#countLight(all, 1);
    return charge;
  }

  end(all: Served, charge: Charge, costMs: number): void {
    this.runningCount--;
    this.#charge(costMs - charge.ms);
    if (charge.isLight) this.#countLight(all, -1);
    this.estimateMs += LATEST_SHARE * (costMs - this.estimateMs);
  }

  #countLight(all: Served, count: 1 | -1): void {
    all.lightCount += count;
    this.agent.lightCount += count;
  }

  #charge(ms: number): void {
    this.agent.ms += ms;
    this.tenant.ms += ms;
  }
}
