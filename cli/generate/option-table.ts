import { type OptionSet, parseOptions } from "@membus/protocol";
import ts from "typescript";
import { z } from "zod";

type Shape = Readonly<Record<string, unknown>>;

/**
 * Returns a Markdown table of options, with the comments of the declaration `name` in `source`.
 *
 * @throws {Error} if the source does not document an option.
 */
export function optionTable(options: OptionSet, source: ts.SourceFile, name: string): string {
  const comments = commentsOf(source, name);
  const defaults = parseOptions(options, {}) as Shape;
  const rows = Object.entries(options.shape).map(([option, schema]) => {
    const comment = comments.get(option);
    if (comment === undefined) throw new Error(`${source.fileName}: ${name}.${option} has no comment`);
    const cells = [`\`${option}\``, comment, rangeOf(option, schema), cellOf(option, defaults[option])];
    return `| ${cells.map(inCell).join(" | ")} |`;
  });
  return ["| setting | description | range | default |", "|---|---|---|---|", ...rows].join("\n");
}

/** Returns the comments in `export const <name> = optionSet({ ... })`, by option. */
function commentsOf(source: ts.SourceFile, name: string): ReadonlyMap<string, string | undefined> {
  const shape = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter((declaration) => declaration.name.getText() === name)
    .map(({ initializer }) => initializer && ts.isCallExpression(initializer) && initializer.arguments[0])
    .find((argument) => argument && ts.isObjectLiteralExpression(argument));
  if (!shape) throw new Error(`${source.fileName}: ${name} is not declared by optionSet({ ... })`);
  const { properties } = shape as ts.ObjectLiteralExpression;
  return new Map(properties.map((property) => [property.name?.getText() ?? "", commentOf(property)]));
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
