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

/** Whom the records of a namespace `about/<X>` are about (clause REC-8); undefined for another namespace. */
export function aboutOf(namespace: string): string | undefined {
  const [place, segment, ...others] = namespace.split("/");
  if (place !== "about" || segment === undefined || others.length > 0) return undefined;
  return nameOfSegment(segment);
}
