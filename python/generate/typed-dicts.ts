/** The parts of JSON Schema that `protocol/schemas` uses. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

/** Fields that the client sets. They are not parameters. */
const ENVELOPE_FIELDS = new Set(["type", "id", "version", "ts", "session_id", "deadline_ms"]);

/** Shortens `MemoryStoreRequest` to `StoreRequest`. */
const nameOf = (name: string) => name.replace(/^Memory(\w+(Request|Response))$/, "$1");
const capitalized = (name: string) =>
  name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
const isIdentifier = (name: string) => /^[a-z_][a-z_0-9]*$/.test(name) && !KEYWORDS.has(name);
/** Python keywords that are used as field names. */
const KEYWORDS = new Set(["from", "not", "in", "is", "or", "and", "global", "class"]);
const literal = (values: readonly unknown[]) =>
  `Literal[${values.map((value) => JSON.stringify(value)).join(", ")}]`;

/** Python TypedDicts and aliases for JSON Schemas. Each definition is emitted once, and each nested object gets its own name. */
export class TypedDicts {
  readonly #sources = new Map<string, string>();
  readonly #code: string[] = [];

  /**
   * Adds a definition.
   *
   * @param isRequest omits the fields of the envelope.
   * @throws {Error} if two schemas define the name differently.
   */
  add(name: string, schema: Schema, isRequest = false): void {
    const source = JSON.stringify(schema);
    if (this.#sources.has(name)) {
      if (this.#sources.get(name) !== source)
        throw new Error(`${name} is defined twice with different schemas`);
      return;
    }
    this.#sources.set(name, source);
    if (schema.properties !== undefined) this.#code.push(this.#dict(name, schema, isRequest));
    else
      this.#code.push(
        `${name}: TypeAlias = ${JSON.stringify(this.#type(name, schema)).replaceAll('\\"', "'")}`,
      );
  }

  /** Returns all definitions, each before its uses. */
  toString(): string {
    return this.#code.join("\n\n\n");
  }

  #dict(name: string, { properties = {}, required = [] }: Schema, isRequest: boolean): string {
    const fields = Object.entries(properties).filter(([field]) => !isRequest || !ENVELOPE_FIELDS.has(field));
    const typed = fields.map(([field, schema]) => ({
      field,
      type: this.#type(name + capitalized(field), schema),
      comment: schema.description ? `  # ${schema.description}` : "",
      isRequired: required.includes(field),
    }));
    if (typed.some(({ field }) => !isIdentifier(field))) {
      const pairs = typed.map(({ field, type }) => `"${field}": ${JSON.stringify(type)}`);
      return `${name} = TypedDict("${name}", {${pairs.join(", ")}})`;
    }
    const lines = (wanted: boolean) =>
      typed
        .filter(({ isRequired }) => isRequired === wanted)
        .map(({ field, type, comment }) => `    ${field}: ${type}${comment}`);
    const [must, may] = [lines(true), lines(false)];
    if (may.length === 0) return [`class ${name}(TypedDict):`, ...must].join("\n");
    if (must.length === 0) return [`class ${name}(TypedDict, total=False):`, ...may].join("\n");
    const base = [`class _${name}(TypedDict):`, ...must].join("\n");
    return `${base}\n\n\n${[`class ${name}(_${name}, total=False):`, ...may].join("\n")}`;
  }

  #type(name: string, schema: Schema): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref.replace("#/$defs/", ""));
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum !== undefined) return literal(schema.enum);
    if (schema.anyOf !== undefined) return this.#union(name, schema.anyOf);
    if (Array.isArray(schema.type))
      return this.#union(
        name,
        schema.type.map((type: string) => ({ type })),
      );
    return this.#plain(name, schema);
  }

  #union(name: string, members: readonly Schema[]): string {
    const types = members.map((member) => this.#type(name + memberName(member), member));
    return [...new Set(types)].join(" | ");
  }

  #plain(name: string, schema: Schema): string {
    switch (schema.type) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array":
        return `list[${schema.items ? this.#type(name, schema.items) : "Any"}]`;
      case "object":
        return this.#object(name, schema);
      default:
        return "Any";
    }
  }

  #object(name: string, schema: Schema): string {
    if (schema.properties !== undefined) {
      this.add(name, schema);
      return name;
    }
    const { additionalProperties: values } = schema;
    return `dict[str, ${typeof values === "object" ? this.#type(name, values) : "Any"}]`;
  }
}

/** Returns a name for an object in a union: its first field. */
function memberName({ properties = {} }: Schema): string {
  return capitalized(Object.keys(properties)[0]?.replace("$", "") ?? "");
}

/** Adds all definitions of a message schema. */
export function addMessage(dicts: TypedDicts, { $defs = {} }: Schema): void {
  for (const [name, schema] of Object.entries($defs).reverse()) {
    dicts.add(nameOf(name), schema, /^Memory\w+Request$|^Ping$/.test(name));
  }
}

/** Adds the schema of a record kind, such as `FactRecord` for `fact`. */
export function addRecord(dicts: TypedDicts, kind: string, schema: Schema): void {
  dicts.add(`${capitalized(kind)}Record`, schema);
}
