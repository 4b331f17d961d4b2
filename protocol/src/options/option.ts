import { z } from "zod";
import { isNamespace, TIERS } from "../scope.js";
import { isSubjectPrefix, isToken } from "../subjects.js";

/** Schemas of option values. Their messages follow the name of the option. */
export const option = Object.freeze({
  integer,
  number,
  boolean,
  text,
  shortText,
  choice,
  list,
  value,
  tier,
  namespace,
  token,
  subjectPrefix,
  baseUrl,
  apiKey,
  signal,
});

/** An integer of `min`..`max`. */
function integer(min: number, max: number) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be an integer of ${min}..${max}, got ${String(input)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A number of `min`..`max`. */
function number(min: number, max: number) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be a number in ${min}..${max}, got ${String(input)}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

function boolean() {
  return z.boolean({ error: ({ input }) => `must be true or false, got ${String(input)}` });
}

/** A string of at least one character. Its messages do not contain the value, which may be a secret. */
function text() {
  const error = "must be a non-empty string";
  return z.string({ error }).min(1, { error });
}

/** A string of 1..`lengthMax` characters. Its message contains the value. */
function shortText(lengthMax: number) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be 1..${lengthMax} characters, got ${String(input)}`;
  return z.string({ error }).min(1, { error }).max(lengthMax, { error });
}

function choice<const T extends readonly string[]>(...values: T) {
  return z.enum(values, {
    error: ({ input }) => `must be one of ${values.join(", ")}, got ${String(input)}`,
  });
}

/** A list of `min`..`max` items, which is copied. `min` is 0 or 1. */
function list<T extends z.ZodType>(item: T, min = 0, max = Number.MAX_SAFE_INTEGER) {
  const error = min > 0 ? "must be a list of one or more items" : "must be a list";
  return z
    .array(item, { error })
    .min(min, { error })
    .max(max, { error: `must be a list of at most ${max} items` })
    .readonly();
}

/**
 * Any other value, such as a function. `message` describes valid values: "must be a function".
 *
 * @param isValid returns whether the value is a `T`.
 */
function value<T>(isValid: (value: unknown) => boolean, message: string | ((value: unknown) => string)) {
  const error = typeof message === "string" ? message : ({ input }: { input?: unknown }) => message(input);
  return z.custom<T>(isValid, { error });
}

function tier() {
  return choice(...TIERS);
}

/** A namespace path, without a pattern. */
function namespace() {
  const message = (given: unknown) => `must be a namespace path of 1..8 segments, got ${String(given)}`;
  return value<string>((given) => typeof given === "string" && isNamespace(given), message);
}

/** One token of a subject, such as a tenant. */
function token() {
  const message = "must be 1..64 of A-Z a-z 0-9 _ -";
  return value<string>((given) => typeof given === "string" && isToken(given), message);
}

/** Leading tokens of subjects. */
function subjectPrefix() {
  const message = (given: unknown) =>
    `must be tokens of A-Z a-z 0-9 _ - separated by dots, got ${String(given)}`;
  return value<string>((given) => typeof given === "string" && isSubjectPrefix(given), message);
}

/** URL of a server. It may be logged, so it must not contain a secret, and the message does not repeat it. */
function baseUrl() {
  const isPlain = (given: unknown) => {
    if (typeof given !== "string" || !URL.canParse(given)) return false;
    const { protocol, username, password, search, hash } = new URL(given);
    return /^https?:$/.test(protocol) && username + password + search + hash === "";
  };
  return value<string>(isPlain, "must be an http(s) URL without credentials, query or fragment");
}

/** A key that fits in a header. Another key would appear in the error about the invalid header. */
function apiKey() {
  const isKey = (given: unknown) => typeof given === "string" && /^[!-~]*$/.test(given);
  return value<string>(isKey, "must be printable ASCII without spaces");
}

function signal() {
  return value<AbortSignal>((given) => given instanceof AbortSignal, "must be an AbortSignal");
}
