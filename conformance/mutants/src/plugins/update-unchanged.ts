import { isDeepStrictEqual } from "node:util";
import { readingEntries, without } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { isUnchanged } from "../reference/merge.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { comparing } from "../reference/with-rule.js";

const inOrder = ({ content, metadata }: Row) => JSON.stringify([content, metadata]);
const asText = ({ metadata }: Row) => String(Object.entries(metadata ?? {}));

export const updateUnchangedMutants: readonly Mutant[] = [
  pluginMutant({
    id: "update-unchanged-makes-a-revision",
    defect: "a store that changes nothing makes a new revision",
    check: "update/unchanged-makes-no-revision",
    names: /outcome of the same store once more/,
    createPlugin: comparing(() => false),
  }),
  pluginMutant({
    id: "update-unchanged-sets-updated",
    defect: "a store that changes nothing sets `timestamps.updated`",
    check: "update/unchanged-makes-no-revision",
    names: /`timestamps\.updated` after a store that changes nothing/,
    createPlugin: comparing((_, { updated }, previous, sound) => {
      if (sound) Object.assign(previous, { updated });
      return sound;
    }),
  }),
  pluginMutant({
    id: "update-unchanged-receipt-names-a-new-revision",
    defect: "the receipt of a store that changes nothing names a revision that the entry does not have",
    check: "update/unchanged-makes-no-revision",
    names: /revision in the receipt of a store that changes nothing/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(...args: Parameters<ReferencePlugin["storeOne"]>) {
          const fate = await super.storeOne(...args);
          if (!("receipt" in fate) || fate.receipt.outcome !== "unchanged") return fate;
          return { receipt: { ...fate.receipt, revision: fate.receipt.revision + 1 } };
        }
      })(),
  }),
  pluginMutant({
    id: "update-unchanged-needs-the-order-of-fields",
    defect: "content and metadata with their fields in another order are taken for other ones",
    check: "update/order-of-fields-changes-nothing",
    names: /outcome of the same store with the fields .* in another order/,
    createPlugin: comparing((_, row, previous, sound) => sound && inOrder(row) === inOrder(previous)),
  }),
  pluginMutant({
    id: "update-unchanged-looks-at-content-alone",
    defect: "a store of the same content is taken for one that changes nothing, whatever else it changes",
    check: "update/every-difference-is-stored",
    names: /outcome of a store that differs from the entry in \{"tags":\["x"\]\}/,
    createPlugin: comparing(
      (_, row, previous, sound) =>
        sound || (row.expires_at === undefined && isDeepStrictEqual(row.content, previous.content)),
    ),
  }),
  pluginMutant({
    id: "update-unchanged-compares-as-text",
    defect: 'a metadata value of 1 and one of "1" are taken for the same',
    check: "update/every-difference-is-stored",
    names: /differs from the entry in \{"metadata":\{"lang":"en","rank":"1"\}\}/,
    createPlugin: comparing((item, row, previous, sound) => {
      const isSameText = asText(row) === asText(previous);
      return sound || (isSameText && isUnchanged(item, { ...row, metadata: previous.metadata }, previous));
    }),
  }),
  pluginMutant({
    id: "update-absent-metadata-is-a-change",
    defect: "a store without metadata is taken for a change of an entry that has some",
    check: "update/fields-of-a2e-alone-are-unchanged",
    names: /outcome of a store of the same key, content, tags and source/,
    createPlugin: comparing(
      (item, _, { metadata }, sound) => sound && (metadata === undefined || item.metadata != null),
    ),
  }),
  pluginMutant({
    id: "update-another-score-is-a-change",
    defect: "a score that is not the importance of the entry is taken for a change",
    check: "update/fields-of-a2e-alone-are-unchanged",
    names: /outcome of a store of the same key, content, tags and source/,
    createPlugin: comparing(
      ({ score }, _, { importance }, sound) => sound && (score == null || score === importance),
    ),
  }),
  hostMutant({
    id: "update-refuses-retrieved-entries",
    defect:
      "an entry with fields that only the host sets is refused, so that a retrieved one cannot be stored",
    check: "update/stored-as-retrieved-is-unchanged",
    names: /errors of a store of an entry as it was retrieved/,
    bus: readingEntries((entry) => ("timestamps" in entry ? without(entry, "content") : entry)),
  }),
  hostMutant({
    id: "update-takes-created-for-occurred-at",
    defect: "the `timestamps.created` of an entry that is stored is taken for its occurred_at",
    check: "update/stored-as-retrieved-is-unchanged",
    names: /outcome of a store of an entry as it was retrieved/,
    bus: readingEntries((entry) => {
      const { created } = (entry.timestamps ?? {}) as { created?: unknown };
      return created === undefined ? entry : { ...entry, occurred_at: created };
    }),
  }),
  pluginMutant({
    id: "update-unchanged-overlooks-the-end",
    defect: "a store is taken for one that changes nothing, although it sets an end",
    check: "update/an-end-is-never-unchanged",
    names: /outcomes of a store of the same three entries/,
    createPlugin: comparing(
      (item, row, previous, sound) =>
        sound ||
        (previous.expires_at === undefined && isUnchanged({ ...item, expires_at: null }, row, previous)),
    ),
  }),
  pluginMutant({
    id: "update-unchanged-keeps-the-end",
    defect: "a store without an end is taken for one that changes nothing, although the entry has an end",
    check: "update/an-end-is-never-unchanged",
    names: /outcomes of a store of the same three entries/,
    createPlugin: comparing(
      (item, row, previous, sound) => sound || isUnchanged(item, row, { ...previous, expires_at: undefined }),
    ),
  }),
];
