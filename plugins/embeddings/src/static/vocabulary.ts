import { splitWords } from "./split-words.js";

/** Token ids by spelling; a piece that continues a word is spelt without its `##`. */
export interface Vocabulary {
  readonly size: number;
  readonly initial: ReadonlyMap<string, number>;
  readonly continuing: ReadonlyMap<string, number>;
  /** Length of the longest piece, in UTF-16 units. */
  readonly pieceLengthMax: number;
}

/** Longer words are unknown as a whole. In code points, as in BERT. */
const WORD_LENGTH_MAX = 100;
const CONTINUATION = "##";

/** Reads a vocabulary of one token a line; the line number is the id. */
export function parseVocabulary(lines: string): Vocabulary {
  const tokens = lines.replace(/\n$/, "").split("\n");
  const initial = new Map<string, number>();
  const continuing = new Map<string, number>();
  let pieceLengthMax = 0;
  for (const [id, token] of tokens.entries()) {
    const continues = token.startsWith(CONTINUATION) && token !== CONTINUATION;
    const piece = continues ? token.slice(CONTINUATION.length) : token;
    (continues ? continuing : initial).set(piece, id);
    pieceLengthMax = Math.max(pieceLengthMax, piece.length);
  }
  return { size: tokens.length, initial, continuing, pieceLengthMax };
}

/** Ids of the known tokens of `text`, in order: BERT's WordPiece, unknown words left out. */
export function tokenIds(text: string, vocabulary: Vocabulary): number[] {
  const ids: number[] = [];
  for (const word of splitWords(text)) {
    if (!isTooLong(word)) appendPieceIds(word, vocabulary, ids);
  }
  return ids;
}

function isTooLong(word: string): boolean {
  return word.length > WORD_LENGTH_MAX && Array.from(word).length > WORD_LENGTH_MAX;
}

/** Appends the ids of the longest pieces that make up `word`, or none when some part of it is no piece. */
function appendPieceIds(word: string, vocabulary: Vocabulary, ids: number[]): void {
  const known = ids.length;
  let pieces = vocabulary.initial;
  let start = 0;
  while (start < word.length) {
    let end = Math.min(word.length, start + vocabulary.pieceLengthMax);
    while (end > start && !pieces.has(word.slice(start, end))) end -= 1;
    if (end === start) {
      ids.length = known;
      return;
    }
    ids.push(pieces.get(word.slice(start, end))!);
    pieces = vocabulary.continuing;
    start = end;
  }
}
