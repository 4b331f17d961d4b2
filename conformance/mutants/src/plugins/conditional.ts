import { MemoryError } from "@membus/protocol";
import type { StoreItem } from "@membus/protocol/plugin";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** The reference plugin with another rule for `if_revision`. */
function refusing(
  refusal: (
    item: StoreItem,
    previous: Row | undefined,
    sound: MemoryError | undefined,
  ) => MemoryError | undefined,
): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
        return refusal(item, previous, super.refusal(item, previous));
      }
    })();
}

const conflict = (detail: Readonly<Record<string, number>>) =>
  new MemoryError("conflict", "in conflict", detail);

export const conditionalMutants: readonly Mutant[] = [
  pluginMutant({
    id: "conditional-compares-with-seq",
    defect: "an if_revision is compared with the revision at creation, so that it fits no second update",
    check: "conditional/current-revision-is-stored",
    names: /errors of update 2 with the revision of the receipt before it/,
    createPlugin: refusing(({ if_revision }, previous) => {
      const revision = previous?.seq ?? 0;
      return if_revision == null || if_revision === revision ? undefined : conflict({ revision });
    }),
  }),
  pluginMutant({
    id: "conditional-refused-after-writing",
    defect: "an update in conflict is reported as such, but written",
    check: "conditional/former-revision-is-refused",
    names: /the entry after a store with the revision before the current one/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(
          ...[partition, item, ...more]: Parameters<ReferencePlugin["storeOne"]>
        ) {
          const refusal = this.refusal(item, this.previous(partition, item));
          const fate = await super.storeOne(partition, { ...item, if_revision: null }, ...more);
          return refusal === undefined ? fate : { error: refusal };
        }
      })(),
  }),
  pluginMutant({
    id: "conditional-accepts-later-revisions",
    defect: "an if_revision above the current revision is accepted",
    check: "conditional/later-revision-is-refused",
    names: /of a store with the current revision plus 1/,
    createPlugin: refusing(({ if_revision }, previous, sound) =>
      previous && if_revision! > previous.revision ? undefined : sound,
    ),
  }),
  pluginMutant({
    id: "conditional-equal-entry-is-unchanged",
    defect: "a store that changes nothing is not compared with its if_revision",
    check: "conditional/equal-entry-is-refused-too",
    names: /of a store that would change nothing, with a former revision/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refusal(item: StoreItem, previous: Row | undefined) {
          if (!previous) return super.refusal(item, previous);
          const { scope, updated: acceptedAt, author: agent, revision } = previous;
          const row = this.merge(item, previous, { scope, agent, acceptedAt, revision });
          return this.unchanged(item, row, previous) ? undefined : super.refusal(item, previous);
        }
      })(),
  }),
  pluginMutant({
    id: "conditional-zero-is-ignored",
    defect: "an if_revision of 0 is treated as absent",
    check: "conditional/zero-demands-that-there-is-none",
    names: /of a store of a key that exists with if_revision 0/,
    createPlugin: refusing(({ if_revision }, _, sound) => (if_revision ? sound : undefined)),
  }),
  pluginMutant({
    id: "conditional-new-key-is-stored",
    defect: "a missing key is created for any if_revision",
    check: "conditional/no-entry-has-revision-zero",
    names: /of a store of a new key with another key's revision/,
    createPlugin: refusing((_, previous, sound) => (previous ? sound : undefined)),
  }),
  pluginMutant({
    id: "conditional-remembers-forgotten-revisions",
    defect: "an if_revision is still compared with the revision of a forgotten entry",
    check: "conditional/forgotten-entry-has-revision-zero",
    names: /of a store with the last revision of an entry that was forgotten/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #forgotten = new Map<string, number>();

        protected override drop(...[row, ...more]: Parameters<ReferencePlugin["drop"]>) {
          this.#forgotten.set(row.key_hash, row.revision);
          super.drop(row, ...more);
        }

        protected override refusal(item: StoreItem, previous: Row | undefined) {
          const isCurrent = item.if_revision === this.#forgotten.get(item.key_hash);
          return previous === undefined && item.if_revision && isCurrent
            ? undefined
            : super.refusal(item, previous);
        }
      })(),
  }),
  pluginMutant({
    id: "conditional-conflict-fails-the-batch",
    defect: "one entry in conflict makes all entries of its store fail",
    check: "conditional/conflict-leaves-the-neighbours",
    names: /indexes of receipts and errors of a store of 4 entries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
          const partition = this.partition(scope);
          const refusals = request.entries.map((item) => this.refusal(item, this.previous(partition, item)));
          const error = refusals.find((refusal) => refusal !== undefined);
          if (error === undefined) return super.storeAll(scope, request);
          return { receipts: [], errors: request.entries.map(({ index }) => ({ index, error })) };
        }
      })(),
  }),
];
