import { z } from "zod";
import { didYouMean } from "./nearest-name.js";

/** A declaration of options, from `optionSet`. */
export type OptionSet = z.ZodObject<z.ZodRawShape, z.core.$strict>;

type Shape = z.ZodRawShape;
// A mapped type over a parameter `K extends keyof S` keeps the comments of the declaration, one with `as` does not.
type Inputs<S extends Shape, K extends keyof S> = { readonly [P in K]: z.input<S[P]> };
type Outputs<S extends Shape, K extends keyof S> = { readonly [P in K]: z.output<S[P]> };
type OptionalInputs<S extends Shape, K extends keyof S> = { readonly [P in K]?: z.input<S[P]> | undefined };
type OptionalOutputs<S extends Shape, K extends keyof S> = { readonly [P in K]?: z.output<S[P]> | undefined };
type OptionalInputNames<S extends Shape> = {
  [K in keyof S]: undefined extends z.input<S[K]> ? K : never;
}[keyof S];
type OptionalOutputNames<S extends Shape> = {
  [K in keyof S]: undefined extends z.output<S[K]> ? K : never;
}[keyof S];

/** Options as a caller gives them. An absent or undefined option gets its default. */
export type OptionsOf<S extends OptionSet> = OptionalInputs<S["shape"], OptionalInputNames<S["shape"]>> &
  Inputs<S["shape"], Exclude<keyof S["shape"], OptionalInputNames<S["shape"]>>>;

/** Options with all defaults applied. */
export type ResolvedOptionsOf<S extends OptionSet> = OptionalOutputs<
  S["shape"],
  OptionalOutputNames<S["shape"]>
> &
  Outputs<S["shape"], Exclude<keyof S["shape"], OptionalOutputNames<S["shape"]>>>;

/**
 * Declares options: the type, range and default of each, with its documentation in a comment.
 *
 * @param shape zod schemas by option. Schemas of `option` have the messages of this module.
 */
export function optionSet<S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return `must be an object, got ${describe(issue.input)}`;
      const [name = ""] = issue.keys as readonly string[];
      return `unknown option \`${name}\`${didYouMean(name, Object.keys(shape))}`;
    },
  });
}

/**
 * Returns `input` with defaults. The result and its lists are frozen, `input` is not changed.
 *
 * @param path path of `input` in messages, if it is a part of other options.
 * @throws {TypeError} for an unknown option (with the closest known name) or a value out of range. The message
 * starts with the path of the option.
 */
export function parseOptions<S extends OptionSet>(
  options: S,
  input: OptionsOf<NoInfer<S>>,
  path: readonly string[] = [],
): ResolvedOptionsOf<S> {
  const parsed = options.safeParse(input);
  if (!parsed.success) throw new TypeError(messageOf(parsed.error.issues, path));
  for (const [name, value] of Object.entries(parsed.data)) {
    if (Array.isArray(value) && value !== (input as Readonly<Record<string, unknown>>)[name])
      Object.freeze(value);
  }
  return Object.freeze(parsed.data) as ResolvedOptionsOf<S>;
}

/** Returns one value, parsed. @throws {TypeError} with a message that starts with `name`. */
export function parseOption<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new TypeError(messageOf(parsed.error.issues, [name]));
  return parsed.data;
}

/** Returns the message of one issue. An unknown option comes first, because it explains a missing one. */
function messageOf(issues: readonly z.core.$ZodIssue[], parent: readonly string[]): string {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  const path = z.core.toDotPath([...parent, ...issue.path]);
  if (path === "") return issue.code === "invalid_type" ? `options ${issue.message}` : issue.message;
  return `${path}${issue.code === "unrecognized_keys" ? ":" : ""} ${issue.message}`;
}

function describe(value: unknown): string {
  if (typeof value === "string") return "a text";
  return Array.isArray(value) ? "a list" : String(value);
}
