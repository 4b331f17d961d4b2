/** As few as can be, and no revision: 2^53 is 9007199254740992. From 1e21 on `JSON.stringify` writes an exponent. */
const MAYBE_GREAT = /(?:^|[:,[])-?(?:9\d{15}|[1-9]\d{16})/;
/** In JSON: an escape, either end of a string, or what begins with a digit, which is a number outside of strings. */
const TOKEN = /\\.|"|-?\d[\d.eE+-]*/gs;
const INTEGER = /^-?\d{16,}$/;

/**
 * JSON as `JSON.stringify` writes it, but doubles of integral value beyond ±(2^53 - 1) with an exponent, so that a reader
 * takes them for doubles (clause ENV-VALUE-3): 9007199254740994 becomes 9007199254740994e0, 2000000000000000000 2e18.
 */
export function withExponents(json: string): string {
  return MAYBE_GREAT.test(json) ? replaceGreatIntegers(json, withExponent) : json;
}

/** JSON with integers beyond ±(2^53 - 1) as infinity, which it cannot hold otherwise; itself where there is none. */
export function withInfinities(json: string): string {
  return replaceGreatIntegers(json, () => "1e999");
}

function withExponent(literal: string): string {
  const digits = literal.replace(/0+$/, "");
  return `${digits}e${literal.length - digits.length}`;
}

function replaceGreatIntegers(json: string, replacement: (literal: string) => string): string {
  let isInString = false;
  return json.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString || !INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token;
    return replacement(token);
  });
}
