import { type Scope, systemClock } from "@membus/protocol";
import type { Operation } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

const OTHERS = "scope/revisions-tell-nothing-of-others";
const KEPT = "durability/revisions-grow-over-restart";
const NOT_KEPT = "durability/revisions-grow-where-nothing-is-kept";

type NextRevision = (partition: Partition, op: Operation) => number;

/** Creates a working tier with other revisions. */
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

/** Counts from `first` by `step`, with one sequence for all partitions with the same name. */
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
    names: /growth of a revision per store of others .*: expected 0, got 1$/,
    plugins: numbering(counting(() => "")),
  }),
  hostMutant({
    id: "scope-revisions-of-the-tenant",
    defect: "each tenant has a sequence of revisions, which goes up by 10",
    check: OTHERS,
    names: /growth of a revision per store of others .*: expected 0, got 10$/,
    plugins: numbering(counting(({ tenant }) => tenant, { first: 1_000, step: 10 })),
  }),
  hostMutant({
    id: "scope-revisions-of-the-agent",
    defect:
      "an agent has one sequence of revisions for all its sessions and namespaces, starting with the time",
    check: OTHERS,
    names: /growth of a revision .* stores of the same agent in another (namespace|session) between/,
    plugins: numbering(
      counting((scope) => JSON.stringify([scope.tenant, agentOf(scope)]), { first: 1.7e15 }),
    ),
  }),
  hostMutant({
    id: "scope-revisions-of-the-namespace",
    defect: "all writers to a namespace of the same name share a sequence of revisions",
    check: OTHERS,
    names: /growth of a revision .* stores of (another agent|the same agent in another session) between/,
    plugins: numbering(counting(({ namespace }) => namespace)),
  }),
];

/** Creates a durable tier that does not restore its last revisions and starts with the given ones. */
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
    defect: "the working tier counts the revisions of each partition from 1, also after a restart",
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
    defect: "after a restart revisions continue from the number of entries",
    check: KEPT,
    names: /revision of a (forgotten )?key that is stored again after a kill and a start/,
    plugins: resuming((rows) => rows.size),
  }),
  hostMutant({
    id: "durability-revisions-by-key",
    tier: "episodic",
    defect: "each key has a separate counter, which is lost when the entry is forgotten",
    check: KEPT,
    names: /revision of a forgotten key that is stored again after a kill and a start/,
    plugins: {
      episodic: () =>
        new (class extends DurablePlugin {
          readonly #forgotten = new Map<string, number>();

          protected override async storeOne(...args: Parameters<DurablePlugin["storeOne"]>) {
            const [partition, item] = args;
            const key = this.rowKey(item);
            const last = partition.rows.get(key)?.revision ?? this.#forgotten.get(key) ?? 0;
            this.#forgotten.set(key, last + 1);
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
