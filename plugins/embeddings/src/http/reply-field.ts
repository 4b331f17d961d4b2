/** The field of an object in a reply that nobody has checked; undefined when there is none. */
export function replyField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
