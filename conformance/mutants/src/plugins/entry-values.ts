import type { Json, MemoryKey } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { filteringBy } from "../reference/filter-rules.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { merging, returning } from "../reference/with-rule.js";

/** Returns JSON as text that is truncated at the length of a column. */
function cutJson(content: Json, length: number): Json {
  const text = JSON.stringify(content);
  if (text.length <= length || typeof content !== "string") return content;
  return content.slice(0, length - 2);
}

/** Returns a value with at most `left` levels of nested objects and lists. */
function levels(value: Json, left: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (left === 0) return null;
  if (Array.isArray(value)) return value.map((part) => levels(part, left - 1));
  const fields = Object.entries(value as Readonly<Record<string, Json>>);
  return Object.fromEntries(fields.map(([name, part]) => [name, levels(part, left - 1)]));
}

/** The durable plugin with changed rows when it reads its journal. */
function replaying(change: (row: Row) => Partial<Row>): () => DurablePlugin {
  return () =>
    new (class extends DurablePlugin {
      protected override replayRow(row: Row): void {
        super.replayRow({ ...row, ...change(row) });
      }
    })();
}

/** The reference plugin with texts compared after `fold`. */
function comparingTexts(fold: (text: string) => string): () => ReferencePlugin {
  const asText = (value: unknown) => (typeof value === "string" ? fold(value) : value);
  return () =>
    filteringBy({
      leaf(actual, { field, op, value }, sound) {
        if (field === "key_hash" || !["eq", "in"].includes(op) || typeof actual === "number") return sound;
        const wanted = [value].flat().map(asText);
        return sound || [actual].flat().some((one) => one !== undefined && wanted.includes(asText(one)));
      },
    });
}

const contentMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-content-cut-at-64-kib",
    defect: "a content is kept in a column of 65,535 characters",
    check: "entry/large-contents-come-back",
    names: /first difference of `content` to the stored value: its content is a text of 200 KiB/,
    createPlugin: merging(({ content }) => ({ content: cutJson(content, 65_535) })),
  }),
  pluginMutant({
    id: "entry-content-in-pieces-of-bytes",
    defect:
      "a text is written in pieces of 64 KiB, each decoded separately, so that characters at the ends are lost",
    check: "entry/large-contents-come-back",
    names: /to the stored value: its content is a text of 200 KiB of letters beyond ASCII/,
    createPlugin: merging(({ content }) => {
      if (typeof content !== "string") return {};
      const bytes = Buffer.from(content);
      const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
        bytes.subarray(at * 65_536, (at + 1) * 65_536).toString("utf8"),
      );
      return { content: pieces.join("") };
    }),
  }),
  pluginMutant({
    id: "entry-content-of-fifty-levels",
    defect: "an object is read back to 50 levels",
    check: "entry/large-contents-come-back",
    names: /its content is nested objects and lists/,
    createPlugin: merging(({ content }) => ({ content: levels(content, 50) })),
  }),
  pluginMutant({
    id: "entry-content-overwritten-in-place",
    defect: "a smaller content overwrites a larger one, and the rest of the old one is still read",
    check: "entry/large-contents-come-back",
    names: /it is small, and was a text of 200 KiB/,
    createPlugin: merging(({ content }, previous) => {
      const before = previous?.content;
      const isOver = typeof content === "string" && typeof before === "string" && before.length > 70_000;
      return isOver && content.length < 100 ? { content: `${content}${before.slice(content.length)}` } : {};
    }),
  }),
  pluginMutant({
    id: "entry-blanks-trimmed-from-content",
    defect: "spaces at the end of a long text are dropped",
    check: "entry/large-contents-come-back",
    names: /its content is a text followed by 100,000 spaces/,
    createPlugin: merging(({ content }) =>
      typeof content === "string" && content.length > 1_000 && content.trimEnd().length < 1_000
        ? { content: content.trimEnd() }
        : {},
    ),
  }),
];

const numberMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-importance-of-half-precision",
    defect: "importance is kept in a column of float32",
    check: "entry/numbers-come-back-exactly",
    names: /first difference of `importance` to the stored value/,
    createPlugin: merging((_item, _previous, _context, row) => ({ importance: Math.fround(row.importance) })),
  }),
  pluginMutant({
    id: "entry-occurred-at-zero-is-none",
    defect: "an occurred_at of 0 is treated as absent",
    check: "entry/numbers-come-back-exactly",
    names: /first difference of `occurred_at` to the stored value/,
    createPlugin: merging(({ occurred_at }, previous, { acceptedAt }) => ({
      occurred_at: occurred_at || previous?.occurred_at || acceptedAt,
    })),
  }),
  pluginMutant({
    id: "entry-times-in-milliseconds",
    defect: "occurred_at is kept in whole milliseconds",
    check: "entry/numbers-come-back-exactly",
    names: /first difference of `occurred_at` to the stored value/,
    createPlugin: merging((_item, _previous, _context, row) => ({
      occurred_at: Math.round(row.occurred_at * 1_000) / 1_000,
    })),
  }),
  pluginMutant({
    id: "entry-minimum-compared-in-half-precision",
    defect: "scores are compared with `min_score` as float32",
    check: "entry/numbers-come-back-exactly",
    names: /total of a `min_score` of/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isFound(...[score, request, isRanked]: Parameters<ReferencePlugin["isFound"]>) {
          return super.isFound(Math.fround(score), request, isRanked);
        }
      })(),
  }),
  pluginMutant({
    id: "entry-metadata-numbers-of-32-bits",
    defect: "numbers in metadata are compared as float32",
    check: "entry/numbers-come-back-exactly",
    names: /total for a number in metadata of/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          field.startsWith("metadata.") &&
          op === "eq" &&
          typeof actual === "number" &&
          typeof value === "number"
            ? Math.fround(actual) === Math.fround(value)
            : sound,
      }),
  }),
];

const longMutants: readonly Mutant[] = [
  pluginMutant({
    id: "entry-source-cut",
    defect: "a source is kept in a column of 255 characters",
    check: "entry/longest-values-come-back",
    names: /first difference of `source` to the stored value/,
    createPlugin: merging((_item, _previous, _context, { source }) => ({ source: source.slice(0, 255) })),
  }),
  pluginMutant({
    id: "entry-text-cut-as-derived",
    defect: "a given text is truncated like a derived one",
    check: "entry/longest-values-come-back",
    names: /first difference of `text` to the stored value/,
    createPlugin: merging((_item, _previous, _context, { text }) => ({ text: text?.slice(0, 8_192) })),
  }),
  pluginMutant({
    id: "entry-group-indexed-by-its-beginning",
    defect: "groups are looked up by their first 2,704 characters, the maximum of an index",
    check: "entry/longest-values-come-back",
    names: /contents by \{"group":/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          field === "group" && op === "eq"
            ? `${actual}`.slice(0, 2_704) === `${value}`.slice(0, 2_704)
            : sound,
      }),
  }),
  pluginMutant({
    id: "entry-tags-joined",
    defect: "tags are stored as one text separated by commas",
    check: "entry/spellings-come-back",
    names: /first difference of `tags` to the stored value/,
    createPlugin: merging((_item, _previous, _context, { tags }) => ({
      tags: tags.length === 0 ? [] : tags.join(",").split(","),
    })),
  }),
  pluginMutant({
    id: "entry-texts-end-at-nul",
    defect: "texts end at a NUL, as in C",
    check: "entry/spellings-come-back",
    names: /to the stored value: its texts are "abc\\u0000"/,
    createPlugin: merging((_item, _previous, _context, row) => ({ source: row.source.split("\u0000")[0]! })),
  }),
  pluginMutant({
    id: "entry-key-read-from-yaml",
    defect: "the texts of a key that look like numbers are read back as numbers",
    check: "entry/spellings-come-back",
    names: /first difference of `key` to the stored value: its texts are "(1|01|1\.0)"/,
    createPlugin: returning(({ key }) => ({ key: withNumbers(key) })),
  }),
  pluginMutant({
    id: "entry-metadata-normalised",
    defect: "the texts of metadata are normalised to the composed form of Unicode",
    check: "entry/spellings-come-back",
    names: /first difference of `metadata` to the stored value/,
    createPlugin: merging((_item, _previous, _context, { metadata }) => ({
      metadata: metadata && (JSON.parse(JSON.stringify(metadata).normalize("NFC")) as Row["metadata"]),
    })),
  }),
];

function withNumbers(key: MemoryKey): MemoryKey {
  const fields = Object.entries(key).map(([name, value]) => [
    name,
    /^\d[\d.]*$/.test(`${value}`) ? Number(value) : value,
  ]);
  return Object.fromEntries(fields) as MemoryKey;
}

const foldedMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retrieve-criteria-without-case",
    defect: "columns of text are compared without case",
    check: "retrieve/criteria-tell-spellings-apart",
    names: /numbers found by \{"tags":\["abc"\]\}/,
    createPlugin: comparingTexts((text) => text.toLowerCase()),
  }),
  pluginMutant({
    id: "retrieve-criteria-with-padding",
    defect: "spaces at the end of a text are ignored in comparisons",
    check: "retrieve/criteria-tell-spellings-apart",
    names: /numbers found by \{"tags":\["abc"\]\}/,
    createPlugin: comparingTexts((text) => text.replace(/ +$/, "")),
  }),
  pluginMutant({
    id: "retrieve-criteria-as-numbers",
    defect: "texts that look like numbers are compared as numbers",
    check: "retrieve/criteria-tell-spellings-apart",
    names: /numbers found by \{"tags":\["1"\]\}/,
    createPlugin: comparingTexts((text) => (/^\d[\d.]*$/.test(text) ? `${Number(text)}` : text)),
  }),
  pluginMutant({
    id: "retrieve-groups-with-like",
    defect: "a forget by group compares with LIKE",
    check: "retrieve/criteria-tell-spellings-apart",
    names: /`deleted` of a forget of the group "a(_|%)c"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          const group = /"group","op":"eq","value":"([a-z_%]*)"/.exec(JSON.stringify(request.filter))?.[1];
          if (group === undefined) return super.doomed(selector, request);
          const pattern = new RegExp(`^${group.replaceAll("%", ".*").replaceAll("_", ".")}$`, "s");
          return this.select(selector, { filter: { all: [] } }).filter((row) =>
            pattern.test(row.group ?? ""),
          );
        }
      })(),
  }),
  pluginMutant({
    id: "durability-importance-read-as-float32",
    defect: "importance is stored on disk as float32",
    check: "durability/values-survive-reopen",
    names: /first difference of `importance` to the stored value: after close and open/,
    tier: "episodic",
    createPlugin: replaying(({ importance }) => ({ importance: Math.fround(importance) })),
  }),
  pluginMutant({
    id: "durability-large-contents-dropped",
    defect: "a content of more than 128 KiB is not read from disk",
    check: "durability/values-survive-reopen",
    names: /first difference of `content` to the stored value: after close and open/,
    tier: "episodic",
    createPlugin: replaying(({ content }) =>
      JSON.stringify(content).length > 131_072 ? { content: "" } : {},
    ),
  }),
  pluginMutant({
    id: "durability-texts-trimmed",
    defect: "groups are restored without surrounding spaces",
    check: "durability/values-survive-reopen",
    names: /first difference of `group` to the stored value: after close and open/,
    tier: "episodic",
    createPlugin: replaying(({ group }) => ({ group: group?.trim() })),
  }),
];

/** Mutants that cut, round, trim or fold values. */
export const entryValueMutants: readonly Mutant[] = [
  ...contentMutants,
  ...numberMutants,
  ...longMutants,
  ...foldedMutants,
];
