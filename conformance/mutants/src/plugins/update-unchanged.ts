import { readingEntries } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { isUnchanged } from "../reference/merge.js";
import type { Row } from "../reference/row.js";
import { comparing } from "../reference/with-rule.js";

const inOrder = ({ content, metadata }: Row) => JSON.stringify([content, metadata]);
const asText = ({ metadata }: Row) => String(Object.entries(metadata ?? {}));

export const updateUnchangedMutants: readonly Mutant[] = [
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
    id: "update-unchanged-needs-the-order-of-fields",
    defect: "content and metadata with reordered fields count as changed",
    check: "update/order-of-fields-changes-nothing",
    names: /outcome of the same store with the fields .* in another order/,
    createPlugin: comparing((_, row, previous, sound) => sound && inOrder(row) === inOrder(previous)),
  }),
  pluginMutant({
    id: "update-unchanged-compares-as-text",
    defect: 'a metadata value of 1 and one of "1" are treated as equal',
    check: "update/every-difference-is-stored",
    names: /differs from the entry only in \{"metadata":\{"lang":"en","rank":"1"\}\}/,
    createPlugin: comparing((item, row, previous, sound) => {
      const isSameText = asText(row) === asText(previous);
      return sound || (isSameText && isUnchanged(item, { ...row, metadata: previous.metadata }, previous));
    }),
  }),
  pluginMutant({
    id: "update-absent-metadata-is-a-change",
    defect: "a store without metadata counts as a change of an entry with metadata",
    check: "update/fields-of-a2e-alone-are-unchanged",
    names: /outcome of a store of the same key, content, tags and source/,
    createPlugin: comparing(
      (item, _, { metadata }, sound) => sound && (metadata === undefined || item.metadata != null),
    ),
  }),
  hostMutant({
    id: "update-takes-created-for-occurred-at",
    defect: "the `timestamps.created` of a stored entry is used as its occurred_at",
    check: "update/stored-as-retrieved-is-unchanged",
    names: /outcome of a store of an entry as it was retrieved/,
    bus: readingEntries((entry) => {
      const { created } = (entry.timestamps ?? {}) as { created?: unknown };
      return created === undefined ? entry : { ...entry, occurred_at: created };
    }),
  }),
  pluginMutant({
    id: "update-unchanged-overlooks-the-end",
    defect: "a store that sets an expiry counts as unchanged",
    check: "update/an-end-is-never-unchanged",
    names: /outcomes of a store of the same three entries/,
    createPlugin: comparing(
      (item, row, previous, sound) =>
        sound ||
        (previous.expires_at === undefined && isUnchanged({ ...item, expires_at: null }, row, previous)),
    ),
  }),
];
