import type { Json } from "@membus/protocol";

/**
 * A value as a database would give it back: what has a `toJSON` by it, without what JSON does not know.
 * @throws {TypeError} for what JSON has nothing for, such as undefined, a function, or a cycle.
 */
export function jsonOf(value: unknown, name: string): Json {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${name} is ${typeof value}, which JSON cannot hold`);
  return JSON.parse(text) as Json;
}
