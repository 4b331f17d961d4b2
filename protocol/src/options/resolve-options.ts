import { didYouMean } from "./nearest-name.js";

/** Validation rule of one option. Throws a TypeError if the value is invalid. */
export type OptionRule = (value: unknown, name: string) => void;

/** Returns a rule for an integer of `min`..`max`. */
export function integerOption(min: number, max: number): OptionRule {
  return (value, name) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      throw new TypeError(`${name} must be an integer of ${min}..${max}, got ${String(value)}`);
    }
  };
}

export function booleanOption(value: unknown, name: string): void {
  if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false, got ${String(value)}`);
}

export function stringOption(value: unknown, name: string): void {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be a non-empty string`);
}

/** Returns a rule for one of `values`. */
export function choiceOption(...values: readonly string[]): OptionRule {
  return (value, name) => {
    if (!values.includes(value as string)) {
      throw new TypeError(`${name} must be one of ${values.join(", ")}, got ${String(value)}`);
    }
  };
}

/** Options with all defaults applied. */
export type ResolvedOptions<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/**
 * Returns `input` merged over `defaults`, validated by `rules` and frozen. `input` is not changed. An absent
 * or undefined option gets its default.
 *
 * @throws {TypeError} if `input` is not an object, an option is unknown (with the closest known name), or a
 * value is out of range.
 */
export function resolveOptions<T extends object>(
  input: { readonly [K in keyof T]?: T[K] | undefined },
  defaults: T,
  rules: { readonly [K in keyof T]: OptionRule },
): Readonly<T> {
  checkOptions(input);
  const known = Object.keys(rules);
  const resolved = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(input)) {
    if (!known.includes(name)) throw new TypeError(`unknown option \`${name}\`${didYouMean(name, known)}`);
    if (value !== undefined) resolved[name] = value;
  }
  for (const name of known) rules[name as keyof T](resolved[name], name);
  return Object.freeze(resolved as unknown as T);
}

/**
 * Rejects options that are not an object, which untyped callers can pass.
 *
 * @throws {TypeError} if `input` is not an object.
 */
export function checkOptions(input: unknown): void {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return;
  const given = typeof input === "string" ? "a text" : Array.isArray(input) ? "a list" : String(input);
  throw new TypeError(`options must be an object, got ${given}`);
}

/** Returns a rule that also accepts undefined. */
export function optionalOption(rule: OptionRule): OptionRule {
  return (value, name) => {
    if (value !== undefined) rule(value, name);
  };
}
