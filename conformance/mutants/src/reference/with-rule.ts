import type { MemoryEntry } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import type { MergeContext } from "./merge.js";
import { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** The reference plugin with changed fields of stored rows. */
export function merging(
  fields: (item: StoreItem, previous: Row | undefined, context: MergeContext, row: Row) => Partial<Row>,
): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
        const row = super.merge(item, previous, context);
        return { ...row, ...fields(item, previous, context, row) };
      }
    })();
}

/** The reference plugin with changed fields of returned entries. */
export function returning(fields: (entry: MemoryEntry, row: Row) => object): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override entry(...[row, ...more]: Parameters<ReferencePlugin["entry"]>) {
        const entry = super.entry(row, ...more);
        return { ...entry, ...fields(entry, row) };
      }
    })();
}

/** The reference plugin with another rule for unchanged stores. */
export function comparing(
  isUnchanged: (item: StoreItem, row: Row, previous: Row, sound: boolean) => boolean,
): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override unchanged(...[item, row, previous]: Parameters<ReferencePlugin["unchanged"]>) {
        return isUnchanged(item, row, previous, super.unchanged(item, row, previous));
      }
    })();
}
