const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 code units, unsigned 32 bits. Stored with the rows: it never changes. */
export function termHash(term: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < term.length; index++) {
    hash = Math.imul(hash ^ term.charCodeAt(index), PRIME);
  }
  return hash >>> 0;
}
