/** Below so many units, `includes` takes so many comparisons for each unit of the text at most, and far fewer usually. */
const SHORT = 16;

/**
 * Whether `text` has `part` in it. The time is linear in their lengths whatever they are, where that of `includes` may
 * be their product: seconds for a request made for it (Knuth, Morris, Pratt).
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

/** Of the part looked for last: a filter looks for the same one in many texts. */
let latest: { readonly part: string; readonly borders: Uint32Array } = {
  part: "",
  borders: new Uint32Array(0),
};

/** For each length of a beginning of `part` but the whole: how much of it is also its end, itself apart. */
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

/** How much of the beginning of `part` a text ends with after one unit more, where it was `matched` before. */
function extended(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length]!;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}
