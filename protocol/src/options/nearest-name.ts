/** Number of characters to compare of a longer name, which limits the time of a comparison. */
const COMPARED_LENGTH_MAX = 64;

/** Returns the known name that is closest to `name` by edit distance, or undefined if none is similar. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const compared = name.slice(0, COMPARED_LENGTH_MAX);
  let nearest: string | undefined;
  let best = Math.max(2, Math.floor(compared.length / 2)) + 1;
  for (const candidate of known) {
    const distance = editDistance(compared, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** Returns " (did you mean `x`?)" for an unknown field or option, or "" if no known name is similar. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`;
}
