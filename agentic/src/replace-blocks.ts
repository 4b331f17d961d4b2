/** Receives the text of a block with its marks and without them. Returns the text that replaces the block. */
export type BlockReplacement = (block: string, inside: string) => string;

/**
 * Replaces the blocks of a text, from a begin mark to the next end mark, in time proportional to its length.
 * @param begin a pattern with the flag `g` that matches at least one character.
 * @param isEndOptional a block without an end mark extends to the end of the text. False: it stays.
 */
export function replaceBlocks(
  text: string,
  begin: RegExp,
  end: string,
  replace: BlockReplacement,
  isEndOptional = false,
): string {
  const parts: string[] = [];
  const search = new RegExp(begin);
  let from = 0;
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const at = text.indexOf(end, search.lastIndex);
    if (at === -1 && !isEndOptional) break;
    const close = at === -1 ? text.length : at;
    const next = at === -1 ? text.length : at + end.length;
    const replaced = replace(text.slice(found.index, next), text.slice(search.lastIndex, close));
    parts.push(text.slice(from, found.index), replaced);
    from = next;
    search.lastIndex = next;
  }
  return parts.join("") + text.slice(from);
}

/** Returns the text inside each block. */
export function blocksIn(text: string, begin: RegExp, end: string): string[] {
  const found: string[] = [];
  replaceBlocks(text, begin, end, (_, inside) => {
    found.push(inside);
    return "";
  });
  return found;
}

/** Begin mark of a code block. Its end mark is `FENCE`. */
export const FENCE_LINE = /```[\w-]*[ \t]*\r?\n/g;
export const FENCE = "```";
