import { type BusMessage, isJsonObject, MemoryError } from "@membus/protocol";
import { SERVICE_NAME } from "./discovery.js";
import type { ResolvedHostOptions } from "./options.js";

/** Where hosts are asked for. */
export const HOSTS_SUBJECT = `$SRV.INFO.${SERVICE_NAME}`;

/** A host of the same prefix and one of the same tenants, as its answer to discovery describes it. */
export interface FoundHost {
  readonly id: string;
  readonly state: string;
  readonly servingMs: number;
}

/** Undefined for what is no host, or one of another prefix or other tenants. */
export function readFoundHost({ payload }: BusMessage, options: ResolvedHostOptions): FoundHost | undefined {
  const info = parseJson(payload);
  if (!isJsonObject(info) || typeof info.id !== "string" || !isJsonObject(info.metadata)) return undefined;
  const { prefix, tenants, state, serving_ms } = info.metadata;
  if (prefix !== options.prefix || typeof tenants !== "string" || typeof state !== "string") return undefined;
  if (!overlap(options.tenants, tenants.split(","))) return undefined;
  return { id: info.id, state, servingMs: Number(serving_ms) };
}

export function alreadyServed(id: string, { prefix, tenants }: ResolvedHostOptions): MemoryError {
  const whose = tenants.includes("*") ? "all tenants" : `tenants of ${tenants.join(", ")}`;
  const message = `the host ${id} already serves \`${prefix}\` for ${whose}; stop it, or choose another prefix`;
  return new MemoryError("conflict", message, { host_id: id, prefix });
}

function overlap(a: readonly string[], b: readonly string[]): boolean {
  return a.includes("*") || b.includes("*") || a.some((tenant) => b.includes(tenant));
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString("utf8"));
  } catch {
    return undefined;
  }
}
