/** A hash or an address in hexadecimal digits, without or with 0x: what stands between its letters and digits are no words. */
const HEX_ID = /^(?:0[xX])?([\da-f]{16,}|[\dA-F]{16,})$/;

/** Digits that tell an id from another: as many as SHA-512 has. */
const DIGITS_MAX = 128;

/** The digits of a word that is a long hexadecimal id, as it is found; undefined for any other. */
export function hexId(word: string): string | undefined {
  return HEX_ID.exec(word)?.[1]?.slice(0, DIGITS_MAX).toLowerCase();
}
