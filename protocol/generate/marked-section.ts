/**
 * Replaces the lines between `<!-- begin NAME -->` and `<!-- end NAME -->` with `content`.
 *
 * @throws {Error} if a marker is missing.
 */
export function withSection(markdown: string, name: string, content: string): string {
  const begin = `<!-- begin ${name} -->`;
  const end = `<!-- end ${name} -->`;
  const [start, stop] = [markdown.indexOf(begin), markdown.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`section \`${name}\` has no begin and end markers`);
  return `${markdown.slice(0, start + begin.length)}\n${content}\n${markdown.slice(stop)}`;
}
