import type { MemoryEntry } from "@membus/protocol";
import type { Operation } from "@membus/protocol/plugin";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import { comparing, merging, returning } from "../reference/with-rule.js";

/** The reference plugin with changed metadata in returned entries. */
function withMetadata(change: (fields: [string, unknown][]) => [string, unknown][]): () => ReferencePlugin {
  return returning(({ metadata }) =>
    metadata === undefined ? {} : { metadata: Object.fromEntries(change(Object.entries(metadata))) },
  );
}

/** The reference plugin with changed contents in returned entries. */
function withContent(change: (content: MemoryEntry["content"]) => unknown): () => ReferencePlugin {
  return returning(({ content }) => ({ content: change(content) }));
}

/** The reference plugin with other revisions. */
function issuing(revision: (partition: Partition, op: Operation) => number): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override nextRevision(partition: Partition, op: Operation) {
        return revision(partition, op);
      }
    })();
}

const highestOf = ({ rows }: Partition) => Math.max(0, ...[...rows.values()].map(({ revision }) => revision));

export const entryFieldsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-source-is-empty",
    defect: "an absent source is the empty string",
    check: "entry/absent-fields-take-their-default",
    names: /source of an entry stored with only key, content and tier/,
    createPlugin: merging(({ source }) => ({ source: source ?? "" })),
  }),
  pluginMutant({
    id: "entry-metadata-lists-of-one-unpacked",
    defect: "a metadata list of one element is returned as that element",
    check: "entry/fields-are-returned-as-stored",
    names: /metadata of an entry as it was stored/,
    createPlugin: withMetadata((fields) =>
      fields.map(([name, value]) => [name, Array.isArray(value) && value.length === 1 ? value[0] : value]),
    ),
  }),
  pluginMutant({
    id: "entry-content-null-is-an-object",
    defect: "a content of null becomes an empty object",
    check: "entry/content-is-any-json",
    names: /content of the entry stored with content null/,
    createPlugin: withContent((content) => content ?? {}),
  }),
  pluginMutant({
    id: "entry-content-null-is-dropped",
    defect: "an entry with content null is acknowledged and not stored",
    check: "entry/content-is-any-json",
    names: /the entry stored with content null/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isSelected(...[row, request]: Parameters<ReferencePlugin["isSelected"]>) {
          return row.content !== null && super.isSelected(row, request);
        }
      })(),
  }),
  pluginMutant({
    id: "entry-content-strings-are-parsed",
    defect: "a string content with JSON is returned as parsed JSON",
    check: "entry/content-is-any-json",
    names: /content of the entry stored with content "0"/,
    createPlugin: withContent((content) =>
      typeof content === "string" && /^(\d+|null)$/.test(content) ? JSON.parse(content) : content,
    ),
  }),
  pluginMutant({
    id: "entry-content-numbers-in-single-precision",
    defect: "numbers within a content are kept in 32 bits",
    check: "entry/content-is-any-json",
    names: /content of the entry stored with content -1e-7/,
    createPlugin: withContent((content) => (typeof content === "number" ? Math.fround(content) : content)),
  }),
  pluginMutant({
    id: "entry-score-beats-importance",
    defect: "the importance of a new entry is its score, even if it has an importance",
    check: "entry/importance-at-creation",
    names: /importance of an entry created with importance 0\.25 and score 0\.75/,
    createPlugin: merging(({ score, importance }, previous) =>
      previous === undefined ? { importance: score ?? importance ?? 1 } : {},
    ),
  }),
  pluginMutant({
    id: "entry-score-of-zero-is-none",
    defect: "a score of 0 is treated as absent",
    check: "entry/importance-at-creation",
    names: /importance of an entry created with score 0 and/,
    createPlugin: merging(({ score, importance }, previous) =>
      previous === undefined ? { importance: importance ?? (score || 1) } : {},
    ),
  }),
  pluginMutant({
    id: "entry-author-is-the-source",
    defect: "the author is the source of the entry",
    check: "entry/author-is-the-agent",
    names: /author of an entry stored with the source/,
    createPlugin: merging(({ source }, _, { agent }) => ({ author: source ?? agent })),
  }),
  pluginMutant({
    id: "entry-author-is-the-last-to-store",
    defect: "a store that changes nothing makes its agent the author",
    check: "entry/author-is-of-the-current-revision",
    names: /author after a store that changes nothing/,
    tier: "semantic",
    createPlugin: comparing((_, { author }, previous, sound) => {
      if (sound) Object.assign(previous, { author });
      return sound;
    }),
  }),
  pluginMutant({
    id: "entry-revision-is-used-again",
    defect: "revisions are derived from existing entries, so one repeats after a forget",
    check: "entry/revision-grows",
    names: /revisions of a key that is created, updated, forgotten/,
    createPlugin: issuing((partition) => highestOf(partition) + 1),
  }),
  pluginMutant({
    id: "entry-revision-in-seconds",
    defect: "a revision is the time in whole seconds, which two changes may share",
    check: "entry/revision-of-every-change-is-another",
    names: /different revisions of 24 changes/,
    createPlugin: issuing((_, { accepted_at }) => Math.floor(accepted_at) * 1e6),
  }),
  pluginMutant({
    id: "entry-revision-is-a-count",
    defect: "revisions are counted from 1 in each partition",
    check: "entry/revision-is-the-time-in-microseconds",
    names: /lowest revision of the first store in a partition/,
    createPlugin: issuing(({ lastRevision }) => lastRevision + 1),
  }),
];
