import type { Message } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { rewriteRequests } from "./intercept.js";

type Fields = Readonly<Record<string, unknown>>;

/** Rewrites each entry of a store. Values other than objects stay unchanged. */
export function readingEntries(change: (entry: Fields, index: number) => Fields): (bus: Bus) => Bus {
  return readingStores((store) => ({ ...store, entries: entriesOf(store).map(changed(change)) }));
}

/** Rewrites each store request. */
export function readingStores(change: (store: Message) => Fields): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) =>
      fields.type === "memory/store/req" && Array.isArray(fields.entries)
        ? (change(fields) as Message)
        : fields,
    );
}

/** Returns the entries of a store that has a list of them. */
export function entriesOf(store: Fields): readonly unknown[] {
  return store.entries as readonly unknown[];
}

function changed(change: (entry: Fields, index: number) => Fields) {
  return (entry: unknown, index: number) => (isFields(entry) ? change(entry, index) : entry);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields without these names. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
