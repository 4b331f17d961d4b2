/** Maximum part length for `includes`, which needs at most this number of comparisons for each text unit. */
const SHORT = 16;

/**
 * Returns whether `text` contains `part`, in linear time (Knuth, Morris, Pratt). `includes` can take
 * quadratic time: seconds for a malicious request.
 */
export function hasSubstring(text: string, part: string): boolean {
  if (part.length < SHORT) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = bordersOf(part);
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = extended(part, borders, matched, text.charCodeAt(at));
    if (matched === part.length) return true;
  }
  return false;
}

/** Table of the last part, because a filter searches many texts for the same part. */
let latest: { readonly part: string; readonly borders: Uint32Array } = {
  part: "",
  borders: new Uint32Array(0),
};

/** Returns the failure table of `part`: for each proper prefix, the length of its longest border. */
function bordersOf(part: string): Uint32Array {
  if (part !== latest.part) latest = { part, borders: computeBorders(part) };
  return latest.borders;
}

function computeBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let length = 2; length < part.length; length++) {
    borders[length] = extended(part, borders, borders[length - 1]!, part.charCodeAt(length - 1));
  }
  return borders;
}

/** Returns the length of the matched prefix of `part` after one more text unit. */
function extended(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length]!;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}
