import type { ErrorCode, Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { dropRequests, refuseRequests, rewriteBytes, rewriteRequests } from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

function refuseWhere(
  bus: Bus,
  isRefused: (fields: Message) => boolean,
  code: ErrorCode = "schema_violation",
): Bus {
  return refuseRequests(bus, (fields) => (fields !== undefined && isRefused(fields) ? code : undefined));
}

/** Mutants that refuse valid golden messages. */
const tooStrict: readonly Mutant[] = [
  hostMutant({
    id: "envelope-null-metadata-refused",
    defect: "metadata: null in an entry is refused",
    check: "envelope/golden-stores-accepted",
    names: /"null clears an extension field/,
    bus: (bus) => refuseWhere(bus, (fields) => /"metadata":null/.test(JSON.stringify(fields.entries ?? 0))),
  }),
  hostMutant({
    id: "envelope-keys-at-most-500",
    defect: "a retrieve takes 500 keys at most",
    check: "envelope/golden-retrieves-accepted",
    names: /"1,000 keys, the longest query"/,
    bus: (bus) =>
      refuseWhere(
        bus,
        ({ type, keys }) => type === "memory/retrieve/req" && Array.isArray(keys) && keys.length > 500,
        "too_large",
      ),
  }),
  hostMutant({
    id: "envelope-starts-with-unknown",
    defect: "the operator starts_with is unknown",
    check: "envelope/golden-where-trees-accepted",
    names: /"operator starts_with"/,
    bus: (bus) => refuseWhere(bus, ({ where }) => /"op":"starts_with"/.test(JSON.stringify(where ?? 0))),
  }),
  hostMutant({
    id: "envelope-forget-by-hash-refused",
    defect: "a forget takes no key hashes",
    check: "envelope/golden-other-requests-accepted",
    names: /"every field of a forget/,
    bus: (bus) =>
      refuseWhere(
        bus,
        ({ type, keys }) => type === "memory/forget/req" && /\$hash/.test(JSON.stringify(keys ?? 0)),
      ),
  }),
  hostMutant({
    id: "envelope-ascii-key-names-only",
    defect: "a key with field names beyond ASCII is refused",
    check: "envelope/golden-values-accepted",
    names: /"unicode in strings and names/,
    bus: (bus) =>
      refuseWhere(bus, ({ entries }) => /"key":\{"[^"]*[^ -~]/.test(JSON.stringify(entries ?? 0))),
  }),
  hostMutant({
    id: "envelope-repeated-field-not-answered",
    defect: "a store with a repeated field is not answered",
    check: "envelope/golden-bytes-accepted",
    names: /"escapes, white space and a repeated name/,
    bus: (bus) =>
      dropRequests(bus, ({ payload }) =>
        /"content":1,"content"/.test(Buffer.from(payload).toString("latin1")),
      ),
  }),
];

/** Mutants that accept invalid golden messages. */
const tooLenient: readonly Mutant[] = [
  hostMutant({
    id: "envelope-version-as-a-number",
    defect: "a version that is a number is accepted",
    check: "envelope/golden-broken-envelopes-refused",
    names: /"a version that is a number"/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        typeof fields.version === "number" ? { ...fields, version: "1.0" } : fields,
      ),
  }),
  hostMutant({
    id: "envelope-byte-order-mark-skipped",
    defect: "a byte order mark before JSON is skipped",
    check: "envelope/golden-broken-bytes-refused",
    names: /"a byte order mark"/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(/^\xef\xbb\xbf/, "")),
  }),
  hostMutant({
    id: "envelope-timestamp-extension-read",
    defect: "the timestamp extension of MessagePack is read as null",
    check: "envelope/golden-broken-values-refused",
    names: /"a timestamp extension"/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(/\xd6\xff[\s\S]{4}$/, "\xc0")),
  }),
  hostMutant({
    id: "envelope-empty-tags-dropped",
    defect: "empty tags of an entry are dropped instead of refused",
    check: "envelope/golden-broken-stores-refused",
    names: /"an empty tag"/,
    bus: readingEntries((entry) =>
      Array.isArray(entry.tags) ? { ...entry, tags: entry.tags.filter((tag) => tag !== "") } : entry,
    ),
  }),
  hostMutant({
    id: "envelope-limit-as-text",
    defect: "a limit as text is read as a number",
    check: "envelope/golden-broken-retrieves-refused",
    names: /"a limit that is a string"/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        typeof fields.limit === "string" ? { ...fields, limit: Number(fields.limit) } : fields,
      ),
  }),
  hostMutant({
    id: "envelope-all-that-is-text",
    defect: 'all: "yes" of a forget is read as true',
    check: "envelope/golden-broken-forgets-refused",
    names: /"all that is a string"/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (fields.all === "yes" ? { ...fields, all: true } : fields)),
  }),
];

export const envelopeGoldenMutants: readonly Mutant[] = [...tooStrict, ...tooLenient];
