import { isDeepStrictEqual } from "node:util";
import ts from "typescript";
import { descendants, type Finding, lineOf } from "../syntax.js";

/** A property with a `@default` tag. */
export interface DocumentedDefault {
  readonly path: string;
  readonly line: number;
  readonly owner: string;
  readonly property: string;
  /** Text after the tag. */
  readonly text: string;
}

/** An exported `..._DEFAULTS` constant. */
export interface DefaultsConstant {
  readonly path: string;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export function documentedDefaults(source: ts.SourceFile): DocumentedDefault[] {
  return [...descendants(source)].filter(ts.isPropertySignature).flatMap((node) => {
    const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === "default");
    if (tag === undefined || !ts.isInterfaceDeclaration(node.parent)) return [];
    const text = ts.getTextOfJSDocComment(tag.comment) ?? "";
    const owner = node.parent.name.text;
    return [{ path: source.fileName, line: lineOf(node), owner, property: node.name.getText(), text }];
  });
}

export function defaultsConstantNames(source: ts.SourceFile): string[] {
  return [...descendants(source)]
    .filter(ts.isVariableDeclaration)
    .map(({ name }) => name.getText())
    .filter((name) => name.endsWith("_DEFAULTS"));
}

/**
 * Finds documented defaults that differ from the constants, and constants without documentation. `HOST_DEFAULTS`
 * belongs to `HostOptions`, and `INSTALL_TIMEOUT_DEFAULTS` to `InstallTimeouts`. A default described in words must
 * not have a constant, because it cannot be compared.
 */
export function checkOptionDefaults(
  documented: readonly DocumentedDefault[],
  constants: readonly DefaultsConstant[],
): Finding[] {
  const findings = constants.flatMap((constant) => checkConstant(constant, documented));
  const strays = documented.filter(({ owner }) => !constants.some(({ name }) => belongs(name, owner)));
  return [...findings, ...strays.flatMap((entry) => checkStray(entry, constants))];
}

function belongs(constantName: string, owner: string): boolean {
  const subject = constantName
    .replace(/_DEFAULTS$/, "")
    .replaceAll("_", "")
    .toLowerCase();
  return subject === owner.replace(/(Options|s)$/, "").toLowerCase();
}

function checkConstant(
  { path, name, value }: DefaultsConstant,
  documented: readonly DocumentedDefault[],
): Finding[] {
  const own = documented.filter(({ owner }) => belongs(name, owner));
  const names = new Set(own.map(({ property }) => property));
  const undocumented = Object.keys(value).filter((key) => value[key] !== undefined && !names.has(key));
  return [
    ...(Object.isFrozen(value) ? [] : [`${path}:1 ${name} is not frozen`]),
    ...undocumented.map((key) => `${path}:1 ${name}.${key} has no @default comment`),
    ...own.flatMap((entry) => compare(entry, name, value)),
  ];
}

/** Compares an option without a matching constant with a constant of the same file that has the same property. */
function checkStray(entry: DocumentedDefault, constants: readonly DefaultsConstant[]): Finding[] {
  const near = constants.find(
    ({ path, value }) => path === entry.path && Object.hasOwn(value, entry.property),
  );
  return near === undefined ? [] : compare(entry, near.name, near.value);
}

function compare(
  { path, line, property, text }: DocumentedDefault,
  name: string,
  value: Readonly<Record<string, unknown>>,
): Finding[] {
  if (isDeepStrictEqual(parseJson(text), value[property])) return [];
  return [`${path}:${line} @default ${text}, but ${name}.${property} is ${JSON.stringify(value[property])}`];
}

/** Returns undefined for text that is not JSON, such as a default described in words. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
