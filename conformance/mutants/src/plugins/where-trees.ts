import { type Json, matchesOperator } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";

/** Returns the value at a path of names, including inherited properties. */
function dig(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) => (found as Record<string, unknown> | undefined)?.[name],
    value,
  );
}

export const whereTreeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "where-any-as-all",
    defect: "`any` requires all of its branches",
    check: "where/trees-nest",
    names: /ids for where \{"any"/,
    createPlugin: () => filteringBy({ any: (children) => children.every(Boolean) }),
  }),
  pluginMutant({
    id: "where-updated-as-created",
    defect: "a filter on `updated` looks at the time of creation",
    check: "where/every-field-of-an-entry",
    names: /ids for updated gt/,
    createPlugin: () =>
      filteringBy({
        leaf: (_, { field, op, value }, sound, { created }) =>
          field === "updated" ? matchesOperator(created, op, value) : sound,
      }),
  }),
  pluginMutant({
    id: "where-author-is-source",
    defect: "a filter on `author` looks at the source",
    check: "where/every-field-of-an-entry",
    names: /ids for author eq/,
    createPlugin: () =>
      filteringBy({
        leaf: (_, { field, op, value }, sound, { source }) =>
          field === "author" ? matchesOperator(source, op, value) : sound,
      }),
  }),
  pluginMutant({
    id: "where-fields-in-metadata",
    defect: "a field without a prefix is looked up in the metadata",
    check: "where/every-field-of-an-entry",
    names: /ids for (source|tags|importance) /,
    createPlugin: () =>
      filteringBy({
        leaf: (_, { field, op, value }, sound, { metadata }) =>
          field === "source" ? matchesOperator(metadata?.[field], op, value) : sound,
      }),
  }),
  pluginMutant({
    id: "where-expiry-zero-for-never",
    defect: "an entry without expiry counts as one that expires at 0",
    check: "where/expires-at",
    names: /ids for expires_at (exists|lte)/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          field === "expires_at" ? matchesOperator(actual ?? 0, op, value) : sound,
      }),
  }),
  pluginMutant({
    id: "where-key-names-as-paths",
    defect: "a dot in the name of a key's field leads into an object",
    check: "where/names-are-the-entrys-own",
    names: /"key\.a\.b"/,
    createPlugin: () =>
      filteringBy({
        leaf: (_, { field, op, value }, sound, { key }) =>
          field.startsWith("key.") && field.includes(".", 4)
            ? matchesOperator(dig(key, field.split(".").slice(1)) as Json | undefined, op, value)
            : sound,
      }),
  }),
  pluginMutant({
    id: "where-mixed-in",
    defect: "in and nin only compare the values with the type of the first one",
    check: "where/agrees-with-matches",
    names: /ids of the entries for which .* holds; a wrong one is/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) => {
          if ((op !== "in" && op !== "nin") || field === "key_hash") return sound;
          const values = value as Json[];
          const ofOneType = values.filter((one) => typeof one === typeof values[0]);
          return matchesOperator(actual, op, ofOneType);
        },
      }),
  }),
];
