import type { RunnableConfig } from "@langchain/core/runnables";

/** A thread, and the checkpoint namespace of a graph or one of its subgraphs. */
export interface Place {
  readonly thread: string;
  readonly ns: string;
}

export interface CheckpointPlace extends Place {
  readonly id: string;
}

/** The parts of a place that a config has. `ns` is "" for the main graph. */
export type PlaceInConfig = { readonly [K in keyof CheckpointPlace]: CheckpointPlace[K] | undefined };

const FIELDS = { thread: "thread_id", ns: "checkpoint_ns", id: "checkpoint_id" } as const;

/** Reads the place from a config. @throws {TypeError} for a value that is not a string. */
export function placeIn({ configurable }: RunnableConfig): PlaceInConfig {
  const read = (field: string): string | undefined => {
    const value: unknown = configurable?.[field] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw new TypeError(`configurable.${field} must be a string, got ${typeof value}`);
  };
  const id = read(FIELDS.id) || read("thread_ts") || undefined;
  return { thread: read(FIELDS.thread), ns: read(FIELDS.ns), id };
}

/** @throws {TypeError} for a config without a thread id. */
export function placeToWrite(config: RunnableConfig): Place & { readonly id: string | undefined } {
  const { thread, ns = "", id } = placeIn(config);
  if (!thread)
    throw new TypeError('configurable needs a "thread_id": {configurable: {thread_id: "my-thread"}}');
  return { thread, ns, id };
}

export function configOf({ thread, ns, id }: CheckpointPlace): RunnableConfig {
  return { configurable: { [FIELDS.thread]: thread, [FIELDS.ns]: ns, [FIELDS.id]: id } };
}
