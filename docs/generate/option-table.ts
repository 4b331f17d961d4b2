import { readFileSync } from "node:fs";
import type { OptionSet } from "@membus/protocol";
import ts from "typescript";
import { z } from "zod";

/** Returns a Markdown table of options, with the comments of the declaration `name` in the file at `path`. */
export function optionTable(options: OptionSet, path: string, name: string): string {
  const code = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const comments = commentsOf(ts.createSourceFile(path, code, ts.ScriptTarget.ES2022, true), name);
  const rows = Object.entries(options.shape).map(([option, schema]) => {
    const cells = [
      `\`${option}\``,
      comments.get(option) ?? "",
      rangeOf(option, schema),
      defaultOf(option, schema),
    ];
    return `| ${cells.map(inCell).join(" | ")} |`;
  });
  return ["| option | description | range | default |", "|---|---|---|---|", ...rows].join("\n");
}

/** Returns the comments in `const <name> = optionSet({ ... })` and in the declarations that it spreads. */
function commentsOf(source: ts.SourceFile, name: string): ReadonlyMap<string, string> {
  const shape = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter((declaration) => declaration.name.getText() === name)
    .flatMap(({ initializer }) => optionSetShapes(initializer));
  const comments = shape.flatMap(({ properties }) =>
    properties.flatMap((property) => {
      if (ts.isSpreadAssignment(property))
        return [...commentsOf(source, property.expression.getText().replace(/\.shape$/, ""))];
      const comment = commentOf(property);
      return comment === undefined ? [] : [[property.name.getText(), comment] as const];
    }),
  );
  return new Map(comments);
}

/** Returns the object literals that are passed to `optionSet` within a node. */
function optionSetShapes(node: ts.Node | undefined): ts.ObjectLiteralExpression[] {
  if (node === undefined) return [];
  const isSet = ts.isCallExpression(node) && node.expression.getText() === "optionSet";
  const own = isSet ? node.arguments.filter(ts.isObjectLiteralExpression) : [];
  if (own.length > 0) return own;
  const shapes: ts.ObjectLiteralExpression[] = [];
  ts.forEachChild(node, (child) => void shapes.push(...optionSetShapes(child)));
  return shapes;
}

function commentOf(property: ts.Node): string | undefined {
  const [document] = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(document?.comment);
}

/** Returns the range of a number or the choices. Other values are described by their comments. */
function rangeOf(option: string, schema: z.core.SomeType): string {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return rangeOf(option, schema.unwrap());
  if (schema instanceof z.ZodBoolean) return "`true`, `false`";
  if (schema instanceof z.ZodEnum) return schema.options.map((choice) => `\`${choice}\``).join(", ");
  if (!(schema instanceof z.ZodNumber)) return "";
  return `${cellOf(option, schema.minValue)}..${cellOf(option, schema.maxValue)}`;
}

function defaultOf(option: string, schema: z.core.SomeType): string {
  const parsed = z.safeParse(schema as z.ZodType, undefined);
  return parsed.success ? cellOf(option, parsed.data) : "required";
}

/** Returns a default or a bound. Sizes have binary units where they are whole. */
function cellOf(option: string, value: unknown): string {
  if (typeof value === "number") return /bytes/i.test(option) ? sizeOf(value) : value.toLocaleString("en");
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

function sizeOf(bytes: number): string {
  const exponent = [4, 3, 2, 1].find((step) => bytes !== 0 && bytes % 1024 ** step === 0) ?? 0;
  const count = (bytes / 1024 ** exponent).toLocaleString("en");
  return exponent === 0 ? count : `${count} ${["", "KiB", "MiB", "GiB", "TiB"][exponent]}`;
}

function inCell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
