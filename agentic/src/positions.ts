/**
 * Returns a function that maps an old position (`seq`) to the new position of the same entry, or of the last
 * entry before it. 0: before all entries. `moved` has the new positions by the old ones.
 */
export function placeOf(moved: ReadonlyMap<number, number>): (seq: number) => number {
  const before = [...moved.keys()].sort((a, b) => a - b);
  return (seq) => {
    const last = before.findLast((candidate) => candidate <= seq);
    return last === undefined ? 0 : moved.get(last)!;
  };
}
