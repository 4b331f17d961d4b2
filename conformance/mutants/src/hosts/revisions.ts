import { type Operation, type Scope, systemClock } from "@membus/protocol";
import { hostMutant, type Mutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

const OTHERS = "scope/revisions-tell-nothing-of-others";
const KEPT = "durability/revisions-grow-over-restart";
const NOT_KEPT = "durability/revisions-grow-where-nothing-is-kept";

type NextRevision = (partition: Partition, op: Operation) => number;

/** A working tier with revisions of its own making. */
function numbering(make: () => NextRevision) {
  return {
    working: () =>
      new (class extends ReferencePlugin {
        readonly #next = make();

        protected override nextRevision(partition: Partition, op: Operation): number {
          return this.#next(partition, op);
        }
      })(),
  };
}

/** Counts from `first` on, by steps, for all partitions that have the same name. */
function counting(nameOf: (scope: Scope) => string, { first = 1, step = 1 } = {}): () => NextRevision {
  return () => {
    const last = new Map<string, number>();
    return ({ scope }) => {
      const name = nameOf(scope);
      const revision = (last.get(name) ?? first - step) + step;
      last.set(name, revision);
      return revision;
    };
  };
}

const agentOf = (scope: Scope) => ("agent" in scope ? scope.agent : undefined);

const othersMutants: readonly Mutant[] = [
  hostMutant({
    id: "scope-revisions-of-one-sequence",
    defect: "revisions come from one sequence of the database",
    check: OTHERS,
    names: /what each store of others adds to the growth of a revision .*: expected 0, got 1$/,
    plugins: numbering(counting(() => "")),
  }),
  hostMutant({
    id: "scope-revisions-of-the-tenant",
    defect: "each tenant has a sequence of revisions, which goes up by 10",
    check: OTHERS,
    names: /what each store of others adds to the growth of a revision .*: expected 0, got 10$/,
    plugins: numbering(counting(({ tenant }) => tenant, { first: 1_000, step: 10 })),
  }),
  hostMutant({
    id: "scope-revisions-of-the-agent",
    defect:
      "an agent has one sequence of revisions for all its sessions and namespaces, from the time of the start on",
    check: OTHERS,
    names: /growth of a revision .* stores of the same agent in another (namespace|session) between/,
    plugins: numbering(
      counting((scope) => JSON.stringify([scope.tenant, agentOf(scope)]), { first: 1.7e15 }),
    ),
  }),
  hostMutant({
    id: "scope-revisions-of-the-namespace",
    defect: "whoever writes to a namespace of the same name takes a revision of the same sequence",
    check: OTHERS,
    names: /growth of a revision .* stores of (another agent|the same agent in another session) between/,
    plugins: numbering(counting(({ namespace }) => namespace)),
  }),
];

/** A durable tier that does not read its last revisions, and begins with these. */
function resuming(from: (rows: Partition["rows"]) => number) {
  return {
    episodic: () =>
      new (class extends DurablePlugin {
        protected override nextRevision({ lastRevision }: Partition): number {
          return lastRevision + 1;
        }

        protected override replayRevision(scope: Scope): void {
          const partition = this.partition(scope);
          partition.lastRevision = from(partition.rows);
        }
      })(),
  };
}

const restartMutants: readonly Mutant[] = [
  hostMutant({
    id: "durability-working-revisions-begin-at-1",
    defect: "the working tier counts the revisions of each partition from 1, after a restart too",
    check: NOT_KEPT,
    names: /revision of a key that is stored again after a kill and a start/,
    plugins: numbering(
      () =>
        ({ lastRevision }) =>
          lastRevision + 1,
    ),
  }),
  hostMutant({
    id: "durability-revisions-since-the-start",
    defect: "a revision is the time since the start of the host, in microseconds",
    check: NOT_KEPT,
    names: /revision of a (forgotten )?key that is stored again after a kill and a start/,
    plugins: numbering(() => {
      const startedAt = systemClock.now();
      return ({ lastRevision }) =>
        Math.max(lastRevision + 1, Math.floor((systemClock.now() - startedAt) * 1e6));
    }),
  }),
  hostMutant({
    id: "durability-revisions-from-the-number-of-entries",
    tier: "episodic",
    defect: "after a restart revisions go on from the number of entries that are there",
    check: KEPT,
    names: /revision of a (forgotten )?key that is stored again after a kill and a start/,
    plugins: resuming((rows) => rows.size),
  }),
  hostMutant({
    id: "durability-revisions-by-key",
    tier: "episodic",
    defect: "each key has a count of its own, which goes with its row when it is forgotten",
    check: KEPT,
    names: /revision of a forgotten key that is stored again after a kill and a start/,
    plugins: {
      episodic: () =>
        new (class extends DurablePlugin {
          readonly #gone = new Map<string, number>();

          protected override async storeOne(...args: Parameters<DurablePlugin["storeOne"]>) {
            const [partition, item] = args;
            const key = this.rowKey(item);
            const last = partition.rows.get(key)?.revision ?? this.#gone.get(key) ?? 0;
            this.#gone.set(key, last + 1);
            partition.lastRevision = last;
            return super.storeOne(...args);
          }

          protected override nextRevision({ lastRevision }: Partition): number {
            return lastRevision + 1;
          }
        })(),
    },
  }),
];

export const revisionsMutants: readonly Mutant[] = [...othersMutants, ...restartMutants];
