import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { refuseRequests, rewriteBytes, rewriteRequests } from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

/** Truncates a long value, so that it is accepted. */
function cut<Value extends { readonly length: number; slice(from: number, to: number): unknown }>(
  value: Value | unknown,
  max: number,
): unknown {
  const isLong = (typeof value === "string" || Array.isArray(value)) && value.length > max;
  return isLong ? value.slice(0, max) : value;
}

function cutting(name: string, max: number, type: string): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) =>
      fields.type === type && fields[name] !== undefined
        ? { ...fields, [name]: cut(fields[name], max) }
        : fields,
    );
}

function cuttingInEntries(name: string, max: number): (bus: Bus) => Bus {
  return readingEntries((entry) =>
    entry[name] === undefined ? entry : { ...entry, [name]: cut(entry[name], max) },
  );
}

function refusing(isRefused: (fields: Message) => boolean): (bus: Bus) => Bus {
  return (bus) => refuseRequests(bus, (fields) => (fields && isRefused(fields) ? "too_large" : undefined));
}

const lengthOf = (value: unknown) => (typeof value === "string" || Array.isArray(value) ? value.length : 0);

const RETRIEVE = "memory/retrieve/req";
const STORE = "memory/store/req";

const requestMutants: readonly Mutant[] = [
  hostMutant({
    id: "limits-match-unbounded",
    defect: "a part of a key may be longer than a key",
    check: "limits/strings-of-requests",
    names: /the bytes of match of 4097/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) =>
        lengthOf((fields.match as Message | undefined)?.a) === 4_089
          ? { ...fields, match: { a: "x" } }
          : fields,
      ),
  }),
  hostMutant({
    id: "limits-more-keys-of-a-forget",
    defect: "a forget of too many keys forgets the first thousand",
    check: "limits/counts-in-requests",
    names: /a forget with keys of 1001/,
    bus: cutting("keys", 1_000, "memory/forget/req"),
  }),
  hostMutant({
    id: "limits-tags-below",
    defect: "256 tags of a retrieve are refused",
    check: "limits/counts-in-requests",
    names: /a retrieve with tags at its limit of 256/,
    bus: refusing(({ type, tags }) => type === RETRIEVE && lengthOf(tags) === 256),
  }),
  hostMutant({
    id: "limits-root-not-counted",
    defect: "the root of a where tree is not counted as a node",
    check: "limits/where-trees",
    names: /a retrieve with the nodes of where of 65/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const any = (fields.where as { any?: unknown[] } | undefined)?.any;
        return any?.length === 64 ? { ...fields, where: { any: any.slice(1) } } : fields;
      }),
  }),
  hostMutant({
    id: "limits-long-cursor-is-none",
    defect: "a cursor that is too long is only reported as invalid",
    check: "limits/cursor-length",
    names: /a retrieve with a cursor of 4097 characters/,
    bus: cutting("cursor", 4_096, RETRIEVE),
  }),
  hostMutant({
    id: "limits-store-cut-at-1000",
    defect: "of a store of more than 1000 entries the first 1000 are stored",
    check: "limits/store-of-1000-entries",
    names: /a store of 1001 entries/,
    bus: cutting("entries", 1_000, STORE),
  }),
];

const entryMutants: readonly Mutant[] = [
  hostMutant({
    id: "limits-long-source-cut",
    defect: "a source that is too long is cut",
    check: "limits/strings-of-entries",
    names: /an entry with source of 4097/,
    bus: cuttingInEntries("source", 4_096),
  }),
  hostMutant({
    id: "limits-more-tags-of-an-entry",
    defect: "tags of an entry beyond the 256th are dropped",
    check: "limits/counts-in-entries",
    names: /an entry with tags of 257/,
    bus: cuttingInEntries("tags", 256),
  }),
  hostMutant({
    id: "limits-key-in-characters",
    defect: "a key is measured in characters, so two-byte characters may take twice the bytes",
    check: "limits/bytes-of-keys",
    names: /the bytes of a key in UTF-8 of 4097/,
    bus: readingEntries((entry) => {
      const text = JSON.stringify(entry.key ?? 0);
      const isShort = text.length <= 4_096 && Buffer.byteLength(text) > 4_096;
      return isShort ? { ...entry, key: { a: text.slice(0, 100) } } : entry;
    }),
  }),
  hostMutant({
    id: "limits-large-entry-accepted",
    defect: "an entry of one byte more than 256 KiB is accepted",
    check: "limits/entry-of-256-kib",
    names: /an entry of 262145 bytes as JSON/,
    bus: readingEntries((entry) => {
      const isOver = lengthOf(entry.content) > 262_000;
      return isOver ? { ...entry, content: cut(entry.content, 262_000) } : entry;
    }),
  }),
  hostMutant({
    id: "limits-entry-measured-as-it-came",
    defect: "an entry is measured in the encoding of its message",
    check: "limits/entry-size-is-that-of-its-json",
    names: /errors of a store in MessagePack of entries of 264 kB/,
    bus: readingEntries((entry) => {
      const isSmall = typeof entry.content === "string" && /^\p{Cc}{1000}/u.test(entry.content);
      return isSmall ? { ...entry, content: "small" } : entry;
    }),
  }),
  hostMutant({
    id: "limits-dimensions-looked-at-first",
    defect: "a vector that is far too long is only reported as one of another model",
    check: "limits/embedding-dimensions",
    names: /code of the error of an entry with a vector of 4097 components as a list/,
    bus: cuttingInEntries("embedding", 4_096),
  }),
];

const shapeMutants: readonly Mutant[] = [
  hostMutant({
    id: "limits-depth-65",
    defect: "65 levels below the message are accepted",
    check: "limits/depth-of-64",
    names: /a store of 65 levels below the message in json/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(`${"[".repeat(63)}1${"]".repeat(63)}`, "1")),
  }),
  hostMutant({
    id: "limits-depth-63",
    defect: "64 levels below the message are refused",
    check: "limits/depth-of-64",
    names: /a store of 64 levels in json/,
    bus: refusing((fields) => JSON.stringify(fields).includes(`:${"[".repeat(62)}1`)),
  }),
  hostMutant({
    id: "limits-fields-1025",
    defect: "the fields of an object beyond the 1024th are dropped",
    check: "limits/object-of-1024-fields",
    names: /an object of 1025 fields in content/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(',"n1024":1}', "}")),
  }),
  hostMutant({
    id: "limits-nested-values-unbounded",
    defect: "a message may have any number of objects and lists",
    check: "limits/nested-values-of-100000",
    names: /a store of 100001 objects and lists in json/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replaceAll("[],[],[],", "[],")),
  }),
  hostMutant({
    id: "limits-nested-values-below",
    defect: "100,000 objects and lists are refused",
    check: "limits/nested-values-of-100000",
    names: /a store of 100000 objects and lists in json/,
    bus: refusing((fields) => JSON.stringify(fields).match(/[[{]/g)?.length === 100_000),
  }),
  hostMutant({
    id: "limits-namespace-cut",
    defect: "segments of a namespace beyond the eighth are dropped",
    check: "limits/namespace-of-8-segments-of-64",
    names: /a store to a namespace of 9 segments/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const segments = String(fields.namespace ?? "").split("/");
        return segments.length > 8 ? { ...fields, namespace: segments.slice(0, 8).join("/") } : fields;
      }),
  }),
  hostMutant({
    id: "limits-lengths-in-code-points",
    defect: "lengths are counted in code points, so that a query of emojis may be twice as long",
    check: "limits/lengths-are-in-utf-16-code-units",
    names: /code units, in characters of two code units/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const { query } = fields;
        const isShort = typeof query === "string" && query.length > 8_192 && [...query].length <= 8_192;
        return isShort ? { ...fields, query: query.slice(0, 4_096) } : fields;
      }),
  }),
];

const numberMutants: readonly Mutant[] = [
  hostMutant({
    id: "limits-great-limit-cut",
    defect: "a limit above 1000 is treated as 1000",
    check: "limits/numbers-of-requests-in-range",
    names: /a retrieve with limit 1001/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => (fields.limit === 1_001 ? { ...fields, limit: 1_000 } : fields)),
  }),
  hostMutant({
    id: "limits-importance-cut",
    defect: "an importance above 1 is treated as 1",
    check: "limits/numbers-of-entries-in-range",
    names: /an entry with importance 1\.01/,
    bus: readingEntries((entry) => (Number(entry.importance) > 1 ? { ...entry, importance: 1 } : entry)),
  }),
];

export const limitsMutants: readonly Mutant[] = [
  ...requestMutants,
  ...entryMutants,
  ...shapeMutants,
  ...numberMutants,
];
