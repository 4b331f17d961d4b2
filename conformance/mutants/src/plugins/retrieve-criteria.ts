import { canonicalJson } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

const OF_LISTS = "retrieve/match-holds-on-any-element-of-a-list";

const isMatch = (field: string, op: string) => field.startsWith("key.") && op === "eq";

const isTags = ({ field }: { readonly field: string }) => field === "tags";

export const retrieveCriteriaMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retrieve-keys-beside-other-criteria",
    defect: "if keys are given, all other criteria are ignored",
    check: "retrieve/criteria-are-anded",
    names: /entries for keys, match, tags, group, since, until and where combined/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isSelected(...[row, { filter }]: Parameters<ReferencePlugin["isSelected"]>) {
          const criteria = "all" in filter ? filter.all : [];
          const keys = criteria.find((criterion) => "field" in criterion && criterion.field === "key_hash");
          return super.isSelected(row, { filter: keys ?? filter });
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-first-key-alone",
    defect: "of several keys only the first is looked up",
    check: "retrieve/keys-select-by-hash",
    names: /entries for 5 keys/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, value }, sound) =>
          field === "key_hash" ? actual === (value as string[])[0] : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-group-by-prefix",
    defect: "a group is found by its beginning",
    check: "retrieve/group-is-equal",
    names: /entries of the group talk-1/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, value }, sound) =>
          field === "group" ? String(actual).startsWith(String(value)) : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-match-whole-key",
    defect: "a match requires that the key has no other fields",
    check: "retrieve/match-holds-whatever-else-the-key-has",
    names: /entries for match \{user: ann\}/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isSelected(...[row, { filter }]: Parameters<ReferencePlugin["isSelected"]>) {
          const criteria = "all" in filter ? filter.all : [];
          const isMatch = (one: object) => "field" in one && String(one.field).startsWith("key.");
          const count = criteria.filter(isMatch).length;
          const isWhole = count === 0 || Object.keys(row.key).length === count;
          return isWhole && super.isSelected(row, { filter });
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-match-by-text",
    defect: 'a match compares values as text, so that 1 and "1" are the same',
    check: "retrieve/match-compares-canonical-json",
    names: /ids for match of the number 1/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          sound || (field.startsWith("key.") && op === "eq" && String(actual) === String(value)),
      }),
  }),
  pluginMutant({
    id: "retrieve-match-by-identity",
    defect: "a match compares with ===, so that objects and lists are never equal",
    check: "retrieve/match-compares-canonical-json",
    names: /ids for match of a list/,
    createPlugin: () =>
      filteringBy({
        leaf: (_, { field, op, value }, sound) =>
          sound && !(field.startsWith("key.") && op === "eq" && typeof value === "object"),
      }),
  }),
  pluginMutant({
    id: "retrieve-match-by-order-of-fields",
    defect: "a match compares JSON without sorting the fields of objects",
    check: "retrieve/match-compares-canonical-json",
    names: /fields in another order/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) => {
          const isObject = typeof value === "object" && !Array.isArray(value);
          if (!field.startsWith("key.") || op !== "eq" || !isObject) return sound;
          return JSON.stringify(actual) === JSON.stringify(value);
        },
      }),
  }),
  pluginMutant({
    id: "retrieve-match-of-whole-lists",
    defect: "a match compares a list in a key as a whole, never its elements",
    check: OF_LISTS,
    names: /ids for match \{"value":"x"\}/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          isMatch(field, op) && Array.isArray(actual) && !Array.isArray(value) ? false : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-match-of-the-first-element",
    defect: "only the first element of a list in a key is compared",
    check: OF_LISTS,
    names: /ids for match \{"value":"x"\}/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          isMatch(field, op) && Array.isArray(actual) && !Array.isArray(value)
            ? canonicalJson(actual[0] ?? null) === canonicalJson(value)
            : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-match-of-elements-that-are-texts",
    defect: "the elements of a list in a key are only compared if they are strings",
    check: OF_LISTS,
    names: /ids for match \{"value":1\}/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          isMatch(field, op) && Array.isArray(actual) && typeof value !== "string" && !Array.isArray(value)
            ? false
            : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-match-at-any-depth",
    defect: "a match also searches lists within lists",
    check: OF_LISTS,
    names: /ids for match \{"value":"(x|y)"\}/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          sound ||
          (isMatch(field, op) &&
            Array.isArray(actual) &&
            (actual.flat(8) as unknown[]).some((element) => element === value)),
      }),
  }),
  pluginMutant({
    id: "retrieve-match-within-the-text-of-a-list",
    defect: "a match of a string searches for it in the text of a list",
    check: OF_LISTS,
    names: /ids for match \{"value":"x"\}/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          sound || (isMatch(field, op) && Array.isArray(actual) && actual.join(" ").includes(`${value}`)),
      }),
  }),
  pluginMutant({
    id: "retrieve-tags-by-substring",
    defect: "a tag is found as a part of another tag",
    check: "retrieve/tags-any",
    names: /entries with any of the tags a and c/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) =>
          isTags(leaf) && leaf.op === "in"
            ? (leaf.value as string[]).some((tag) => JSON.stringify(actual).includes(tag))
            : sound,
      }),
  }),
  pluginMutant({
    id: "retrieve-tags-all-as-any",
    defect: "tags_mode all selects the entries that have any of the tags",
    check: "retrieve/tags-all",
    names: /entries with all of the tags a and b/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isSelected(...[row, { filter }]: Parameters<ReferencePlugin["isSelected"]>) {
          const criteria = "all" in filter ? filter.all : [];
          const loose = criteria.map((one) => ("all" in one && one.all.length > 1 ? { any: one.all } : one));
          return super.isSelected(row, { filter: { all: loose } });
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-times-by-the-second",
    defect: "fractions of a second are dropped before times are compared",
    check: "retrieve/since-included-until-excluded",
    names: /entries since 3000|until 2000 \(not\)|since 2000/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          field === "occurred_at" && op === "lt" ? Math.ceil(Number(actual)) < Number(value) : sound,
      }),
  }),
];
