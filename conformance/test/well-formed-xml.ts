const TOKEN = /<\?xml[^?]*\?>|<\/([\w-]+)>|<([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const TEXT = /^(?:[^&]|&(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)*$/;

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Returns the elements of a document in the order of their opening tags.
 * @throws {Error} if the document is not well-formed.
 */
export function parseWellFormedXml(xml: string): XmlElement[] {
  const elements: XmlElement[] = [];
  const open: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 80)}`);
    const [, closed, opened, attributes = "", empty, text = ""] = match;
    for (const part of [attributes, text]) {
      if (!TEXT.test(part)) throw new Error(`a bare & at ${at}: ${part.slice(0, 80)}`);
    }
    if (closed !== undefined && open.pop() !== closed) throw new Error(`</${closed}> closes nothing`);
    if (opened === undefined) continue;
    elements.push({ name: opened, attributes: attributesOf(attributes) });
    if (empty === "") open.push(opened);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  return elements;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}
