const CJK =
  "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}";
/** Unicode punctuation, and the ASCII symbols that BERT treats as punctuation. */
const PUNCTUATION = "\\p{P}$+<=>^`|~";

const WORD = new RegExp(`[^\\s${PUNCTUATION}${CJK}]+|[${PUNCTUATION}${CJK}]`, "gu");
const SPECIAL_TOKEN = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;
const BEYOND_PRINTABLE_ASCII = /[^\t\n\r -~]/;
const ACCENT_OR_CONTROL = /(?![\t\n\r])[\p{Mn}\p{C}\ufffd]/gu;

/**
 * Splits `text` into words like BERT's uncased models. Words are in lower case, without accents and control
 * characters. Every punctuation mark and CJK character is separate. Names of special tokens are not words.
 */
export function splitWords(text: string): string[] {
  const ordinary = text.replace(SPECIAL_TOKEN, " ");
  const plain = BEYOND_PRINTABLE_ASCII.test(ordinary)
    ? ordinary.normalize("NFD").replace(ACCENT_OR_CONTROL, "")
    : ordinary;
  return plain.toLowerCase().match(WORD) ?? [];
}

/** Token ids by spelling. Pieces that continue a word are stored without their `##`. */
export interface Vocabulary {
  readonly size: number;
  readonly initial: ReadonlyMap<string, number>;
  readonly continuing: ReadonlyMap<string, number>;
  /** Length of the longest piece in UTF-16 units. */
  readonly pieceLengthMax: number;
  /** Cache of piece ids by word. */
  readonly pieces: Map<string, readonly number[]>;
}

/** Maximum word length in code points, as in BERT. Longer words are unknown as a whole. */
const WORD_LENGTH_MAX = 100;
const CONTINUATION = "##";
/** Maximum number of cached words. */
const REMEMBERED_COUNT_MAX = 10_000;
/** Maximum length of a cached word. V8 may keep the whole text in memory for a longer piece of it. */
const REMEMBERED_LENGTH_MAX = 12;

/** Parses a vocabulary with one token per line. The line number is the id. */
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
  return { size: tokens.length, initial, continuing, pieceLengthMax, pieces: new Map() };
}

/** Returns the ids of the known tokens of `text`, in order: BERT's WordPiece without unknown words. */
export function tokenIds(text: string, vocabulary: Vocabulary): number[] {
  const ids: number[] = [];
  for (const word of splitWords(text)) {
    const id = vocabulary.initial.get(word);
    if (id !== undefined) ids.push(id);
    else for (const piece of rememberedPieceIds(word, vocabulary)) ids.push(piece);
  }
  return ids;
}

function rememberedPieceIds(word: string, vocabulary: Vocabulary): readonly number[] {
  const { pieces } = vocabulary;
  const known = pieces.get(word);
  if (known !== undefined) return known;
  const ids = isTooLong(word) ? [] : pieceIds(word, vocabulary);
  if (word.length > REMEMBERED_LENGTH_MAX) return ids;
  if (pieces.size >= REMEMBERED_COUNT_MAX) pieces.clear();
  pieces.set(word, ids);
  return ids;
}

function isTooLong(word: string): boolean {
  return word.length > WORD_LENGTH_MAX && Array.from(word).length > WORD_LENGTH_MAX;
}

/** Returns the ids of the longest pieces that make up `word`. Empty if part of it is not a piece. */
function pieceIds(word: string, { initial, continuing, pieceLengthMax }: Vocabulary): number[] {
  const ids: number[] = [];
  let pieces = initial;
  for (let start = 0; start < word.length; pieces = continuing) {
    let end = Math.min(word.length, start + pieceLengthMax);
    let id = pieces.get(word.slice(start, end));
    while (id === undefined && --end > start) id = pieces.get(word.slice(start, end));
    if (id === undefined) return [];
    ids.push(id);
    start = end;
  }
  return ids;
}
