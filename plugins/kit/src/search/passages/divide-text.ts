/** Part of a text. Positions are in UTF-16 units. */
export interface Passage {
  readonly start: number;
  /** Position after the last unit. */
  readonly end: number;
}

/** Length of the longest paragraph or code block that stays whole, in UTF-16 units: about 200 words. */
const WHOLE_LENGTH_MAX = 1_200;
/** Length of the longest passage, in UTF-16 units: about 300 words. */
const PASSAGE_LENGTH_MAX = 1_800;
/** Length of the longest part of a longer paragraph, and of the longest overlap: about 60 words. */
const PART_LENGTH_MAX = 360;

/** Matches the first line of a code block in Markdown. The first or second group is its fence. */
const FENCE = /^(`{3,})[^`]*$|^(~{3,})/;
/** Match the ends of lines, sentences and words: the places to divide a long paragraph, best first. */
const BOUNDARIES = [/\n/g, /[.!?…][)\]"'”’»]*\s|[。！？]/g, /\s/g] as const;

/**
 * Divides a text into passages of at most 300 words, in order. A paragraph or code block of up to 200 words is
 * whole in at least one passage. Neighbouring passages share up to 60 words. Returns one empty passage for a
 * blank text, and at most 93 passages for 65,536 units.
 */
export function dividePassages(text: string): Passage[] {
  const parts = blocksOf(text).flatMap((block) => partsOf(text, block));
  const trimmed = packParts(parts).map(({ start, end }) => ({
    start,
    end: start + text.slice(start, end).trimEnd().length,
  }));
  return trimmed.length === 0 ? [{ start: 0, end: 0 }] : trimmed;
}

/** Returns the paragraphs, which end at a blank line, and the fenced code blocks, without blank lines around. */
function blocksOf(text: string): Passage[] {
  const blocks: Passage[] = [];
  let block: Passage | undefined;
  let fence: string | undefined;
  const endBlock = () => {
    if (block !== undefined) blocks.push(block);
    block = undefined;
  };
  for (const line of linesOf(text)) {
    const written = text.slice(line.start, line.end).trim();
    const opened = fence === undefined ? openedFence(written) : undefined;
    if (opened !== undefined || (written === "" && fence === undefined)) endBlock();
    fence ??= opened;
    if (written === "") continue;
    block = { start: block?.start ?? line.start, end: line.end };
    if (fence === undefined || opened !== undefined || !closesFence(written, fence)) continue;
    endBlock();
    fence = undefined;
  }
  endBlock();
  return blocks;
}

function* linesOf(text: string): Generator<Passage> {
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf("\n", start);
    const end = at === -1 ? text.length : at;
    yield { start, end };
    start = end + 1;
  }
}

function openedFence(line: string): string | undefined {
  const found = FENCE.exec(line);
  return found?.[1] ?? found?.[2];
}

function closesFence(line: string, fence: string): boolean {
  return line.startsWith(fence) && line.replaceAll(fence[0]!, "") === "";
}

/** Divides a long block at the ends of lines, sentences or words. */
function partsOf(text: string, block: Passage): Passage[] {
  if (block.end - block.start <= WHOLE_LENGTH_MAX) return [block];
  const parts: Passage[] = [];
  for (let start = block.start; start < block.end; ) {
    const end = partEnd(text, start, block.end);
    parts.push({ start, end });
    start = end;
  }
  return parts;
}

function partEnd(text: string, start: number, end: number): number {
  if (end - start <= PART_LENGTH_MAX) return end;
  const window = text.slice(start, start + PART_LENGTH_MAX);
  for (const boundary of BOUNDARIES) {
    const last = [...window.matchAll(boundary)].at(-1);
    const length = last === undefined ? 0 : last.index + last[0].length;
    if (length > PART_LENGTH_MAX / 2) return start + length;
  }
  const splitsPair = /[\ud800-\udbff]$/.test(window);
  return start + PART_LENGTH_MAX - (splitsPair ? 1 : 0);
}

/** Joins parts to passages. The last passage reaches back as far as it can, because its end is often short. */
function packParts(parts: readonly Passage[]): Passage[] {
  const passages: Passage[] = [];
  const fits = (first: number, last: number) => parts[last]!.end - parts[first]!.start <= PASSAGE_LENGTH_MAX;
  const join = (first: number, last: number) =>
    passages.push({ start: parts[first]!.start, end: parts[last]!.end });
  for (let first = 0; first < parts.length; ) {
    let last = first;
    while (last + 1 < parts.length && fits(first, last + 1)) last++;
    if (last + 1 === parts.length) {
      while (first > 0 && fits(first - 1, last)) first--;
      join(first, last);
      break;
    }
    join(first, last);
    let next = last + 1;
    const overlaps = (at: number) => parts[last]!.end - parts[at]!.start <= PART_LENGTH_MAX;
    while (next - 1 > first && overlaps(next - 1) && fits(next - 1, last + 1)) next--;
    first = next;
  }
  return passages;
}
