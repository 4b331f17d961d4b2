import { type ExecFileException, execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
/** Node version that the suite requires. It is downloaded if this process is older. */
const NODE = "22.23.3";
const OBTAIN_MS = 240_000;
const RUN_MS = 240_000;

export interface SuiteRun {
  readonly code: number;
  readonly output: string;
}

/** The official suite in a temporary folder, or the reason why it is unavailable. */
export type ConformanceSuite =
  | { readonly run: (args: readonly string[]) => Promise<SuiteRun>; readonly remove: () => Promise<void> }
  | { readonly reason: string };

export async function obtainSuite(): Promise<ConformanceSuite> {
  const folder = await mkdtemp(join(tmpdir(), "membus-mcp-suite-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const isNew = Number(process.versions.node.split(".")[0]) >= 22;
  const nodePackage = `node-${process.platform}-${process.arch}`;
  try {
    await writeFile(join(folder, "package.json"), "{}");
    const flags = [
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--engine-strict=false",
      "--prefer-offline",
    ];
    const packages = isNew ? [SUITE] : [SUITE, `${nodePackage}@${NODE}`];
    await promisify(execFile)("npm", ["install", ...flags, ...packages], { cwd: folder, timeout: OBTAIN_MS });
  } catch (error) {
    await remove();
    const [line = ""] = (error as ExecFileException).message.split("\n");
    return { reason: `Node ${NODE} and the suite are unavailable: ${line}` };
  }
  const modules = join(folder, "node_modules");
  const node = isNew ? process.execPath : join(modules, nodePackage, "bin", "node");
  const program = join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js");
  return { remove, run: (args) => outcomeOf(node, [program, ...args], folder) };
}

function outcomeOf(node: string, args: readonly string[], cwd: string): Promise<SuiteRun> {
  return new Promise((resolve) => {
    execFile(node, args, { cwd, timeout: RUN_MS, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}
