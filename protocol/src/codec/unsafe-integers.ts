/**
 * Matches JSON that may contain an unsafe integer, with few false positives: 2^53 is 9007199254740992. From
 * 1e21 on, `JSON.stringify` writes an exponent.
 */
const MAYBE_UNSAFE = /(?:^|[:,[])-?(?:9\d{15}|[1-9]\d{16})/;
/**
 * Matches an escape, a quotation mark, or a token that starts with a digit. Outside of strings such a token
 * is a number.
 */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/gs;
const INTEGER = /^-?\d{16,}$/;

/**
 * Rewrites integers beyond ±(2^53 - 1) in the output of `JSON.stringify` with an exponent, so that readers
 * parse them as doubles (clause ENV-VALUE-3). Examples: 9007199254740994 becomes 9007199254740994e0,
 * 2000000000000000000 becomes 2e18.
 */
export function withExponents(json: string): string {
  return MAYBE_UNSAFE.test(json) ? replaceUnsafeIntegers(json, withExponent) : json;
}

/**
 * Replaces integers beyond ±(2^53 - 1) with 1e999, which parses as infinity. JSON has no other notation for
 * infinity.
 */
export function markUnsafeIntegers(json: string): string {
  return replaceUnsafeIntegers(json, () => "1e999");
}

function withExponent(literal: string): string {
  const digits = literal.replace(/(?<!0)0+$/, "");
  return `${digits}e${literal.length - digits.length}`;
}

function replaceUnsafeIntegers(json: string, replacement: (literal: string) => string): string {
  let isInString = false;
  return json.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || !INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token;
    return replacement(token);
  });
}
