import ts from "typescript";

/** Returns a Markdown table of the documented options of an interface, except those in `leftOut`. */
export function optionTable(
  source: ts.SourceFile,
  interfaceName: string,
  leftOut: readonly string[],
): string {
  const options = source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === interfaceName)
    .flatMap(({ members }) => members.filter(ts.isPropertySignature))
    .filter(({ name }) => !leftOut.includes(name.getText()));
  if (options.length === 0)
    throw new Error(`${source.fileName}: the interface ${interfaceName} has no options`);
  const rows = options.map(
    (option) => `| \`${option.name.getText()}\` | ${textOf(option)} | ${defaultOf(option)} |`,
  );
  return ["| setting | description | default |", "|---|---|---|", ...rows].join("\n");
}

function textOf(option: ts.PropertySignature): string {
  const [document] = ts.getJSDocCommentsAndTags(option).filter(ts.isJSDoc);
  return inCell(ts.getTextOfJSDocComment(document?.comment));
}

function defaultOf(option: ts.PropertySignature): string {
  const tag = ts.getJSDocTags(option).find(({ tagName }) => tagName.text === "default");
  return inCell(ts.getTextOfJSDocComment(tag?.comment));
}

function inCell(text = ""): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
