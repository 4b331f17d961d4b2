import { isDeepStrictEqual } from "node:util";
import { canonicalJson, type MemoryKey, type Scope, scopeId } from "@membus/protocol";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin with keys that are equal if `identity` returns the same text. */
function identifying(identity: (key: MemoryKey) => string): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override rowKey({ key }: Parameters<ReferencePlugin["rowKey"]>[0]) {
        return identity(key);
      }
    })();
}

/** The reference plugin with partitions that are equal if `place` returns the same scope. */
function placing(place: (scope: Scope) => Scope): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override partitionKey(scope: Scope) {
        return scopeId(place(scope));
      }
    })();
}

/** The reference plugin with forgets that also delete the same keys in other partitions. */
function forgettingAlso(reaches: (of: Scope, other: Scope) => boolean): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override doomed(...args: Parameters<ReferencePlugin["doomed"]>) {
        const doomed = super.doomed(...args);
        const all = [...this.partitions.values()].flatMap(({ rows }) => [...rows.values()]);
        const isTwin = ({ key_hash, scope }: (typeof all)[0]) =>
          doomed.some((row) => row.key_hash === key_hash && reaches(row.scope, scope));
        return [...doomed, ...all.filter((row) => !doomed.includes(row) && isTwin(row))];
      }
    })();
}

const sorted = (key: MemoryKey) => Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1));
const asText = (value: MemoryKey[string]) => (typeof value === "string" ? value : canonicalJson(value));

/** Returns the canonical JSON of a key after a change of every value. */
function changed(key: MemoryKey, change: (value: unknown) => unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(key, (_, value) => change(value))) as MemoryKey);
}

/** Converts `{v: {w: 1}}` to `{"v.w": 1}`. */
function flattened(value: object, path = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([name, field]): [string, unknown][] =>
    typeof field === "object" && field !== null && !Array.isArray(field) && Object.keys(field).length > 0
      ? flattened(field, `${path}${name}.`)
      : [[`${path}${name}`, field]],
  );
}

export const keysIdentityMutants: readonly Mutant[] = [
  pluginMutant({
    id: "keys-quoted-without-escapes",
    defect: "the strings of a key are put in quotes without escaping inner quotes",
    check: "keys/separators-do-not-collide",
    names: /outcome of a store of the key \{"a":"b\\",\\"c\\":\\"d"\}/,
    createPlugin: identifying((key) =>
      sorted(key)
        .map(
          ([name, value]) => `"${name}":${typeof value === "string" ? `"${value}"` : canonicalJson(value)}`,
        )
        .join(","),
    ),
  }),
  pluginMutant({
    id: "keys-made-safe-for-files",
    defect: "colons and slashes in a key become dashes, to form a file name",
    check: "keys/separators-do-not-collide",
    names: /outcome of a store of the key \{"a":"b\/c"\}/,
    createPlugin: identifying((key) =>
      changed(key, (value) => (typeof value === "string" ? value.replaceAll(/[:/]/g, "-") : value)),
    ),
  }),
  pluginMutant({
    id: "keys-values-as-text",
    defect: 'the values of a key are compared as text, so that 1 and "1" are one key',
    check: "keys/values-of-other-types-are-other-keys",
    names: /outcome of a store of the key \{"v":"1"\}/,
    createPlugin: identifying((key) =>
      JSON.stringify(sorted(key).map(([name, value]) => [name, asText(value)])),
    ),
  }),
  pluginMutant({
    id: "keys-flattened",
    defect: "nested fields of a key are treated as fields with a dot in their name",
    check: "keys/values-of-other-types-are-other-keys",
    names: /outcome of a store of the key \{"v\.w":1\}/,
    createPlugin: identifying((key) => canonicalJson(Object.fromEntries(flattened(key)) as MemoryKey)),
  }),
  pluginMutant({
    id: "keys-lists-as-sets",
    defect: "the lists in a key are compared without their order",
    check: "keys/values-of-other-types-are-other-keys",
    names: /outcome of a store of the key \{"v":\[2,1\]\}/,
    createPlugin: identifying((key) =>
      changed(key, (value) => (Array.isArray(value) ? [...value].sort() : value)),
    ),
  }),
  pluginMutant({
    id: "keys-null-is-empty",
    defect: "a field of a key that is null is treated as an empty string",
    check: "keys/values-of-other-types-are-other-keys",
    names: /outcome of a store of the key \{"v":""\}/,
    createPlugin: identifying((key) => changed(key, (value) => value ?? "")),
  }),
  pluginMutant({
    id: "keys-trimmed",
    defect: "the strings of a key are trimmed",
    check: "keys/other-spellings-are-other-keys",
    names: /outcome of a store of the key \{"id":" abc"\}/,
    createPlugin: identifying((key) =>
      changed(key, (value) => (typeof value === "string" ? value.trim() : value)),
    ),
  }),
  pluginMutant({
    id: "keys-normalised",
    defect: "the strings of a key are normalised by Unicode",
    check: "keys/other-spellings-are-other-keys",
    names: /outcome of a store of the key \{"id":"zoe\u0308"\}/,
    createPlugin: identifying((key) => canonicalJson(key).normalize("NFC")),
  }),
  pluginMutant({
    id: "keys-in-the-order-they-came",
    defect: "keys are only equal if their fields are in the same order",
    check: "keys/order-of-fields-does-not-matter",
    names: /outcome of a store of the same key with reordered fields/,
    createPlugin: identifying((key) => JSON.stringify(key)),
  }),
  pluginMutant({
    id: "keys-equal-contents-are-one",
    defect: "an entry with the content of another one is dropped as a duplicate",
    check: "keys/equal-contents-are-two-entries",
    names: /outcome of a store of another key with the same content/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(
          ...[partition, item, ...more]: Parameters<ReferencePlugin["storeOne"]>
        ) {
          const { index, key_hash, content } = item;
          const isTwin = (row: { readonly key_hash: string; readonly content: unknown }) =>
            row.key_hash !== key_hash && isDeepStrictEqual(row.content, content);
          const twin = [...partition.rows.values()].find(isTwin);
          if (twin === undefined) return super.storeOne(partition, item, ...more);
          return { receipt: { index, key_hash, outcome: "unchanged" as const, revision: twin.revision } };
        }
      })(),
  }),
  pluginMutant({
    id: "keys-forgotten-in-every-namespace",
    defect: "a forget deletes the entries of the same keys in all namespaces",
    check: "keys/equal-keys-of-two-namespaces-are-two-entries",
    names: /content after a forget of the same key in another namespace/,
    createPlugin: forgettingAlso((of, other) => of.tenant === other.tenant && of.agent === other.agent),
  }),
  pluginMutant({
    id: "keys-shared-by-tenants",
    defect: "tenants share the partitions of the same name",
    check: "keys/equal-keys-of-two-tenants-are-two-entries",
    names: /outcome of a store of a key that another tenant has/,
    createPlugin: placing((scope) => ({ ...scope, tenant: "one" })),
  }),
];
