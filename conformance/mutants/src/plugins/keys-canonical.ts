import { createHash } from "node:crypto";
import type { Message } from "@membus/protocol";
import { rewriteReplies } from "../hosts/intercept.js";
import { isFields } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant } from "../mutant.js";

const SORTED = "keys/names-are-sorted-by-code-units";
const WRITTEN = "keys/values-are-written-as-ecmascript-does";

interface Spelling {
  /** Returns the field names in the order of writing. Default: sorted by UTF-16 code units. */
  sorted?(names: readonly string[]): readonly string[];
  /** Writes a scalar. Default: like `JSON.stringify`. */
  scalar?(value: unknown): string;
}

/** Returns the wrong canonical JSON. */
function spelled(value: unknown, spelling: Spelling): string {
  const { sorted = (names) => names.toSorted(), scalar = JSON.stringify } = spelling;
  if (Array.isArray(value)) return `[${value.map((part) => spelled(part, spelling)).join(",")}]`;
  if (!isFields(value)) return scalar(value);
  const fields = sorted(Object.keys(value)).map(
    (name) => `${scalar(name)}:${spelled(value[name], spelling)}`,
  );
  return `{${fields.join(",")}}`;
}

/** Defines a host that returns hashes of the wrong canonical JSON. */
function hashing(spelling: Spelling) {
  return (bus: Parameters<typeof rewriteReplies>[0]) =>
    rewriteReplies(bus, (reply) => {
      if (reply.type !== "memory/store/resp") return reply;
      const keys = reply.stored as readonly unknown[];
      const receipts = (reply.receipts as readonly Message[]).map((receipt, at) => {
        const text = spelled(keys[at], spelling);
        return { ...receipt, key_hash: createHash("sha256").update(text).digest("hex") };
      });
      return { ...reply, receipts } as Message;
    });
}

const byCodePoints = (a: string, b: string) => {
  const [one, two] = [[...a], [...b]].map((text) => text.map((character) => character.codePointAt(0)!));
  const at = one!.findIndex((point, index) => point !== two![index]);
  return at < 0 ? a.length - b.length : one![at]! - (two![at] ?? -1);
};

/** Order of a JavaScript object without sorting: names that are integers come first, by value. */
const asKept = (names: readonly string[]) =>
  Object.keys(Object.fromEntries(names.toSorted().map((name) => [name, 0])));

const forHtml = (value: unknown) =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Writes an exponent of two digits from 1e-5 on, as Python does. */
const asPython = (value: unknown) => {
  if (typeof value !== "number" || value === 0 || Math.abs(value) >= 1e-4) return JSON.stringify(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
};

export const keysCanonicalMutants: readonly Mutant[] = [
  hostMutant({
    id: "keys-sorted-by-code-points",
    defect: "the names of a key are sorted by their code points, as in UTF-8",
    check: SORTED,
    names: /key_hash in the receipt of the key \{"\u{1f600}":1,"\uff5e":2\}/u,
    bus: hashing({ sorted: (names) => names.toSorted(byCodePoints) }),
  }),
  hostMutant({
    id: "keys-with-numbers-first",
    defect: "the sorted names of a key are put into an object, which moves integers to the front",
    check: SORTED,
    names: /key_hash in the receipt of the key \{"1":"one"/,
    bus: hashing({ sorted: asKept }),
  }),
  hostMutant({
    id: "keys-sorted-by-language",
    defect: "the names of a key are sorted as in a dictionary",
    check: SORTED,
    names: /key_hash in the receipt of the key/,
    bus: hashing({ sorted: (names) => names.toSorted((a, b) => a.localeCompare(b, "en")) }),
  }),
  hostMutant({
    id: "keys-escaped-for-html",
    defect: "the JSON of a key is safe within HTML",
    check: WRITTEN,
    names: /key_hash in the receipt of the key \{"q":"<a/,
    bus: hashing({ scalar: forHtml }),
  }),
  hostMutant({
    id: "keys-with-small-numbers-as-powers",
    defect: "numbers of a key below 0.0001 are written with an exponent of two digits",
    check: WRITTEN,
    names: /key_hash in the receipt of the key \{"n":0\.000001\}/,
    bus: hashing({ scalar: asPython }),
  }),
  hostMutant({
    id: "keys-in-a-normal-form",
    defect: "the text of a key is normalised before it is hashed",
    check: WRITTEN,
    names: /key_hash in the receipt of the key \{"l":/,
    bus: hashing({ scalar: (value) => JSON.stringify(value).normalize("NFC") }),
  }),
];
