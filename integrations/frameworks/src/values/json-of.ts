import type { Json } from "@membus/protocol";

/** What `JSON.stringify` takes to put something else in a value's place. */
type Replacer = (this: unknown, name: string, value: unknown) => unknown;

/**
 * A value as a database would give it back: what has a `toJSON` by it, without what JSON does not know.
 * @throws {TypeError} for what JSON has nothing for, such as undefined, a function, or a cycle.
 */
export function jsonOf(value: unknown, name: string, replacer?: Replacer): Json {
  const text: string | undefined = JSON.stringify(value, replacer);
  if (text === undefined) throw new TypeError(`${name} is ${typeof value}, which JSON cannot hold`);
  return JSON.parse(text) as Json;
}
