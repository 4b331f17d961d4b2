import type { Clock } from "@membus/protocol";
import type { Sender } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";
import { AgentQueue, ServiceTotals } from "./agent-queue.js";
import { ImpatienceGate } from "./impatience-gate.js";
import { ServiceClock } from "./service-clock.js";

/** Maximum requests started per turn of the event loop. */
const REQUESTS_PER_TURN = 16;
/**
 * Estimated cost of the requests started per turn, in milliseconds. The loop must also read from the socket
 * and handle disk completions.
 */
const TURN_MS = 4;
/**
 * Number of mutations started per turn while reads arrive. It is also the maximum, because the next read
 * waits for the turn to end.
 */
const MUTATIONS_WITH_READS = 2;
/** Seconds after the latest read during which reads count as arriving. */
const READ_ACTIVITY_S = 0.02;
/** Maximum milliseconds that expensive work waits for cheap work of other agents to end. */
const DELAY_MS = 5;
/** Number of remembered tenants, and of remembered agents. */
const REMEMBERED_MAX = 8_192;

/** Properties of a request before it starts. */
export interface ScheduledRequest {
  readonly sender: Sender;
  /** Unix seconds. */
  readonly deadlineAt: number;
  readonly isMutation: boolean;
  /** Whether the agent did not wait after a refusal. */
  readonly isImpatient?: boolean;
}

/** Queues of one agent. */
interface AgentQueues {
  readonly reads: AgentQueue;
  readonly mutations: AgentQueue;
}

/**
 * Schedules requests, several per turn of the event loop. Between turns, disk operations complete and replies
 * are sent.
 *
 * The queue starts the next request of the tenant, then the agent, that has used the least event-loop time.
 * Requests of one agent keep their order of arrival. The concurrent requests of one agent are limited by
 * their estimated cost. Expensive requests therefore run one after the other, with requests of other agents
 * between them. Reads start before mutations, because mutations are numerous when they queue and wait for the
 * disk anyway. While reads arrive, few mutations start per turn. An expensive request waits while cheap
 * requests of other agents are running, because these finish sooner without it. A request never starts after
 * its deadline.
 */
export class FairQueue {
  readonly #clock: Clock;
  readonly #service: ServiceClock;
  readonly #onServed: (sender: Sender, costMs: number, isMutation: boolean) => void;
  readonly #all = new ServiceTotals();
  readonly #tenants = new RecentMap<string, ServiceTotals>(REMEMBERED_MAX);
  readonly #agents = new RecentMap<string, AgentQueues>(REMEMBERED_MAX);
  readonly #reads = new Set<AgentQueue>();
  readonly #mutations = new Set<AgentQueue>();
  readonly #impatience: ImpatienceGate;
  #startedCount = 0;
  #startedMs = 0;
  #isScheduled = false;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  /** Unix seconds until which expensive work is delayed. Undefined if none is delayed. */
  #delayedUntil: number | undefined;

  /** @param onServed receives the cost of each request in milliseconds. */
  constructor(
    clock: Clock,
    onServed: (sender: Sender, costMs: number, isMutation: boolean) => void = () => {},
    service = new ServiceClock(),
  ) {
    this.#clock = clock;
    this.#onServed = onServed;
    this.#service = service;
    this.#impatience = new ImpatienceGate(clock, () => this.#schedule());
  }

  /** Settles as `begin` does, which must not throw. Never settles if the deadline passes first. */
  run<T>(start: () => Promise<T>, turn: ScheduledRequest): Promise<T> {
    const { reads, mutations } = this.#queuesOf(turn.sender);
    const queue = turn.isMutation ? mutations : reads;
    queue.isImpatient = turn.isImpatient === true;
    if (!queue.isImpatient) this.#impatience.notePatient();
    if (!turn.isMutation) this.#lastReadAt = this.#clock.now();
    if (this.#canStart(queue, turn.isMutation)) return this.#start(queue, turn, start);
    return new Promise((resolve) => {
      const waiting = { deadlineAt: turn.deadlineAt, start: () => resolve(this.#start(queue, turn, start)) };
      queue.waiting.push(waiting);
      this.#waitingOf(turn.isMutation).add(queue);
      this.#schedule();
    });
  }

  /**
   * Returns whether a request can start now. In a turn with capacity, all requests that could start have
   * started, so no request is ahead of it.
   */
  #canStart(queue: AgentQueue, isMutation: boolean): boolean {
    if (
      queue.waiting.length > 0 ||
      !queue.hasCapacity ||
      this.#startedMs >= TURN_MS ||
      this.#isDelayed(queue)
    )
      return false;
    if (!isMutation) return this.#startedCount < REQUESTS_PER_TURN;
    return this.#mutations.size === 0 && this.#startedCount < this.#mutationsMax();
  }

  #start<T>(
    queue: AgentQueue,
    { sender, isMutation }: ScheduledRequest,
    start: () => Promise<T>,
  ): Promise<T> {
    this.#startedCount++;
    this.#schedule();
    if (queue.isExpensive) this.#delayedUntil = undefined;
    const { isImpatient } = queue;
    const charge = queue.start(this.#all);
    if (isImpatient) this.#impatience.charge(charge.ms);
    const { running, synchronousMs, end } = this.#service.start(start);
    // Most of the work follows directly, before other work gets its turn.
    this.#startedMs += Math.max(synchronousMs, charge.ms);
    const ended = () => {
      const costMs = end();
      queue.end(this.#all, charge, costMs);
      if (isImpatient) this.#impatience.charge(costMs - charge.ms);
      this.#onServed(sender, costMs, isMutation);
      if (queue.waiting.length > 0 || this.#delayedUntil !== undefined) this.#schedule();
    };
    void running.then(ended, ended);
    return running;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    this.#startedCount = 0;
    this.#startedMs = 0;
    this.#dropExpired();
    const mutationsMax = this.#mutationsMax();
    const reserved = Math.min(MUTATIONS_WITH_READS, mutationsMax, countWaiting(this.#mutations));
    this.#startSome(this.#reads, REQUESTS_PER_TURN - reserved, 0);
    // Starts at least one, even if the reads took long.
    this.#startSome(this.#mutations, Math.min(mutationsMax, REQUESTS_PER_TURN - this.#startedCount), 1);
  }

  #startSome(waiting: Set<AgentQueue>, countMax: number, countMin: number): void {
    for (let count = 0; count < countMax; count++) {
      if (count >= countMin && this.#startedMs >= TURN_MS) return this.#schedule();
      const queue = firstReady(waiting, (each) => this.#isDelayed(each));
      if (queue === undefined) return;
      const next = queue.waiting.shift()!;
      if (queue.waiting.length === 0) waiting.delete(queue);
      next.start();
    }
  }

  #isDelayed(queue: AgentQueue): boolean {
    return (queue.isImpatient && this.#impatience.isClosed()) || this.#isBehindCheapWork(queue);
  }

  /**
   * Returns whether the queue is expensive and cheap work of other agents is running. The delay is limited,
   * however much cheap work there is.
   */
  #isBehindCheapWork(queue: AgentQueue): boolean {
    if (!queue.isExpensive || this.#all.cheapCount === queue.agent.cheapCount) return false;
    const now = this.#clock.now();
    if (this.#delayedUntil === undefined) {
      this.#delayedUntil = now + DELAY_MS / 1000;
      this.#clock.after(DELAY_MS, () => this.#schedule());
    }
    return now < this.#delayedUntil;
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    for (const waiting of [this.#reads, this.#mutations]) {
      for (const queue of waiting) {
        queue.waiting = queue.waiting.filter(({ deadlineAt }) => deadlineAt > now);
        if (queue.waiting.length === 0) waiting.delete(queue);
      }
    }
  }

  #mutationsMax(): number {
    const readsArrive = this.#clock.now() - this.#lastReadAt < READ_ACTIVITY_S;
    return readsArrive ? MUTATIONS_WITH_READS : REQUESTS_PER_TURN;
  }

  #waitingOf(isMutation: boolean): Set<AgentQueue> {
    return isMutation ? this.#mutations : this.#reads;
  }

  #queuesOf({ tenant, agent }: Sender): AgentQueues {
    const key = `${tenant}\n${agent}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const ofTenant = this.#tenants.get(tenant) ?? new ServiceTotals();
    this.#tenants.set(tenant, ofTenant);
    const ofAgent = new ServiceTotals();
    const queues = {
      reads: new AgentQueue(ofAgent, ofTenant, false),
      mutations: new AgentQueue(ofAgent, ofTenant, true),
    };
    this.#agents.set(key, queues);
    return queues;
  }
}

function countWaiting(queues: ReadonlySet<AgentQueue>): number {
  let count = 0;
  for (const queue of queues) count += queue.waiting.length;
  return count;
}

/** Returns the first queue by usage that has capacity and is not delayed. */
function firstReady(
  queues: ReadonlySet<AgentQueue>,
  isDelayed: (queue: AgentQueue) => boolean,
): AgentQueue | undefined {
  let first: AgentQueue | undefined;
  for (const queue of queues) {
    if (!queue.hasCapacity || (first !== undefined && !queue.precedes(first)) || isDelayed(queue)) continue;
    first = queue;
  }
  return first;
}
