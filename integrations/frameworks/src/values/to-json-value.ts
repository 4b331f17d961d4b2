import type { Json } from "@membus/protocol";

/** Replacer for `JSON.stringify`. */
type Replacer = (this: unknown, name: string, value: unknown) => unknown;

/**
 * Returns a value as JSON, with the results of `toJSON` and without values that JSON does not know.
 * @throws {TypeError} for a value that JSON cannot represent, such as undefined, a function, or a cycle.
 */
export function toJsonValue(value: unknown, name: string, replacer?: Replacer): Json {
  const text: string | undefined = JSON.stringify(value, replacer);
  if (text === undefined) throw new TypeError(`${name} is ${typeof value}, which JSON cannot represent`);
  return JSON.parse(text) as Json;
}
