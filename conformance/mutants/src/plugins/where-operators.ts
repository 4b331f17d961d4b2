import type { FilterLeaf, Json } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";

const ORDER = ["gt", "gte", "lt", "lte"];
const isOrder = ({ op }: FilterLeaf) => ORDER.includes(op);
const isText = ({ op }: FilterLeaf) => op === "contains" || op === "starts_with";

/** Returns the result of an order operator for two values that `compare` has compared. */
function inOrder({ op }: FilterLeaf, compared: number): boolean {
  if (op === "gt") return compared > 0;
  if (op === "gte") return compared >= 0;
  return op === "lt" ? compared < 0 : compared <= 0;
}

function likeMatches(text: string, pattern: string, opening: string): boolean {
  const wild = (character: string) =>
    character === "%" ? ".*" : character === "_" ? "." : `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return new RegExp(opening + [...pattern].map(wild).join(""), "su").test(text);
}

export const whereOperatorMutants: readonly Mutant[] = [
  pluginMutant({
    id: "where-in-as-text",
    defect: "`in` compares values as text, eq does not",
    check: "where/equal-values-have-one-type",
    names: /ids for in with 1, where/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          op === "in" && field.startsWith("metadata.") && actual !== undefined
            ? (value as Json[]).map(String).includes(String(actual))
            : sound,
      }),
  }),
  pluginMutant({
    id: "where-order-converts",
    defect: "gt, gte, lt and lte convert strings to numbers if one side is a number",
    check: "where/order-of-different-types-is-false",
    names: /ids for gt 3, where|ids for gt "3"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) => {
          const isMixed =
            typeof actual !== typeof leaf.value && actual !== undefined && !Array.isArray(actual);
          return isOrder(leaf) && isMixed ? inOrder(leaf, Number(actual) - Number(leaf.value)) : sound;
        },
      }),
  }),
  pluginMutant({
    id: "where-ne-needs-the-field",
    defect: "ne and nin are false if the entry does not have the field",
    check: "where/missing-field-meets-negations-alone",
    names: /"op":"ne","value":"x"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op }, sound) => sound && !(actual === undefined && (op === "ne" || op === "nin")),
      }),
  }),
  pluginMutant({
    id: "where-lists-joined",
    defect: "contains searches the elements of a list joined by commas",
    check: "where/list-meets-by-any-element",
    names: /ids for contains "apple,p"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op, value }, sound) =>
          op === "contains" && Array.isArray(actual) ? actual.join(",").includes(String(value)) : sound,
      }),
  }),
  pluginMutant({
    id: "where-elements-of-elements",
    defect: "a list within a list is searched too",
    check: "where/list-in-a-list-is-no-element",
    names: /ids for key\.v (eq|in|contains|starts_with)/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          sound || (field.startsWith("key.") && op === "eq" && [actual].flat(9).includes(value)),
      }),
  }),
  pluginMutant({
    id: "where-order-on-elements",
    defect: "gt, gte, lt and lte hold on a list when they hold on an element",
    check: "where/list-meets-no-order",
    names: /ids for gt "a", where/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) => {
          if (!isOrder(leaf) || !Array.isArray(actual)) return sound;
          return actual.some((one) =>
            inOrder(leaf, String(one) < String(leaf.value) ? -1 : Number(one !== leaf.value)),
          );
        },
      }),
  }),
  pluginMutant({
    id: "where-ne-on-any-element",
    defect: "ne holds on a list when any element differs, instead of when none is equal",
    check: "where/ne-and-nin-negate",
    names: /ids for ne "x"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op, value }, sound) =>
          op === "ne" && Array.isArray(actual) ? actual.some((one) => one !== value) : sound,
      }),
  }),
  pluginMutant({
    id: "where-nin-looks-at-first",
    defect: "nin only compares with the first value of its list",
    check: "where/ne-and-nin-negate",
    names: /ids for nin \["x","y"\]/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op, value }, sound) =>
          op === "nin" && typeof actual === "string" ? actual !== (value as Json[])[0] : sound,
      }),
  }),
  pluginMutant({
    id: "where-contains-without-case",
    defect: "contains and starts_with ignore case",
    check: "where/contains-and-starts-with-are-literal",
    names: /ids for (contains "Zeb"|starts_with "ze")/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) => {
          if (!isText(leaf) || typeof actual !== "string") return sound;
          const at = actual.toLowerCase().indexOf(String(leaf.value).toLowerCase());
          return leaf.op === "contains" ? at >= 0 : at === 0;
        },
      }),
  }),
  pluginMutant({
    id: "where-contains-as-like",
    defect: "% and _ in a value of contains and starts_with are wildcards",
    check: "where/contains-and-starts-with-are-literal",
    names: /ids for contains "(0% s|a_b)"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) =>
          isText(leaf) && typeof actual === "string"
            ? likeMatches(actual, String(leaf.value), leaf.op === "starts_with" ? "^" : "")
            : sound,
      }),
  }),
  pluginMutant({
    id: "where-starts-with-as-contains",
    defect: "starts_with is treated as contains",
    check: "where/contains-and-starts-with-are-literal",
    names: /ids for starts_with "ebra"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op, value }, sound) =>
          op === "starts_with" && typeof actual === "string" ? actual.includes(String(value)) : sound,
      }),
  }),
  pluginMutant({
    id: "where-contains-in-numbers",
    defect: "contains searches the text of numbers",
    check: "where/contains-and-starts-with-are-literal",
    names: /ids for contains "100"/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { op, value }, sound) =>
          op === "contains" && typeof actual === "number" ? String(actual).includes(String(value)) : sound,
      }),
  }),
  pluginMutant({
    id: "where-numbers-as-text",
    defect: "numbers are stored and compared as text, so that 9 is greater than 10",
    check: "where/numbers-by-value",
    names: /ids for gt 9 of the numbers/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) => {
          if (!isOrder(leaf) || !leaf.field.startsWith("metadata.") || typeof actual !== "number")
            return sound;
          if (typeof leaf.value !== "number") return sound;
          return inOrder(leaf, String(actual) < String(leaf.value) ? -1 : Number(actual !== leaf.value));
        },
      }),
  }),
  pluginMutant({
    id: "where-strings-by-locale",
    defect: "strings are compared in dictionary order",
    check: "where/strings-by-code-units",
    names: /ids for lte? ".", by UTF-16/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) =>
          isOrder(leaf) && typeof actual === "string" && typeof leaf.value === "string"
            ? inOrder(leaf, actual.localeCompare(leaf.value, "en"))
            : sound,
      }),
  }),
  pluginMutant({
    id: "where-strings-by-bytes",
    defect: "strings are compared by their bytes in UTF-8",
    check: "where/strings-by-code-units",
    names: /by UTF-16 code units/,
    createPlugin: () =>
      filteringBy({
        leaf: (actual, leaf, sound) =>
          isOrder(leaf) && typeof actual === "string" && typeof leaf.value === "string"
            ? inOrder(leaf, Buffer.compare(Buffer.from(actual), Buffer.from(leaf.value)))
            : sound,
      }),
  }),
];
