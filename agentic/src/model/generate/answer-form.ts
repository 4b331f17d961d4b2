import { loadPrompt } from "./load-prompt.js";

/** The parts of a JSON Schema that the form of an answer shows. */
interface FormNode {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly FormNode[];
  readonly oneOf?: readonly FormNode[];
  readonly allOf?: readonly FormNode[];
  readonly properties?: Readonly<Record<string, FormNode>>;
  readonly items?: FormNode;
  readonly prefixItems?: readonly FormNode[];
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly description?: string;
  readonly format?: string;
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: "2024-05-01",
  time: "10:00:00",
  "date-time": "2024-05-01T10:00:00Z",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * Returns the instruction that shows a model the form of its answer with one example. It is part of every
 * prompt, because many servers use a schema only as a grammar, and others ignore it.
 *
 * @param example a value that matches the schema. Absent: one that is derived from the schema.
 */
export function answerInstruction(schema: object, example: unknown = exampleOf(schema as FormNode)): string {
  return loadPrompt("answer-in-json", {
    form: formOf(schema as FormNode, ""),
    example: JSON.stringify(example),
  });
}

/** Returns a value with the form of the schema: one item per list, null where it is allowed. */
export function exampleOf(node: FormNode): unknown {
  if ("const" in node) return node.const;
  if (node.enum !== undefined) return node.enum[0];
  const options = optionsOf(node);
  if (options.length > 0) return exampleOf(options.find(isNull) ?? options[0]!);
  switch (typesOf(node)[0]) {
    case "object":
      return Object.fromEntries(fieldsOf(node).map(([name, field]) => [name, exampleOf(field)]));
    case "array":
      return node.maxItems === 0 ? [] : (node.prefixItems ?? [node.items ?? {}]).map(exampleOf);
    case "integer":
    case "number":
      return Math.max(1, Math.ceil(node.minimum ?? 1));
    case "boolean":
      return true;
    case "string":
      return FORMAT_EXAMPLES[node.format ?? ""] ?? "text";
    default:
      return null;
  }
}

/** Returns the form as JSON with types in place of values, and descriptions as comments. */
function formOf(node: FormNode, indent: string): string {
  if ("const" in node) return JSON.stringify(node.const);
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(" or ");
  const options = optionsOf(node);
  if (options.length > 0) return options.map((option) => formOf(option, indent)).join(" or ");
  return typesOf(node)
    .map((type) => {
      if (type === "object") return objectForm(node, indent);
      return type === "array" ? listForm(node, indent) : type;
    })
    .join(" or ");
}

function objectForm(node: FormNode, indent: string): string {
  const inner = `${indent}  `;
  const fields = fieldsOf(node);
  const lines = fields.map(([name, field], n) => {
    const comma = n < fields.length - 1 ? "," : "";
    const comment = field.description === undefined ? "" : `  // ${field.description}`;
    return `${inner}${JSON.stringify(name)}: ${formOf(field, inner)}${comma}${comment}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function listForm({ items, prefixItems, maxItems }: FormNode, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((one) => formOf(one, indent)).join(", ")}]`;
  const bound = maxItems === undefined ? "" : `, at most ${maxItems} items`;
  return `[${formOf(items ?? {}, indent)}, ...${bound}]`;
}

function fieldsOf({ properties = {} }: FormNode): [string, FormNode][] {
  return Object.entries(properties);
}

function optionsOf({ anyOf, oneOf, allOf }: FormNode): readonly FormNode[] {
  return anyOf ?? oneOf ?? allOf ?? [];
}

function typesOf({ type }: FormNode): readonly string[] {
  return typeof type === "string" ? [type] : (type ?? ["value"]);
}

function isNull({ type }: FormNode): boolean {
  return type === "null";
}
