/** Encodes a name as one namespace segment. The encoding is unique and reversible. */
export function encodeSegment(name: string): string {
  return name.replaceAll(
    /[%/*\p{Cc}]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

export function decodeSegment(segment: string): string {
  return segment.replaceAll(/%([0-9a-f]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/**
 * Returns the subject of the records in a namespace `about/<X>` (clause REC-8), or undefined for another
 * namespace.
 */
export function subjectFromNamespace(namespace: string): string | undefined {
  const [root, segment, ...others] = namespace.split("/");
  if (root !== "about" || segment === undefined || others.length > 0) return undefined;
  return decodeSegment(segment);
}
