/** A change of a text: `removed` at `offset` becomes `inserted`. */
export interface TextEdit {
  /** In UTF-16 code units of the text that the edits before this one have produced. */
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

export function insertion(offset: number, inserted: string): TextEdit {
  return { offset, removed: "", inserted };
}

export function deletion(text: string, start: number, end: number): TextEdit {
  return { offset: start, removed: text.slice(start, end), inserted: "" };
}

/** Applies edits in their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce(
    (current, { offset, removed, inserted }) =>
      current.slice(0, offset) + inserted + current.slice(offset + removed.length),
    text,
  );
}

/** Returns the text before the edits. The text must be the result of the edits. */
export function undoEdits(text: string, edits: readonly TextEdit[]): string {
  const inverse = edits.map(({ offset, removed, inserted }) => ({
    offset,
    removed: inserted,
    inserted: removed,
  }));
  return applyEdits(text, inverse.reverse());
}
