/** Memory that V8 uses for a string in addition to its characters. */
const TEXT_HEADER_BYTES = 24;

/**
 * Returns the bytes that a text takes in RAM. Characters take two bytes each if
 * any of them is not ASCII.
 */
export function textBytes(text: string): number {
  const isAscii = Buffer.byteLength(text) === text.length;
  return TEXT_HEADER_BYTES + (isAscii ? text.length : 2 * text.length);
}
