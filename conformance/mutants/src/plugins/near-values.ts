import { canonicalJson, type FilterOperator, type Json } from "@membus/protocol";
import type { Operation, PluginRetrieveRequest } from "@membus/protocol/plugin";
import { rewriteRequests } from "../hosts/intercept.js";
import { readingEntries } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { comparing, returning } from "../reference/with-rule.js";

/** The reference plugin with another comparison of scores and `min_score`. */
function reaching(isReached: (score: number, minimum: number) => boolean): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override isFound(score: number, request: PluginRetrieveRequest, isRanked: boolean): boolean {
      return isReached(score, request.min_score) && (!isRanked || score > 0);
    }
  })();
}

/** The reference plugin with another comparison of numbers by some operators. */
function comparingNumbers(
  operators: readonly FilterOperator[],
  holds: (actual: number, value: number, sound: boolean) => boolean,
): ReferencePlugin {
  return filteringBy({
    leaf: (actual, { op, value }, sound) =>
      operators.includes(op) && typeof actual === "number" && typeof value === "number"
        ? holds(actual, value, sound)
        : sound,
  });
}

/** The reference plugin that treats a store as unchanged if these forms of the rows are equal. */
function takingAsUnchanged(form: (row: Row) => unknown): () => ReferencePlugin {
  return comparing((item, row, previous, sound) => {
    if (sound || item.expires_at !== null || previous.expires_at !== undefined) return sound;
    return canonicalJson(form(row) as Json) === canonicalJson(form(previous) as Json);
  });
}

/** Returns the fields that a caller chooses. */
function chosen(row: Row) {
  const { content, tags, source, occurred_at, importance, metadata, text, context, group, givenVector } = row;
  const vector = givenVector && Array.from(givenVector);
  const fields = { content, tags, source, occurred_at, importance, metadata, text, context, group, vector };
  return JSON.parse(JSON.stringify(fields)) as typeof fields;
}

/** The reference plugin that remembers operations by another form of their ids. */
function rememberingBy(form: (id: string) => string): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override operationKey(op: Pick<Operation, "tenant" | "agent" | "id">): string {
      return super.operationKey({ ...op, id: form(op.id) });
    }
  })();
}

const scores: readonly Mutant[] = [
  pluginMutant({
    id: "score-minimum-in-single-precision",
    defect: "`min_score` and the score are compared in single precision",
    check: "score/minimum-at-the-importance",
    names: /a min_score just above the score of entry/,
    createPlugin: () => reaching((score, minimum) => Math.fround(score) >= Math.fround(minimum)),
  }),
  pluginMutant({
    id: "score-returned-in-fewer-digits",
    defect: "query results have scores that are rounded up to 5 digits, and `min_score` meets the exact ones",
    check: "score/minimum-at-the-score-of-words",
    names: /ids and total of a query in mode text, with a min_score that equals the score/,
    createPlugin: returning(({ score }, { importance }) => ({
      score: score === importance ? score : Math.ceil(score * 1e5) / 1e5,
    })),
  }),
  pluginMutant({
    id: "score-minimum-of-a-vector-with-tolerance",
    defect: "an entry is found by a vector if its score is nearly the minimum",
    check: "score/minimum-at-the-score-of-a-vector",
    names: /ids and total of a vector, with a min_score just above the score/,
    createPlugin: () => reaching((score, minimum) => score >= minimum - 1e-7),
  }),
];

const numbers: readonly Mutant[] = [
  pluginMutant({
    id: "where-numbers-in-single-precision",
    defect: "`gte` and `lte` compare numbers of eight digits in single precision",
    check: "where/close-numbers-are-apart",
    names: /ids of the entries with `(gte|lte)` /,
    createPlugin: () =>
      comparingNumbers(["gte", "lte"], (actual, value, sound) => {
        const isLarge = Math.abs(value) > 1e7 && Math.abs(value) < 1e9;
        return sound || (isLarge && Math.fround(actual) === Math.fround(value));
      }),
  }),
  pluginMutant({
    id: "where-numbers-with-tolerance",
    defect: "`gt` and `lt` ignore differences in the last digits of numbers",
    check: "where/close-numbers-are-apart",
    names: /ids of the entries with `(gt|lt)` /,
    createPlugin: () =>
      comparingNumbers(["gt", "lt"], (actual, value, sound) => {
        return sound && Math.abs(actual - value) > Math.abs(value) * 1e-12;
      }),
  }),
];

const updates: readonly Mutant[] = [
  pluginMutant({
    id: "update-contents-by-normal-form",
    defect: "a content in another normal form of Unicode is unchanged",
    check: "update/near-contents-are-stored",
    names: /outcome of a store of "cafe?\W/,
    createPlugin: takingAsUnchanged((row) =>
      canonicalJson(JSON.parse(JSON.stringify(chosen(row)))).normalize("NFC"),
    ),
  }),
  pluginMutant({
    id: "update-contents-by-a-shortened-form",
    defect: "a content is compared up to its first 4,096 characters",
    check: "update/near-contents-are-stored",
    names: /outcome of a store of "xxx/,
    createPlugin: takingAsUnchanged((row) => {
      const { content, ...fields } = chosen(row);
      return { ...fields, content: JSON.stringify(content).slice(0, 4_096) };
    }),
  }),
  pluginMutant({
    id: "update-null-fields-are-absent",
    defect: "a content with a further field that is null is unchanged",
    check: "update/near-contents-are-stored",
    names: /outcome of a store of \{"a":1,"b":null\} over \{"a":1\}/,
    createPlugin: takingAsUnchanged((row) =>
      JSON.parse(JSON.stringify(chosen(row), (_, value) => (value === null ? undefined : value)) ?? "null"),
    ),
  }),
  pluginMutant({
    id: "update-metadata-lists-as-sets",
    defect: "lists in metadata are compared as sets",
    check: "update/near-fields-are-stored",
    names: /a store that differs only in \{"metadata":\{"list":\["b","a"\]/,
    createPlugin: takingAsUnchanged((row) => {
      const metadata = Object.entries(row.metadata ?? {}).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...new Set(value as string[])].sort() : value,
      ]);
      return { ...chosen(row), metadata };
    }),
  }),
  pluginMutant({
    id: "update-times-in-milliseconds",
    defect: "a time that differs by less than a millisecond is unchanged",
    check: "update/near-fields-are-stored",
    names: /a store that differs only in \{"occurred_at"/,
    createPlugin: takingAsUnchanged((row) => ({
      ...chosen(row),
      occurred_at: Math.round(row.occurred_at * 1_000),
    })),
  }),
];

const others: readonly Mutant[] = [
  pluginMutant({
    id: "update-embeddings-in-six-digits",
    defect: "an embedding that differs after the sixth digit is unchanged",
    check: "update/near-embeddings-are-stored",
    names: /outcome of a store with another value of component \d+/,
    createPlugin: takingAsUnchanged((row) => {
      const { vector, ...fields } = chosen(row);
      return { ...fields, vector: vector?.map((component) => Math.round(component * 1e6)) ?? null };
    }),
  }),
  hostMutant({
    id: "retry-bodies-by-normal-form",
    defect: "texts of entries are read in the normal form of Unicode",
    check: "retry/near-bodies-are-conflicts",
    names: /codes of a store of "cafe?\W* with the id of a store of/,
    bus: readingEntries((entry) =>
      typeof entry.content === "string" ? { ...entry, content: entry.content.normalize("NFC") } : entry,
    ),
  }),
  hostMutant({
    id: "retry-bodies-without-repeated-tags",
    defect: "repeated tags of an entry are removed before requests are compared",
    check: "retry/near-bodies-are-conflicts",
    names: /codes of a store that differs only in \{"tags":\["x","y","y"\]\}/,
    bus: readingEntries((entry) =>
      Array.isArray(entry.tags) ? { ...entry, tags: [...new Set(entry.tags)] } : entry,
    ),
  }),
  hostMutant({
    id: "cursor-for-sorted-tags",
    defect: "the tags of a request are sorted before requests are compared",
    check: "cursor/of-a-near-request-is-refused",
    names: /a retrieve with \{"tags":\["b","a"\]\}/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        fields.type === "memory/retrieve/req" && Array.isArray(fields.tags)
          ? { ...fields, tags: fields.tags.toSorted() }
          : fields,
      ),
  }),
];

const ids: readonly Mutant[] = [
  pluginMutant({
    id: "retry-ids-trimmed",
    defect: "blanks around the id of a request do not count",
    check: "retry/near-ids-are-apart",
    names: /codes of a first store with the id ".*Abc ", after ids that differ little/,
    createPlugin: () => rememberingBy((id) => id.trim()),
  }),
  pluginMutant({
    id: "retry-ids-cut",
    defect: "requests are remembered by the first 64 characters of their ids",
    check: "retry/near-ids-are-apart",
    names: /codes of a first store with the id ".*xxxb", after ids that differ little/,
    createPlugin: () => rememberingBy((id) => id.slice(0, 64)),
  }),
  pluginMutant({
    id: "retry-ids-in-one-form",
    defect: "requests are remembered by the compatible form of their ids",
    check: "retry/near-ids-are-apart",
    names: /codes of a first store with the id ".*", after ids that differ little/,
    createPlugin: () => rememberingBy((id) => id.normalize("NFKC")),
  }),
];

export const nearValueMutants: readonly Mutant[] = [...scores, ...numbers, ...updates, ...others, ...ids];
