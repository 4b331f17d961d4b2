/** Patterns of secrets, by the name that replaces them. */
const SECRETS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["aws key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["github token", /\b(?:gh[opsur]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255})/g],
  ["gitlab token", /\bglpat-[\w-]{16,255}/g],
  ["slack token", /\bxox[abeoprs]-[\w-]{10,255}/g],
  ["google key", /\bAIza[\w-]{35}/g],
  ["npm token", /\bnpm_[A-Za-z0-9]{30,255}/g],
  ["pypi token", /\bpypi-[\w-]{16,255}/g],
  ["hugging face token", /\bhf_[A-Za-z0-9]{20,255}/g],
  ["stripe key", /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,255}/g],
  ["api key", /\bsk-[\w-]{16,255}/g],
  ["sendgrid key", /\bSG\.[\w-]{16,64}\.[\w-]{16,64}/g],
  ["nkey seed", /\bS[ACNOUX][A-Z2-7]{40,60}\b/g],
  ["jwt", /\beyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,1000}/g],
  ["authorization", /\b(?:bearer|basic) [\w.~+/=-]{8,2000}/gi],
  ["email", /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b/g],
];

/** Matches `name:password@` in a URL. */
const URL_CREDENTIALS = /:\/\/[^\s/:@]{0,100}:[^\s/@]{1,200}@/g;

const SECRET_NAMES =
  "passwords?|passwd|passphrase|passwort|kennwort|contraseña|secrets?|tokens?|api[_ -]?keys?|access[_-]?keys?|private[_-]?keys?|credentials?|client[_-]?secret|pwd|(?<=[_-])pass";

/** Matches `PASSWORD="a value"`, `"api_key": "value"` and `--token "value"`. */
const QUOTED = new RegExp(
  `((?:${SECRET_NAMES})[\\w-]{0,40}["']?(?: ?[:=] ?| )(["']))(?:(?!\\2)[^\\n]){1,4000}`,
  "gi",
);
/** Matches `PASSWORD=value` and `"api_key": value`. */
const ASSIGNED = new RegExp(
  `((?:${SECRET_NAMES})[\\w-]{0,40}["']? ?[:=] ?)(?!\\[redacted)[^\\s"',;]{3,4000}`,
  "gi",
);
/** Matches `--token value` and `--db-password value`. */
const FLAG = new RegExp(
  `(--[\\w-]{0,40}(?:${SECRET_NAMES})[\\w-]{0,40}[= ])(?!\\[redacted)[^\\s"']{3,4000}`,
  "gi",
);
/** Matches "the password is hunter2". */
const SPOKEN = new RegExp(`\\b((?:${SECRET_NAMES}) (?:is|ist|es|est|lautet):? )[^\\s"']{3,4000}`, "gi");

const KEY_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const KEY_END = "-----END";

/** Digits of random text. A name may have one or two. */
const DIGITS_MIN = 3;
/** Matches words that may be random: a test of their characters follows. */
const LONG_WORD = /[A-Za-z0-9+_=-]{32,4000}/g;

/**
 * Replaces secrets and e-mail addresses by their kind, such as `[redacted: api key]`. Takes time in
 * proportion to the text. A secret without a known form or name is not found.
 */
export function redact(text: string): string {
  let result = withoutKeys(text);
  result = result.replaceAll(URL_CREDENTIALS, "://[redacted: credentials]@");
  for (const [name, pattern] of SECRETS) result = result.replaceAll(pattern, `[redacted: ${name}]`);
  for (const pattern of [QUOTED, ASSIGNED, FLAG, SPOKEN])
    result = result.replaceAll(pattern, "$1[redacted: secret]");
  return result.replaceAll(LONG_WORD, (word) => (isRandom(word) ? "[redacted: random text]" : word));
}

/** Removes private keys in PEM form. A key without an end reaches to the end of the text. */
function withoutKeys(text: string): string {
  const begin = KEY_BEGIN.exec(text);
  if (begin === null) return text;
  const end = text.indexOf(KEY_END, begin.index + begin[0].length);
  const lineEnd = end === -1 ? -1 : text.indexOf("\n", end);
  const rest = lineEnd === -1 ? "" : withoutKeys(text.slice(lineEnd));
  return `${text.slice(0, begin.index)}[redacted: private key]${rest}`;
}

/** Returns whether a word has digits and changes its case often, as random text does and names do not. */
function isRandom(word: string): boolean {
  const digits = word.replaceAll(/\D/g, "").length;
  let changes = 0;
  for (let index = 1; index < word.length; index++) {
    if (classOf(word[index]!) !== classOf(word[index - 1]!)) changes++;
  }
  return digits >= DIGITS_MIN && /[a-z]/.test(word) && /[A-Z]/.test(word) && changes * 4 > word.length;
}

function classOf(character: string): string {
  if (character >= "0" && character <= "9") return "digit";
  if (character >= "a" && character <= "z") return "lower";
  return character >= "A" && character <= "Z" ? "upper" : "other";
}
