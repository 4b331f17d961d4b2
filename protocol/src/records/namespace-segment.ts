/** A name as a segment of a namespace: one segment for each name, and one name for each segment. */
export function segmentOf(name: string): string {
  return name.replaceAll(
    /[%/*\p{Cc}]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

export function nameOfSegment(segment: string): string {
  return segment.replaceAll(/%([0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
