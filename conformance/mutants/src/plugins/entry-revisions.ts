import type { Operation } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";

const IDLE_S = 86_400;

export const entryRevisionMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-revision-of-what-is-left-or-the-time",
    defect: "a revision is the time, or one more than the highest of the entries that are left",
    check: "entry/revision-grows-while-time-stands",
    names: /revisions of a key that is created, updated and forgotten twice/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override nextRevision({ rows }: Partition, { accepted_at }: Operation): number {
          const revisions = [...rows.values()].map(({ revision }) => revision);
          return Math.max(0, ...revisions, Math.floor(accepted_at * 1e6) - 1) + 1;
        }
      })(),
  }),
  pluginMutant({
    id: "entry-revision-mark-is-lost-by-a-restart",
    defect: "after a restart the revisions of a partition go on from the time, regardless of earlier ones",
    check: "entry/revision-grows-while-time-stands",
    names: /revisions of a key that is created, updated and forgotten twice/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override replayRevision() {}
      })(),
  }),
  pluginMutant({
    id: "entry-revision-counts-again-after-idle-days",
    defect: "a partition that was idle for a day counts on from the `seq` of its entries",
    check: "entry/revision-grows-over-idle-days",
    names: /revisions of a key in a partition with entries that were kept/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #usedAt = new Map<Partition, number>();

        protected override nextRevision(partition: Partition, op: Operation): number {
          const idleS = op.accepted_at - (this.#usedAt.get(partition) ?? op.accepted_at);
          this.#usedAt.set(partition, op.accepted_at);
          const sequence = [...partition.rows.values()].map(({ seq }) => seq);
          const isForgotten = idleS < IDLE_S || sequence.length === 0;
          return isForgotten ? super.nextRevision(partition, op) : Math.max(...sequence) + 1;
        }
      })(),
  }),
  pluginMutant({
    id: "entry-created-again-after-idle-days",
    defect: "an update of an entry that was not used for a week creates it again",
    check: "entry/revision-grows-over-idle-days",
    names: /`seq` and `created` of an entry that was updated after idle days/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
          const isIdle = previous !== undefined && context.acceptedAt - previous.accessed > 7 * IDLE_S;
          return super.merge(item, isIdle ? undefined : previous, context);
        }
      })(),
  }),
  pluginMutant({
    id: "entry-created-when-it-is-written",
    defect: "`created` and `updated` are the time at which the plugin writes an entry",
    check: "entry/created-is-the-time-of-acceptance",
    names: /of a store that the plugin receives 7 s after its acceptance/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
          const op = { ...request.op, accepted_at: this.now() };
          return super.storeAll(scope, { ...request, op });
        }
      })(),
  }),
  pluginMutant({
    id: "entry-life-begins-when-it-is-written",
    defect: "a ttl begins when the plugin writes an update",
    check: "entry/created-is-the-time-of-acceptance",
    names: /after an update that was accepted 20 s after the first store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
          const row = super.merge(item, previous, context);
          const { ttl } = row;
          const isRenewed = previous !== undefined && ttl !== null && ttl > 5;
          return isRenewed ? { ...row, expires_at: this.now() + ttl } : row;
        }
      })(),
  }),
];
