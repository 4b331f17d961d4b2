/** Maximum part length for `includes`, which needs at most this number of comparisons for each text unit. */
const SHORT_PART_LENGTH = 16;

/**
 * Returns whether `text` contains `part`, in linear time (Knuth, Morris, Pratt). `includes` can take
 * quadratic time: seconds for a malicious request.
 */
export function hasSubstring(text: string, part: string): boolean {
  if (part.length < SHORT_PART_LENGTH) return text.includes(part);
  if (part.length > text.length) return false;
  const failures = failureTable(part);
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = extendMatch(part, failures, matched, text.charCodeAt(at));
    if (matched === part.length) return true;
  }
  return false;
}

/** Table of the last part, because a filter searches many texts for the same part. */
let latest: { readonly part: string; readonly failures: Uint32Array } = {
  part: "",
  failures: new Uint32Array(0),
};

/** Returns the failure table of `part`: for each proper prefix, the length of its longest border. */
function failureTable(part: string): Uint32Array {
  if (part !== latest.part) latest = { part, failures: computeFailureTable(part) };
  return latest.failures;
}

function computeFailureTable(part: string): Uint32Array {
  const failures = new Uint32Array(part.length);
  for (let length = 2; length < part.length; length++) {
    failures[length] = extendMatch(part, failures, failures[length - 1]!, part.charCodeAt(length - 1));
  }
  return failures;
}

/** Returns the length of the matched prefix of `part` after one more text unit. */
function extendMatch(part: string, failures: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = failures[length]!;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}
