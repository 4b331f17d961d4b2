import { MemoryError } from "@membus/protocol";
import { readingEntries, without } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { merging, returning } from "../reference/with-rule.js";

export const entryTimeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-updated-is-zero-at-first",
    defect: "`timestamps.updated` is 0 until the first update",
    check: "entry/timestamps-are-unix-seconds",
    names: /`timestamps\.updated` of a new entry, compared with `created`/,
    createPlugin: returning(({ timestamps, seq, revision }) => ({
      timestamps: { ...timestamps, updated: seq === revision ? 0 : timestamps.updated },
    })),
  }),
  pluginMutant({
    id: "entry-accessed-is-never-set",
    defect: "`timestamps.accessed` stays at the time of the last store",
    check: "entry/accessed-is-exact-in-working",
    names: /`timestamps\.accessed` minus `created`/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override touch() {}
      })(),
  }),
  hostMutant({
    id: "entry-ttl-zero-ends-at-once",
    defect: "a ttl of 0 expires the entry at once",
    check: "entry/ttl-null-and-zero-are-no-end",
    names: /key of the entry stored with ttl 0/,
    bus: readingEntries((entry) => (entry.ttl === 0 ? { ...entry, ttl: 0.001 } : entry)),
  }),
  hostMutant({
    id: "entry-short-ttl-is-stronger-than-expires-at",
    defect: "an expires_at is ignored if there is a ttl of less than a minute, which would end sooner",
    check: "entry/expires-at-is-stronger-than-ttl",
    names: /expires_at of an entry stored with ttl 1 and/,
    bus: readingEntries((entry) =>
      Number(entry.ttl) > 0 && Number(entry.ttl) < 60 ? without(entry, "expires_at") : entry,
    ),
  }),
  hostMutant({
    id: "entry-long-ttl-is-stronger-than-expires-at",
    defect: "an expires_at is ignored if there is a ttl of more than a minute",
    check: "entry/expires-at-is-stronger-than-ttl",
    names: /expires_at of an entry stored with ttl 5000 and/,
    bus: readingEntries((entry) => (Number(entry.ttl) > 60 ? without(entry, "expires_at") : entry)),
  }),
  hostMutant({
    id: "entry-ttl-null-is-stronger-than-expires-at",
    defect: "a ttl of null clears the given expires_at",
    check: "entry/expires-at-is-stronger-than-ttl",
    names: /expires_at of an entry stored with ttl null and/,
    bus: readingEntries((entry) => (entry.ttl === null ? without(entry, "expires_at") : entry)),
  }),
  pluginMutant({
    id: "entry-expires-at-in-whole-seconds",
    defect: "an entry expires at the next full second",
    check: "entry/end-is-returned",
    names: /expires_at of an entry stored with one/,
    createPlugin: merging(({ ttl, expires_at }) =>
      expires_at === null || Number.isInteger(ttl) ? {} : { expires_at: Math.ceil(expires_at) },
    ),
  }),
  pluginMutant({
    id: "entry-past-end-is-none",
    defect: "an expiry in the past is treated as absent",
    check: "entry/end-that-has-passed-ends-at-once",
    names: /keys and total of a retrieve after a store of a new entry/,
    createPlugin: merging(({ expires_at }, _, { acceptedAt }) =>
      expires_at !== null && expires_at < acceptedAt ? { ttl: null, expires_at: undefined } : {},
    ),
  }),
  pluginMutant({
    id: "entry-past-end-is-refused",
    defect: "an expiry that has just passed is refused",
    check: "entry/end-that-has-passed-ends-at-once",
    names: /errors of a store of a new entry and an update/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          const isPast = item.expires_at !== null && item.expires_at < this.now();
          return isPast ? new MemoryError("schema_violation", "past") : super.refusal(item, previous);
        }
      })(),
  }),
  pluginMutant({
    id: "entry-revision-counted-from-what-is-left",
    defect: "after a restart revisions continue from the remaining entries",
    check: "entry/revision-grows-across-reopening",
    names: /revisions of a forgotten entry/,
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override nextRevision({ lastRevision }: Partition) {
          return lastRevision + 1;
        }

        protected override replayRow(row: Row) {
          super.replayRow(row);
          super.replayRevision(row.scope, row.revision);
        }

        protected override replayRevision() {}
      })(),
  }),
];
