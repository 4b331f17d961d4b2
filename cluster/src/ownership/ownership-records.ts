import { z } from "zod";

/** Filter of all keys in this file. */
export const OWNERSHIP_KEYS = "own.>";
const HOST_PREFIX = "own.host.";
const SHARD_PREFIX = "own.shard.";
const PIN_PREFIX = "own.pin.";

/** The lease of a host, renewed while it runs. */
const HostRecordSchema = z.object({
  /** Id of the process that has the lease. Empty if the host has stopped or was found silent. */
  instance: z.string(),
  /** Whether the host gives its shards away and takes no others. An operator may change it. */
  isLeaving: z.boolean(),
});
export type HostRecord = z.output<typeof HostRecordSchema>;

/** The owner of a shard. */
const ShardRecordSchema = z.object({
  /** Name of the host. Empty if the last host stopped and no other was running. */
  host: z.string(),
  /** Number of times that a host has taken the shard. */
  epoch: z.int().min(1),
});
export type ShardRecord = z.output<typeof ShardRecordSchema>;

/** The host that should own a shard while it takes shards. Empty after an operator has withdrawn it. */
const PinRecordSchema = z.object({ host: z.string() });
export type PinRecord = z.output<typeof PinRecordSchema>;

/** Lease of a host that has none. */
export const RELEASED: HostRecord = Object.freeze({ instance: "", isLeaving: false });

export function hostKey(host: string): string {
  return HOST_PREFIX + host;
}

export function shardKey(shard: number): string {
  return `${SHARD_PREFIX}${shard}`;
}

export function pinKey(shard: number): string {
  return `${PIN_PREFIX}${shard}`;
}

/** Name and record of a host, a shard or a pin. The record is undefined if it is unreadable. */
export type NamedRecord =
  | { readonly kind: "host"; readonly host: string; readonly record: HostRecord | undefined }
  | { readonly kind: "shard"; readonly shard: number; readonly record: ShardRecord | undefined }
  | { readonly kind: "pin"; readonly shard: number; readonly record: PinRecord | undefined };

/** Returns undefined for a key of another kind. */
export function parseOwnership(key: string, value: Uint8Array | undefined): NamedRecord | undefined {
  if (key.startsWith(HOST_PREFIX))
    return { kind: "host", host: key.slice(HOST_PREFIX.length), record: parse(HostRecordSchema, value) };
  const shard = Number(key.slice(key.lastIndexOf(".") + 1));
  if (key.startsWith(PIN_PREFIX)) return { kind: "pin", shard, record: parse(PinRecordSchema, value) };
  if (!key.startsWith(SHARD_PREFIX)) return undefined;
  return { kind: "shard", shard, record: parse(ShardRecordSchema, value) };
}

function parse<T extends z.ZodType>(schema: T, value: Uint8Array | undefined): z.output<T> | undefined {
  if (value === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(value).toString()));
  } catch {
    return undefined;
  }
}
