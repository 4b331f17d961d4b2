/** Returns the position of the first number that is not below `value`, among the first `end` ascending ones. */
export function lowerBound(ascending: ArrayLike<number>, value: number, end = ascending.length): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
