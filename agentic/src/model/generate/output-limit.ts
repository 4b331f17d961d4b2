/** Maximum output limit of an answer that fills a schema, in tokens. */
export const OUTPUT_TOKENS_MAX = 8_192;

/** Number of characters that count as one token. Texts in most languages need fewer tokens. */
const TOKEN_LENGTH = 2;
/** Tokens for spaces and line breaks, which models add to JSON. */
const SPACE_FACTOR = 1.25;
const BASE_TOKENS = 32;

/** Nested schemas beyond this depth count as unbounded, because only recursive ones are that deep. */
const DEPTH_MAX = 32;
/** Characters of a number with a fraction or an exponent, beyond its whole digits. */
const FRACTION_LENGTH = 20;

/** Maximum lengths of the formats that need no `maxLength`. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = {
  date: 10,
  time: 24,
  "date-time": 40,
  uuid: 36,
};

/** The parts of a JSON Schema that decide the length of a value. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: boolean | SchemaNode;
  readonly prefixItems?: readonly SchemaNode[];
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/**
 * Returns the output limit of an answer that matches a JSON Schema, in tokens: enough for the longest answer,
 * at most 8,192.
 *
 * @throws {TypeError} if the schema allows an endless answer: a list without `maxItems`, a text without
 * `maxLength`, a number without `minimum` and `maximum`, additional fields, or a recursive schema. A model
 * could then write without end. The message names the first such place.
 */
export function outputLimit(schema: object, name: string): number {
  const root = schema as SchemaNode;
  const length = new SchemaLength(root).of(root, name, 0);
  return Math.min(OUTPUT_TOKENS_MAX, BASE_TOKENS + Math.ceil((length * SPACE_FACTOR) / TOKEN_LENGTH));
}

/** Adds up the number of characters of the longest JSON value that matches a schema. */
class SchemaLength {
  readonly #root: SchemaNode;

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  of(node: SchemaNode, path: string, depth: number): number {
    if (depth > DEPTH_MAX) throw unbounded(path, "is recursive");
    const { enum: values, anyOf, oneOf, allOf, $ref, type } = node;
    if ("const" in node) return lengthOf(node.const);
    if (values !== undefined) return Math.max(...values.map(lengthOf));
    const deeper = (one: SchemaNode) => this.of(one, path, depth + 1);
    if ($ref !== undefined) return deeper(this.#definition($ref, path));
    const options = anyOf ?? oneOf;
    if (options !== undefined) return Math.max(...options.map(deeper));
    // Each part may add its own fields.
    if (allOf !== undefined) return allOf.map(deeper).reduce((sum, length) => sum + length, 0);
    const types = typeof type === "string" ? [type] : (type ?? []);
    if (types.length === 0) throw unbounded(path, "has no type");
    return Math.max(...types.map((one) => this.#ofType(one, node, path, depth)));
  }

  #ofType(type: string, node: SchemaNode, path: string, depth: number): number {
    switch (type) {
      case "null":
      case "boolean":
        return 5;
      case "string":
        return textLength(node, path);
      case "integer":
      case "number":
        return numberLength(node, type, path);
      case "array":
        return this.#listLength(node, path, depth);
      case "object":
        return this.#objectLength(node, path, depth);
      default:
        throw unbounded(path, `has the unknown type ${type}`);
    }
  }

  #listLength({ items, prefixItems = [], maxItems }: SchemaNode, path: string, depth: number): number {
    const fixed = prefixItems.map((one, n) => this.of(one, `${path}[${n}]`, depth + 1) + 1);
    const fixedLength = 2 + fixed.reduce((sum, length) => sum + length, 0);
    if (items === false || (items === undefined && prefixItems.length > 0)) return fixedLength;
    if (maxItems === undefined) throw unbounded(path, "has no maxItems");
    if (typeof items !== "object") throw unbounded(`${path}[]`, "has no type");
    const countMax = Math.max(0, maxItems - prefixItems.length);
    return fixedLength + countMax * (this.of(items, `${path}[]`, depth + 1) + 1);
  }

  #objectLength({ properties = {}, additionalProperties }: SchemaNode, path: string, depth: number): number {
    if (additionalProperties !== false) throw unbounded(path, "allows additional fields");
    let length = 2;
    for (const [field, node] of Object.entries(properties)) {
      length += field.length + 4 + this.of(node, `${path}.${field}`, depth + 1);
    }
    return length;
  }

  #definition(reference: string, path: string): SchemaNode {
    if (reference === "#") return this.#root;
    const definition = this.#root.$defs?.[reference.replace("#/$defs/", "")];
    if (definition === undefined) throw unbounded(path, `refers to ${reference}`);
    return definition;
  }
}

function textLength({ maxLength, format = "" }: SchemaNode, path: string): number {
  const length = maxLength ?? FORMAT_LENGTHS[format];
  if (length === undefined) throw unbounded(path, "has no maxLength");
  return length + 2;
}

function numberLength(node: SchemaNode, type: "integer" | "number", path: string): number {
  const lowest = node.minimum ?? node.exclusiveMinimum;
  const highest = node.maximum ?? node.exclusiveMaximum;
  if (lowest === undefined || highest === undefined) throw unbounded(path, "has no minimum and maximum");
  const digits = Math.max(lengthOf(Math.trunc(lowest)), lengthOf(Math.trunc(highest)));
  return type === "integer" ? digits : digits + FRACTION_LENGTH;
}

function lengthOf(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}

function unbounded(path: string, problem: string): TypeError {
  return new TypeError(
    `the answer \`${path}\` ${problem}, so a model could write without end. Bound it in its schema`,
  );
}
