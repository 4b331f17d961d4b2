import { createHash } from "node:crypto";
import type { Message } from "@membus/protocol";
import { rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { isFields, readingEntries } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { returning } from "../reference/with-rule.js";

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Message[]) : []);

/** Fields with names of their own making. */
function renamed(fields: object, rename: (name: string) => string): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));
}

export const keysFormMutants: readonly Mutant[] = [
  hostMutant({
    id: "keys-string-is-short-for-key",
    defect: "a key that is a string is taken for {key: string} instead of {name: string}",
    check: "keys/string-is-short-for-name",
    names: /content found by \{name: user_name\}/,
    bus: readingEntries((entry) =>
      typeof entry.key === "string" ? { ...entry, key: { key: entry.key } } : entry,
    ),
  }),
  hostMutant({
    id: "keys-stored-as-strings",
    defect: "`stored` shows a key with the one field `name` as a string",
    check: "keys/returned-as-objects",
    names: /field stored\.0/,
    bus: (bus) =>
      rewriteReplies(bus, (reply) => {
        if (reply.type !== "memory/store/resp") return reply;
        const isName = (key: Message) => typeof key.name === "string" && Object.keys(key).length === 1;
        return {
          ...reply,
          stored: listOf(reply.stored).map((key) => (isName(key) ? key.name : key)),
        } as Message;
      }),
  }),
  pluginMutant({
    id: "keys-returned-with-values-as-text",
    defect: "the numbers in the key of a returned entry have become strings",
    check: "keys/returned-as-objects",
    names: /keys of the entries that a retrieve/,
    createPlugin: returning(({ key }) => ({
      key: JSON.parse(
        JSON.stringify(key, (_, value) => (typeof value === "number" ? String(value) : value)),
      ) as object,
    })),
  }),
  pluginMutant({
    id: "keys-hash-of-unsorted-fields",
    defect: "a returned key hash is that of the key's JSON as it came, with its fields unsorted",
    check: "keys/hash-is-of-canonical-json",
    names: /key_hash of the entry found by the key \{"b":1,"a":2,"C":3\}/,
    createPlugin: returning(({ key }) => ({
      key_hash: createHash("sha256").update(JSON.stringify(key)).digest("hex"),
    })),
  }),
  hostMutant({
    id: "keys-hash-in-upper-case",
    defect: "the key hash in a receipt is in upper-case hexadecimal",
    check: "keys/hash-is-of-canonical-json",
    names: /key_hash in the receipt of the key "user_name"/,
    bus: (bus) =>
      rewriteReplies(bus, (reply) => {
        const receipts = listOf(reply.receipts).map((receipt) => ({
          ...receipt,
          key_hash: String(receipt.key_hash).toUpperCase(),
        }));
        return reply.type === "memory/store/resp" ? { ...reply, receipts } : reply;
      }),
  }),
  hostMutant({
    id: "keys-hash-is-no-reference",
    defect: "{$hash} in a request is taken for a key with a field `hash`",
    check: "keys/named-by-object-string-or-hash",
    names: /a retrieve with keys \[\{"\$hash"/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        Array.isArray(fields.keys)
          ? ({
              ...fields,
              keys: fields.keys.map((key) => (isFields(key) ? renamed(key, bare) : key)),
            } as Message)
          : fields,
      ),
  }),
  hostMutant({
    id: "keys-empty-object-is-a-key",
    defect: "an empty object is accepted as a key",
    check: "keys/what-is-no-key-is-refused",
    names: /error of entry 0, the key \{\}/,
    bus: readingEntries((entry) =>
      isFields(entry.key) && Object.keys(entry.key).length === 0 ? { ...entry, key: { empty: true } } : entry,
    ),
  }),
  hostMutant({
    id: "keys-nameless-field-is-a-key",
    defect: "a key may have a field with an empty name",
    check: "keys/what-is-no-key-is-refused",
    names: /error of entry 0, the key \{"":/,
    bus: readingEntries((entry) =>
      isFields(entry.key) ? { ...entry, key: renamed(entry.key, (name) => name || "nameless") } : entry,
    ),
  }),
  hostMutant({
    id: "keys-number-is-a-key",
    defect: "a number is accepted as a key, as the text of it",
    check: "keys/what-is-no-key-is-refused",
    names: /error of entry 0, the key 7/,
    bus: readingEntries((entry) =>
      typeof entry.key === "number" ? { ...entry, key: String(entry.key) } : entry,
    ),
  }),
  hostMutant({
    id: "keys-missing-key-is-made-up",
    defect: "an entry without a key gets one that the host makes up",
    check: "keys/what-is-no-key-is-refused",
    names: /error of entry 0, an entry without a key/,
    bus: readingEntries((entry) => ("key" in entry ? entry : { ...entry, key: { made: "up" } })),
  }),
  hostMutant({
    id: "keys-dollar-is-accepted",
    defect: "a key with a field that begins with $ is stored",
    check: "keys/fields-with-dollar-are-refused",
    names: /error of entry 0, the key \{"\$hash"/,
    bus: readingEntries((entry) =>
      isFields(entry.key) ? { ...entry, key: renamed(entry.key, bare) } : entry,
    ),
  }),
];

/** Without the $ at the beginning. */
function bare(name: string): string {
  return name.startsWith("$") ? `bare${name.slice(1)}` : name;
}
