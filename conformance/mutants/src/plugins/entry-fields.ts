import type { MemoryEntry, Operation } from "@membus/protocol";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import { comparing, merging, returning } from "../reference/with-rule.js";

/** The reference plugin, which returns metadata with these fields in place of its own. */
function withMetadata(change: (fields: [string, unknown][]) => [string, unknown][]): () => ReferencePlugin {
  return returning(({ metadata }) =>
    metadata === undefined ? {} : { metadata: Object.fromEntries(change(Object.entries(metadata))) },
  );
}

/** The reference plugin, which returns contents as this makes them. */
function withContent(change: (content: MemoryEntry["content"]) => unknown): () => ReferencePlugin {
  return returning(({ content }) => ({ content: change(content) }));
}

/** The reference plugin, which issues revisions of its own. */
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
    names: /source of an entry stored with key, content and tier alone/,
    createPlugin: merging(({ source }) => ({ source: source ?? "" })),
  }),
  pluginMutant({
    id: "entry-importance-is-zero",
    defect: "an entry without importance and score has importance 0",
    check: "entry/absent-fields-take-their-default",
    names: /importance of an entry stored with key, content and tier alone/,
    createPlugin: merging(({ importance, score }, previous) =>
      previous === undefined && importance == null && score == null ? { importance: 0 } : {},
    ),
  }),
  pluginMutant({
    id: "entry-occurred-at-is-zero",
    defect: "an absent occurred_at is 1970",
    check: "entry/absent-fields-take-their-default",
    names: /occurred_at of an entry stored with key, content and tier alone/,
    createPlugin: merging(({ occurred_at }, previous) => ({
      occurred_at: occurred_at ?? previous?.occurred_at ?? 0,
    })),
  }),
  pluginMutant({
    id: "entry-text-is-returned-derived",
    defect: "an entry without text is returned with the text that was derived of it",
    check: "entry/absent-fields-take-their-default",
    names: /text of an entry stored with key, content and tier alone/,
    createPlugin: returning(({ text, content }) => ({ text: text ?? String(content) })),
  }),
  pluginMutant({
    id: "entry-metadata-as-strings",
    defect: "metadata values become strings",
    check: "entry/fields-are-returned-as-stored",
    names: /metadata of an entry as it was stored/,
    createPlugin: withMetadata((fields) =>
      fields.map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
    ),
  }),
  pluginMutant({
    id: "entry-metadata-without-the-empty",
    defect: "metadata values that are false, 0 or empty are dropped",
    check: "entry/fields-are-returned-as-stored",
    names: /metadata of an entry as it was stored/,
    createPlugin: withMetadata((fields) => fields.filter(([, value]) => value)),
  }),
  pluginMutant({
    id: "entry-metadata-with-read-numbers",
    defect: 'metadata values such as "1" and "true" are read as a number and a boolean',
    check: "entry/fields-are-returned-as-stored",
    names: /metadata of an entry as it was stored/,
    createPlugin: withMetadata((fields) =>
      fields.map(([name, value]) => [
        name,
        /^(\d+|true|false)$/.test(String(value)) ? JSON.parse(String(value)) : value,
      ]),
    ),
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
    id: "entry-tags-in-lower-case",
    defect: "tags are kept in lower case",
    check: "entry/fields-are-returned-as-stored",
    names: /tags of an entry as it was stored/,
    createPlugin: merging(({ tags }) => ({ tags: tags?.map((tag) => tag.toLowerCase()) ?? [] })),
  }),
  pluginMutant({
    id: "entry-tags-sorted",
    defect: "tags are kept sorted",
    check: "entry/fields-are-returned-as-stored",
    names: /tags of an entry as it was stored/,
    createPlugin: merging(({ tags }) => ({ tags: [...(tags ?? [])].sort() })),
  }),
  pluginMutant({
    id: "entry-occurred-at-in-whole-seconds",
    defect: "occurred_at is kept in whole seconds",
    check: "entry/fields-are-returned-as-stored",
    names: /occurred_at of an entry as it was stored/,
    createPlugin: merging(({ occurred_at }) => (occurred_at ? { occurred_at: Math.floor(occurred_at) } : {})),
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
    defect: "an entry whose content is null is acknowledged and not kept",
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
    id: "entry-content-as-text",
    defect: "a content that is no string is returned as its JSON text",
    check: "entry/content-is-any-json",
    names: /content of the entry stored with content null/,
    createPlugin: withContent((content) => (typeof content === "string" ? content : JSON.stringify(content))),
  }),
  pluginMutant({
    id: "entry-content-strings-are-parsed",
    defect: "a content that is a string of JSON is returned as what it holds",
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
    id: "entry-content-without-controls",
    defect: "a string content is cut at its first U+0000",
    check: "entry/content-is-any-json",
    names: /content of the entry stored with content "quotes/,
    createPlugin: withContent((content) =>
      typeof content === "string" ? content.split("\u0000")[0] : content,
    ),
  }),
  pluginMutant({
    id: "entry-score-beats-importance",
    defect: "the importance of a new entry is its score, also where it names an importance",
    check: "entry/importance-at-creation",
    names: /importance of an entry created with importance 0\.25 and score 0\.75/,
    createPlugin: merging(({ score, importance }, previous) =>
      previous === undefined ? { importance: score ?? importance ?? 1 } : {},
    ),
  }),
  pluginMutant({
    id: "entry-score-is-ignored",
    defect: "the score of a new entry is ignored",
    check: "entry/importance-at-creation",
    names: /importance of an entry created with score 0\.5/,
    createPlugin: merging(({ importance }, previous) =>
      previous === undefined ? { importance: importance ?? 1 } : {},
    ),
  }),
  pluginMutant({
    id: "entry-score-of-zero-is-none",
    defect: "a score of 0 is taken for an absent one",
    check: "entry/importance-at-creation",
    names: /importance of an entry created with score 0 and/,
    createPlugin: merging(({ score, importance }, previous) =>
      previous === undefined ? { importance: importance ?? (score || 1) } : {},
    ),
  }),
  pluginMutant({
    id: "entry-author-is-the-source",
    defect: "the author is taken from the source that the entry names",
    check: "entry/author-is-the-agent",
    names: /author of an entry stored with the source/,
    createPlugin: merging(({ source }, _, { agent }) => ({ author: source ?? agent })),
  }),
  pluginMutant({
    id: "entry-author-is-the-creator",
    defect: "the author of a shared entry stays the agent that created it",
    check: "entry/author-is-of-the-current-revision",
    names: /author after an update by another agent/,
    tier: "semantic",
    createPlugin: merging((_, previous, { agent }) => ({ author: previous?.author ?? agent })),
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
    defect:
      "revisions are counted from those of the entries that are there, so that one comes again after a forget",
    check: "entry/revision-grows",
    names: /revisions of a key that is created, updated, forgotten/,
    createPlugin: issuing((partition) => highestOf(partition) + 1),
  }),
  pluginMutant({
    id: "entry-revision-goes-down",
    defect: "each revision is below the one before it",
    check: "entry/revision-grows",
    names: /revisions of a key that is created, updated, forgotten/,
    createPlugin: issuing(({ lastRevision }) => (lastRevision === 0 ? 2 ** 50 : lastRevision - 1)),
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
