/** First and last position of a part of a conversation. */
export interface PositionRange {
  readonly from: number;
  readonly to: number;
}

/** Maps old positions (`seq`) of entries to new ones. */
export interface Places {
  position(seq: number): number;
  range(range: PositionRange): PositionRange;
}

/**
 * Returns places that map an old position to the new position of the same entry, or of the last entry before
 * it. 0: before all entries. `moved` has the new positions by the old ones, in the same order. It must not change.
 */
export function placesAfter(moved: ReadonlyMap<number, number>): Places {
  const before = [...moved.keys()].sort((a, b) => a - b);
  const position = (seq: number) => {
    const last = before.findLast((candidate) => candidate <= seq);
    return last === undefined ? 0 : moved.get(last)!;
  };
  return { position, range: ({ from, to }) => ({ from: position(from), to: position(to) }) };
}
