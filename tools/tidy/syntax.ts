import ts from "typescript";

/** Violation of a rule, as `path:line problem: solution`. */
export type Finding = string;

/** Parses one file without reading others. `path` is relative to the root of the repository. */
export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** Returns `node` and all nodes below it, in source order. */
export function* descendants(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of childrenOf(node)) yield* descendants(child);
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}

export function lineOf(node: ts.Node): number {
  return lineAt(node.getSourceFile(), node.getStart());
}

export function lineAt(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

export function finding(node: ts.Node, message: string): Finding {
  return `${node.getSourceFile().fileName}:${lineOf(node)} ${message}`;
}

/** Returns the first identifier of a chain of calls and properties, such as `it` in `it.skipIf(x).each(y)(z)`. */
export function rootName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (
    ts.isPropertyAccessExpression(node) ||
    ts.isCallExpression(node) ||
    ts.isTaggedTemplateExpression(node)
  ) {
    return rootName(ts.isTaggedTemplateExpression(node) ? node.tag : node.expression);
  }
  return undefined;
}
