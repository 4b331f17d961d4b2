import { isNamespace, LIMITS } from "@membus/protocol";

/** Checks a namespace that can be written to. @throws {TypeError} for anything else. */
export function namespaceOption(value: unknown, name: string): void {
  if (typeof value !== "string" || !isNamespace(value)) {
    throw new TypeError(`${name} must be a namespace path of 1..8 segments, got ${String(value)}`);
  }
}

/** Checks an id of a conversation or message. @throws {TypeError} for anything else. */
export function idOption(value: unknown, name: string): void {
  if (typeof value !== "string" || value === "" || value.length > LIMITS.idLength) {
    throw new TypeError(`${name} must be 1..${LIMITS.idLength} characters, got ${String(value)}`);
  }
}

export function signalOption(value: unknown, name: string): void {
  if (!(value instanceof AbortSignal)) throw new TypeError(`${name} must be an AbortSignal`);
}
