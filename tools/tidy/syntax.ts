import ts from "typescript";

/** One breach of a rule: `path:line what is wrong; what to do`. */
export type Finding = string;

/** Parses without looking at any other file. `path` is relative to the repository's root. */
export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** Every node below `node`, itself included, in source order. */
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

/** The identifier that a chain of calls and properties begins with: `it` of `it.skipIf(x).each(y)(z)`. */
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
