import ts from "typescript";
import { type Finding, finding } from "../syntax.js";

const HOOKS = ["beforeAll", "beforeEach", "afterEach", "afterAll"];

/**
 * Finds hooks at the top of modules that tests import. Test files share processes, so such a hook runs only for the
 * first file that imports the module.
 */
export function checkFixtureHooks(source: ts.SourceFile): Finding[] {
  if (source.fileName.endsWith(".test.ts")) return [];
  return source.statements.flatMap((statement) => {
    if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return [];
    const name = statement.expression.expression.getText();
    return HOOKS.includes(name) ? [finding(statement, `${name}: call onTestFinished() in the function`)] : [];
  });
}
