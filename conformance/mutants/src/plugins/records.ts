import { isJsonObject, type Json } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { merging, returning } from "../reference/with-rule.js";

/** The reference plugin with a restricted set of rows. */
function selectingOnly(isKept: (row: Row) => boolean): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override isSelected(...[row, request]: Parameters<ReferencePlugin["isSelected"]>) {
        return isKept(row) && super.isSelected(row, request);
      }
    })();
}

/** Rewrites a value from the inside out. Undefined drops a field. */
function rewritten(value: Json, change: (value: Json) => Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    return change(value.map((inner) => rewritten(inner, change)).filter((inner) => inner !== undefined));
  }
  if (!isJsonObject(value)) return change(value);
  const fields = Object.entries(value).map(([name, inner]) => [name, rewritten(inner, change)]);
  return change(Object.fromEntries(fields.filter(([, inner]) => inner !== undefined)) as Json);
}

const formMutants: readonly Mutant[] = [
  pluginMutant({
    id: "records-unknown-fields-lost",
    defect: "fields of a message that chapter 7 does not name are dropped",
    check: "records/come-back-as-stored",
    names: /content of the record "message: OpenAI: tool calls/,
    createPlugin: returning(({ content }) => {
      if (!isJsonObject(content) || content.role === undefined) return {};
      const { refusal: _, annotations: __, x: ___, ...known } = content;
      return { content: known };
    }),
  }),
  pluginMutant({
    id: "records-update-merges-into-the-old",
    defect: "an update keeps only existing fields of the content, and adds none",
    check: "records/survive-being-written-back",
    names: /content of the record "message: a system message", written back/,
    createPlugin: merging(({ content }, previous) => {
      if (!isJsonObject(previous?.content ?? null) || !isJsonObject(content)) return {};
      return {
        content: Object.fromEntries(Object.keys(previous!.content!).map((name) => [name, content[name]!])),
      };
    }),
  }),
  pluginMutant({
    id: "records-update-moves-to-the-end",
    defect: "the seq of an updated message becomes the revision of the update",
    check: "records/keep-the-order-of-arrival",
    names: /sorted by seq/,
    createPlugin: merging((_item, previous, _context, { revision }) => (previous ? { seq: revision } : {})),
  }),
];

const findingMutants: readonly Mutant[] = [
  pluginMutant({
    id: "records-other-kinds-lost",
    defect: "an entry of an unknown kind is acknowledged and not stored",
    check: "records/found-by-kind",
    names: /entries without a known kind/,
    createPlugin: selectingOnly(({ metadata }) => metadata?.kind !== "dream"),
  }),
  pluginMutant({
    id: "records-group-of-messages-alone",
    defect: "the group of a summary is not stored",
    check: "records/found-by-group",
    names: /records of the kind summary in the group c-7f3a/,
    createPlugin: merging(({ metadata }) => (metadata?.kind === "summary" ? { group: undefined } : {})),
  }),
  pluginMutant({
    id: "records-metadata-false-is-absent",
    defect: "metadata with the value false are dropped",
    check: "records/found-by-metadata",
    names: /records of the kind tool_call with success eq false/,
    createPlugin: merging(({ metadata }) => {
      const kept = Object.entries(metadata ?? {}).filter(([, value]) => value !== false);
      return metadata ? { metadata: Object.fromEntries(kept) } : {};
    }),
  }),
  pluginMutant({
    id: "records-long-strings-cut",
    defect: "a string within a content ends at 65,536 characters",
    check: "records/larger-than-an-entry",
    names: /the record, joined from its parts/,
    createPlugin: returning(({ content }) => ({
      content: rewritten(content, (value) => (typeof value === "string" ? value.slice(0, 65_536) : value)),
    })),
  }),
];

const cascadeMutant = pluginMutant({
  id: "records-empty-text-outlasts-a-cascade",
  defect: "a cascade only searches for derived entries with a text",
  check: "records/parts-go-with-their-head",
  names: /`cascaded` of a cascade of the head of two parts/,
  tier: "episodic",
  createPlugin: () =>
    new (class extends LineagePlugin {
      protected override names(...[row, hashes]: Parameters<LineagePlugin["names"]>): boolean {
        return row.text !== "" && super.names(row, hashes);
      }
    })(),
});

export const recordsMutants: readonly Mutant[] = [...formMutants, ...findingMutants, cascadeMutant];
