/** What V8 keeps besides the characters of a text. */
const TEXT_HEADER_BYTES = 24;

/** Bytes that a text takes in RAM: its characters take two each as soon as one of them needs more than one. */
export function textBytes(text: string): number {
  const isAscii = Buffer.byteLength(text) === text.length;
  return TEXT_HEADER_BYTES + (isAscii ? text.length : 2 * text.length);
}
