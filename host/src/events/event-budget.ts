/** Part of the events of a second that is kept for the first events of each agent. */
const RESERVED_SHARE = 0.1;
/** Part of the events of a second that an agent may publish from the reserved part. */
const AGENT_SHARE = 0.01;

/**
 * Limits the events of a second, so that a storm of one agent does not use up the events of the others. Its
 * map has at most as many agents as events are allowed.
 */
export class EventBudget {
  readonly #countMax: number;
  readonly #unreservedMax: number;
  readonly #agentMax: number;
  readonly #countByAgent = new Map<string, number>();
  #startedAt = 0;
  #count = 0;
  #unreserved = 0;

  constructor(perSecondMax: number) {
    this.#countMax = perSecondMax;
    this.#unreservedMax = perSecondMax - Math.ceil(perSecondMax * RESERVED_SHARE);
    this.#agentMax = Math.ceil(perSecondMax * AGENT_SHARE);
  }

  /** Returns false if the agent may not publish another event in this second. */
  take(tenant: string, agent: string, now: number): boolean {
    if (now - this.#startedAt >= 1 || now < this.#startedAt) this.#startSecond(now);
    if (this.#count >= this.#countMax) return false;
    const caller = `${tenant} ${agent}`;
    const own = this.#countByAgent.get(caller) ?? 0;
    if (own >= this.#agentMax) {
      if (this.#unreserved >= this.#unreservedMax) return false;
      this.#unreserved++;
    }
    this.#count++;
    this.#countByAgent.set(caller, own + 1);
    return true;
  }

  #startSecond(now: number): void {
    this.#startedAt = now;
    this.#count = 0;
    this.#unreserved = 0;
    this.#countByAgent.clear();
  }
}
