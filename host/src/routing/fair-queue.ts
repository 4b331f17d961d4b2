import type { Clock } from "@membus/protocol";
import type { Sender } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";
import { Flow, Served } from "./flow.js";
import { ServiceClock } from "./service-clock.js";

/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 16;
/** What they may cost, by what was measured before: what waits in the socket is to be read, and the disk to be heard. */
const TURN_MS = 4;
/** While reads come, so many of them are left to mutations, and no more: the next read waits for the turn to end. */
const MUTATIONS_BESIDE_READS = 2;
/** Reads come as long as the latest is no older, in seconds. */
const READS_COME_S = 0.02;
/** How long dear work waits for light work of others to end, milliseconds. */
const HOLD_MS = 5;
/** Tenants, and agents, of whom is remembered what they were served. */
const KEPT = 8_192;

/** What there is to know of a request before it begins. */
export interface Turn {
  readonly sender: Sender;
  /** Unix seconds. */
  readonly deadlineAt: number;
  readonly isMutation: boolean;
}

/** Of one agent. */
interface Flows {
  readonly reads: Flow;
  readonly mutations: Flow;
}

/**
 * Decides what begins next, some in each turn of the event loop: between them, those that wait for the disk go on, and replies
 * go out.
 *
 * Next is who was served least so far, in milliseconds on the event loop: first the tenant, in it the agent, whose requests keep
 * the order in which they came. Of one agent so many run at once as together cost little, so that dear requests come one
 * after the other, and others' between them. Reads come before mutations, which are many when they queue and have the disk to
 * wait for anyway; while reads come, few mutations begin in one turn. Dear work does not begin while light work of others is
 * under way, which is soon over if it need not wait for it in every turn. One whose deadline passes here never begins.
 */
export class FairQueue {
  readonly #clock: Clock;
  readonly #service: ServiceClock;
  readonly #onServed: (sender: Sender, costMs: number, isMutation: boolean) => void;
  readonly #all = new Served();
  readonly #tenants = new RecentMap<string, Served>(KEPT);
  readonly #agents = new RecentMap<string, Flows>(KEPT);
  readonly #reads = new Set<Flow>();
  readonly #mutations = new Set<Flow>();
  #begunCount = 0;
  #begunMs = 0;
  #isScheduled = false;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  /** Until when dear work is held up; undefined while none is. */
  #heldUntil: number | undefined;

  /** @param onServed is told what each request has cost, in milliseconds */
  constructor(
    clock: Clock,
    onServed: (sender: Sender, costMs: number, isMutation: boolean) => void = () => {},
    service = new ServiceClock(),
  ) {
    this.#clock = clock;
    this.#onServed = onServed;
    this.#service = service;
  }

  /** Settles as `begin` does, which must not throw; never when the deadline passes first. */
  run<T>(begin: () => Promise<T>, turn: Turn): Promise<T> {
    const { reads, mutations } = this.#flowsOf(turn.sender);
    const flow = turn.isMutation ? mutations : reads;
    if (!turn.isMutation) this.#lastReadAt = this.#clock.now();
    if (this.#mayBegin(flow, turn.isMutation)) return this.#begin(flow, turn, begin);
    return new Promise((resolve) => {
      const waiting = { deadlineAt: turn.deadlineAt, begin: () => resolve(this.#begin(flow, turn, begin)) };
      flow.waiting.push(waiting);
      this.#waitingOf(turn.isMutation).add(flow);
      this.#schedule();
    });
  }

  /** Whether it need not wait: nobody is before it, for in a turn with room all that could begin has begun. */
  #mayBegin(flow: Flow, isMutation: boolean): boolean {
    if (flow.waiting.length > 0 || !flow.hasRoom || this.#begunMs >= TURN_MS || this.#isHeld(flow))
      return false;
    if (!isMutation) return this.#begunCount < REQUESTS_A_TURN;
    return this.#mutations.size === 0 && this.#begunCount < this.#mutationsMax();
  }

  #begin<T>(flow: Flow, { sender, isMutation }: Turn, begin: () => Promise<T>): Promise<T> {
    this.#begunCount++;
    this.#schedule();
    if (flow.isDear) this.#heldUntil = undefined;
    const charge = flow.begin(this.#all);
    const { running, atOnceMs, end } = this.#service.begin(begin);
    // Most of the work comes right after, before anything else has its turn.
    this.#begunMs += Math.max(atOnceMs, charge.ms);
    const ended = () => {
      const costMs = end();
      flow.end(this.#all, charge, costMs);
      this.#onServed(sender, costMs, isMutation);
      if (flow.waiting.length > 0 || this.#heldUntil !== undefined) this.#schedule();
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
    this.#begunCount = 0;
    this.#begunMs = 0;
    this.#dropLate();
    const mutationsMax = this.#mutationsMax();
    const left = Math.min(MUTATIONS_BESIDE_READS, mutationsMax, countWaiting(this.#mutations));
    this.#beginSome(this.#reads, REQUESTS_A_TURN - left, 0);
    // One at least, however long the reads took.
    this.#beginSome(this.#mutations, Math.min(mutationsMax, REQUESTS_A_TURN - this.#begunCount), 1);
  }

  #beginSome(waiting: Set<Flow>, countMax: number, countMin: number): void {
    for (let count = 0; count < countMax; count++) {
      if (count >= countMin && this.#begunMs >= TURN_MS) return this.#schedule();
      const flow = firstOf(waiting, (each) => this.#isHeld(each));
      if (flow === undefined) return;
      const next = flow.waiting.shift()!;
      if (flow.waiting.length === 0) waiting.delete(flow);
      next.begin();
    }
  }

  /** Whether it is dear, and light work of others under way; not for ever, however much of that there is. */
  #isHeld(flow: Flow): boolean {
    if (!flow.isDear || this.#all.lightCount === flow.agent.lightCount) return false;
    const now = this.#clock.now();
    if (this.#heldUntil === undefined) {
      this.#heldUntil = now + HOLD_MS / 1000;
      this.#clock.after(HOLD_MS, () => this.#schedule());
    }
    return now < this.#heldUntil;
  }

  #dropLate(): void {
    const now = this.#clock.now();
    for (const waiting of [this.#reads, this.#mutations]) {
      for (const flow of waiting) {
        flow.waiting = flow.waiting.filter(({ deadlineAt }) => deadlineAt > now);
        if (flow.waiting.length === 0) waiting.delete(flow);
      }
    }
  }

  #mutationsMax(): number {
    const readsCome = this.#clock.now() - this.#lastReadAt < READS_COME_S;
    return readsCome ? MUTATIONS_BESIDE_READS : REQUESTS_A_TURN;
  }

  #waitingOf(isMutation: boolean): Set<Flow> {
    return isMutation ? this.#mutations : this.#reads;
  }

  #flowsOf({ tenant, agent }: Sender): Flows {
    const key = `${tenant}\n${agent}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const ofTenant = this.#tenants.get(tenant) ?? new Served();
    this.#tenants.set(tenant, ofTenant);
    const ofAgent = new Served();
    const flows = {
      reads: new Flow(ofAgent, ofTenant, false),
      mutations: new Flow(ofAgent, ofTenant, true),
    };
    this.#agents.set(key, flows);
    return flows;
  }
}

function countWaiting(flows: ReadonlySet<Flow>): number {
  let count = 0;
  for (const flow of flows) count += flow.waiting.length;
  return count;
}

/** The one that is before all others of those with room that nothing holds up. */
function firstOf(flows: ReadonlySet<Flow>, isHeld: (flow: Flow) => boolean): Flow | undefined {
  let first: Flow | undefined;
  for (const flow of flows) {
    if (!flow.hasRoom || (first !== undefined && !flow.isBefore(first)) || isHeld(flow)) continue;
    first = flow;
  }
  return first;
}
