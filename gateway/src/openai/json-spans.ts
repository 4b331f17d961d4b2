/** Where a value stands in JSON text: its first byte, and the one behind its last. */
export interface JsonSpan {
  /** Of a member of an object. */
  readonly name?: string | undefined;
  readonly start: number;
  readonly end: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, ARRAY, OBJECT_END, ARRAY_END] = [0x7b, 0x5b, 0x7d, 0x5d];
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ENDS: ReadonlySet<number | undefined> = new Set([...SPACES, COMMA, OBJECT_END, ARRAY_END, undefined]);

/** The value of a text that is JSON. */
export function rootOf(json: Buffer): JsonSpan {
  const start = skipSpaces(json, 0);
  return { start, end: endOf(json, start) };
}

/** The members of an object, or elements of an array; none of another value. */
export function childrenOf(json: Buffer, { start, end }: JsonSpan): JsonSpan[] {
  const isObject = json[start] === OBJECT;
  if (!isObject && json[start] !== ARRAY) return [];
  const children: JsonSpan[] = [];
  for (let at = skipSpaces(json, start + 1); at < end - 1; ) {
    const nameEnd = isObject ? endOf(json, at) : at;
    const name = isObject ? (JSON.parse(json.toString("utf8", at, nameEnd)) as string) : undefined;
    // Behind a name there is a colon.
    const child = isObject ? skipSpaces(json, skipSpaces(json, nameEnd) + 1) : at;
    children.push({ name, start: child, end: endOf(json, child) });
    at = skipSpaces(json, children.at(-1)!.end);
    if (json[at] === COMMA) at = skipSpaces(json, at + 1);
  }
  return children;
}

/** As `JSON.parse` does, the last of that name. */
export function memberOf(json: Buffer, object: JsonSpan, name: string): JsonSpan | undefined {
  return childrenOf(json, object).findLast((child) => child.name === name);
}

/** Every other byte stays. */
export function insertJson(json: Buffer, at: number, text: string): Buffer {
  return replaceJson(json, { start: at, end: at }, text);
}

/** Every other byte stays. */
export function replaceJson(json: Buffer, { start, end }: JsonSpan, text: string): Buffer {
  return Buffer.concat([json.subarray(0, start), Buffer.from(text, "utf8"), json.subarray(end)]);
}

/** An object with one more member. */
export function insertMember(json: Buffer, name: string, value: string): Buffer {
  const root = rootOf(json);
  const comma = childrenOf(json, root).length > 0 ? "," : "";
  return insertJson(json, root.end - 1, `${comma}${JSON.stringify(name)}:${value}`);
}

/** An object of which the list `name` has these elements behind its others; made where there is none. */
export function appendTo(json: Buffer, name: string, elements: readonly object[]): Buffer {
  return addTo(json, name, elements, (list) => list.end - 1);
}

/** The same with the elements before the others. */
export function prependTo(json: Buffer, name: string, elements: readonly object[]): Buffer {
  return addTo(json, name, elements, (list) => list.start + 1);
}

function addTo(
  json: Buffer,
  name: string,
  elements: readonly object[],
  placeIn: (list: JsonSpan) => number,
): Buffer {
  const list = memberOf(json, rootOf(json), name);
  const text = elements.map((element) => JSON.stringify(element)).join(",");
  if (list === undefined) return insertMember(json, name, `[${text}]`);
  if (kindOf(json, list) === "n") return replaceJson(json, list, `[${text}]`);
  if (json[list.start] !== ARRAY || text === "") return json;
  const at = placeIn(list);
  if (childrenOf(json, list).length === 0) return insertJson(json, at, text);
  return insertJson(json, at, at === list.end - 1 ? `,${text}` : `${text},`);
}

/** Text that ends a JSON string. */
export function appendText(json: Buffer, string: JsonSpan, text: string): Buffer {
  return insertJson(json, string.end - 1, JSON.stringify(text).slice(1, -1));
}

/** The first character of a value, which tells its kind. */
export function kindOf(json: Buffer, { start }: JsonSpan): string {
  return String.fromCharCode(json[start]!);
}

function endOf(json: Buffer, start: number): number {
  if (json[start] === QUOTE) return endOfText(json, start);
  let at = start;
  if (json[start] !== OBJECT && json[start] !== ARRAY) {
    while (!ENDS.has(json[at])) at++;
    return at;
  }
  for (let depth = 0; at < json.length; ) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfText(json, at);
      continue;
    }
    at++;
    if (byte === OBJECT || byte === ARRAY) depth++;
    if ((byte === OBJECT_END || byte === ARRAY_END) && --depth === 0) break;
  }
  return at;
}

function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (json[at] !== QUOTE && at < json.length) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipSpaces(json: Buffer, start: number): number {
  let at = start;
  while (SPACES.has(json[at])) at++;
  return at;
}
