/** Returns the contents of all elements with this name. They must not contain an element of the same name. */
export function elementsOf(xml: string, name: string): string[] {
  const parts = xml.split(`<${name}>`).slice(1);
  return parts.map((part) => part.slice(0, Math.max(0, part.indexOf(`</${name}>`))));
}

/** Returns the text of the first element with this name. */
export function textOf(xml: string, name: string): string | undefined {
  const [text] = elementsOf(xml, name);
  return text === undefined ? undefined : withoutEntities(text);
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

export function withEntities(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character as keyof typeof ENTITIES]);
}

export function withoutEntities(text: string): string {
  return Object.entries(ENTITIES)
    .reverse()
    .reduce((found, [character, entity]) => found.replaceAll(entity, character), text);
}
