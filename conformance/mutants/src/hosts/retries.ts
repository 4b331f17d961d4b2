import type { Message } from "@membus/protocol";
import type { Bus, Operation } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { interceptReplies, refuseRequests, rewriteRequests } from "./intercept.js";

const WHILE = "retry/remembered-for-a-while";
const AT_ONCE = "retry/other-body-at-once-is-a-conflict";

/** Drops older operations whenever a new one arrives. */
class Briefly extends ReferencePlugin {
  readonly #seconds: number;

  constructor(seconds: number) {
    super();
    this.#seconds = seconds;
  }

  protected override async once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
    for (const [key, { at }] of this.operations) {
      if (this.now() - at > this.#seconds) this.operations.delete(key);
    }
    return super.once(op, work);
  }
}

/** Keeps two lists of results. The older one is dropped when the newer one is 30 seconds old. */
class ByTurns extends ReferencePlugin {
  #turnedAt = 0;
  #older = new Set<string>();

  protected override async once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
    if (this.now() - this.#turnedAt > 30) {
      for (const key of this.#older) this.operations.delete(key);
      this.#older = new Set(this.operations.keys());
      this.#turnedAt = this.now();
    }
    return super.once(op, work);
  }
}

const whileMutants: readonly Mutant[] = [
  hostMutant({
    id: "retry-results-kept-for-10-seconds",
    defect: "results are kept in a cache for 10 seconds",
    check: WHILE,
    names: /the result of a store sent again after 590 s/,
    plugins: { working: () => new Briefly(10) },
  }),
  hostMutant({
    id: "retry-results-of-two-turns",
    defect: "results are kept in two lists that rotate every 30 seconds",
    check: WHILE,
    names: /the result of a (store|forget) sent again after 590 s/,
    plugins: { working: () => new ByTurns() },
  }),
  hostMutant({
    id: "retry-results-of-forgets-go-with-maintenance",
    defect: "maintenance drops the results of forgets",
    check: WHILE,
    names: /the result of a forget sent again after 590 s/,
    plugins: {
      working: () =>
        new (class extends ReferencePlugin {
          override async maintain(): Promise<void> {
            for (const [key, { at, result }] of this.operations) {
              const isForget = "deleted" in ((await result) as object);
              if (isForget && this.now() - at > 60) this.operations.delete(key);
            }
          }
        })(),
    },
  }),
  hostMutant({
    id: "retry-status-for-a-minute",
    defect: "the status of a store is kept for one minute, shorter than its result for retries",
    check: WHILE,
    names: /memory_not_found/,
    plugins: {
      working: () =>
        new (class extends ReferencePlugin {
          override async onStatus(...[op]: Parameters<ReferencePlugin["onStatus"]>) {
            const at = this.operations.get(this.operationKey(op))?.at ?? 0;
            return this.now() - at > 60 ? undefined : super.onStatus(op);
          }
        })(),
    },
  }),
];

/** Tracks the pending stores by their ids. */
function watchingStores(
  bus: Bus,
  change: (fields: Message, first: Message | undefined, count: number) => Message,
): Bus {
  const inWork = new Map<unknown, { first: Message; count: number }>();
  const watched = rewriteRequests(bus, (fields) => {
    if (fields.type !== "memory/store/req") return fields;
    const known = inWork.get(fields.id);
    if (known !== undefined) known.count++;
    else inWork.set(fields.id, { first: fields, count: 0 });
    return change(fields, known?.first, known?.count ?? 0);
  });
  return interceptReplies(watched, (reply, send) => {
    const id = `${reply.message.req_id}`.split("#")[0]!;
    inWork.delete(id);
    send({ ...reply, message: { ...reply.message, req_id: id } });
  });
}

const atOnceMutants: readonly Mutant[] = [
  hostMutant({
    id: "retry-joins-whatever-has-the-id",
    defect: "a store joins the pending one with its id, even with another body",
    check: AT_ONCE,
    names: /codes of 3 stores of one id.*got \[\[\],\[\],\[\]\]/,
    bus: (bus) => watchingStores(bus, (fields, first) => first ?? fields),
  }),
  hostMutant({
    id: "retry-ids-are-looked-up-when-done",
    defect: "an id counts as used only after its store is done, so earlier stores are all executed",
    check: AT_ONCE,
    names: /codes of 3 stores of one id/,
    bus: (bus) =>
      watchingStores(bus, (fields, first, count) =>
        first ? { ...fields, id: `${fields.id}#${count}` } : fields,
      ),
  }),
  hostMutant({
    id: "retry-refuses-what-is-in-work",
    defect: "a store with the id of a pending one is refused as overloaded",
    check: AT_ONCE,
    names: /codes of 3 stores of one id.*"overloaded"/,
    bus: (bus) => {
      const seen = new Set<unknown>();
      return refuseRequests(bus, (fields) => {
        if (fields?.type !== "memory/store/req") return undefined;
        const isKnown = seen.has(fields.id);
        seen.add(fields.id);
        return isKnown ? "overloaded" : undefined;
      });
    },
  }),
];

export const retriesMutants: readonly Mutant[] = [...whileMutants, ...atOnceMutants];
