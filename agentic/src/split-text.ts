/** Ends of a paragraph, of a sentence and of a word, the best place to cut first. */
const CUTS = [/\n(?:[^\S\n]*\n)+/g, /[.!?…。！？]["'”’)\]]*\s|[。！？]|\n/g, /\s/g];

/**
 * Divides a text into parts of at most `lengthMax` characters, in order and without loss of words. It is cut
 * between paragraphs if possible, else between sentences, words or characters.
 */
export function splitText(text: string, lengthMax: number): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > lengthMax) {
    const to = from + cutIn(text.slice(from, from + lengthMax));
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Returns where to cut a window: after the last end of the best kind in its second half. */
function cutIn(window: string): number {
  for (const cut of CUTS) {
    const ends = [...window.matchAll(cut)].map(({ 0: found, index }) => index + found.length);
    const last = ends.at(-1);
    if (last !== undefined && last > window.length / 2) return last;
  }
  const isHalfCharacter = /[\uD800-\uDBFF]$/.test(window) && window.length > 1;
  return isHalfCharacter ? window.length - 1 : window.length;
}
