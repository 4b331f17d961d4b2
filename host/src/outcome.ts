import type { MemoryError } from "@membus/protocol";

/** How something ended. A promise of one never rejects, so it may be shared, raced and left alone. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: MemoryError };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failure(error: MemoryError): Outcome<never> {
  return { ok: false, error };
}
