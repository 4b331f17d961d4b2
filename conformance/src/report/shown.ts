const SHOWN_LENGTH = 1_500;

/** Formats a value for a report: JSON, shortened if it is long. */
export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value, printable);
  if (text === undefined) return String(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`;
}

function printable(this: Readonly<Record<string, unknown>>, name: string, converted: unknown): unknown {
  // `toJSON` of a Buffer returns a long list of numbers, so the original bytes are used.
  const value = this[name] instanceof Uint8Array ? this[name] : converted;
  if (value instanceof Float32Array) return `a vector of ${value.length}`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value === "bigint") return `${value}n`;
  return value;
}
