/** Returns a field of an unchecked reply object, or undefined. */
export function replyField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
