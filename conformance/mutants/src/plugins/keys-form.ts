import { createHash } from "node:crypto";
import type { Message } from "@membus/protocol";
import { rewriteReplies, rewriteRequests } from "../hosts/intercept.js";
import { isFields, readingEntries } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { returning } from "../reference/with-rule.js";

const listOf = (value: unknown) => (Array.isArray(value) ? (value as Message[]) : []);

/** Returns fields with renamed names. */
function renamed(fields: object, rename: (name: string) => string): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));
}

export const keysFormMutants: readonly Mutant[] = [
  hostMutant({
    id: "keys-string-is-short-for-key",
    defect: "a key that is a string is treated as {key: string} instead of {name: string}",
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
    id: "keys-hash-of-unsorted-fields",
    defect: "a returned key hash is computed from the JSON as received, with unsorted fields",
    check: "keys/hash-is-of-canonical-json",
    names: /key_hash of the entry found by the key \{"b":1,"a":2,"C":3\}/,
    createPlugin: returning(({ key }) => ({
      key_hash: createHash("sha256").update(JSON.stringify(key)).digest("hex"),
    })),
  }),
  hostMutant({
    id: "keys-hash-is-no-reference",
    defect: "{$hash} in a request is treated as a key with a field `hash`",
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
    id: "keys-nameless-field-is-a-key",
    defect: "a key may have a field with an empty name",
    check: "keys/what-is-no-key-is-refused",
    names: /error of entry 0, the key \{"":/,
    bus: readingEntries((entry) =>
      isFields(entry.key) ? { ...entry, key: renamed(entry.key, (name) => name || "nameless") } : entry,
    ),
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

/** Removes the $ at the beginning. */
function bare(name: string): string {
  return name.startsWith("$") ? `bare${name.slice(1)}` : name;
}
