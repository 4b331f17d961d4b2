import type { Bus, Message } from "@membus/protocol";
import { rewriteRequests } from "./intercept.js";

type Fields = Readonly<Record<string, unknown>>;

/** A host that reads each entry of a store as if it had other fields. What is no object stays as it is. */
export function readingEntries(change: (entry: Fields, index: number) => Fields): (bus: Bus) => Bus {
  return readingStores((store) => ({ ...store, entries: entriesOf(store).map(changed(change)) }));
}

/** A host that reads each store as if it had other fields. */
export function readingStores(change: (store: Message) => Fields): (bus: Bus) => Bus {
  return (bus) =>
    rewriteRequests(bus, (fields) =>
      fields.type === "memory/store/req" && Array.isArray(fields.entries)
        ? (change(fields) as Message)
        : fields,
    );
}

/** The entries of a store that is known to have a list of them. */
export function entriesOf(store: Fields): readonly unknown[] {
  return store.entries as readonly unknown[];
}

function changed(change: (entry: Fields, index: number) => Fields) {
  return (entry: unknown, index: number) => (isFields(entry) ? change(entry, index) : entry);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without the fields of these names. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
