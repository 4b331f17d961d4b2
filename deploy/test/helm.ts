import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

export const CHART = fileURLToPath(new URL("../helm/membus", import.meta.url));

/** A rendered object of Kubernetes. */
export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

const PYTHON = process.env.MEMBUS_TEST_HELM ?? "python3";
const PROGRAM = fileURLToPath(new URL("helm.py", import.meta.url));

/** A program with the commands of helm, which is helm or its library. Undefined if this machine has neither. */
const command = [
  { probe: ["helm", "version"], command: ["helm"] },
  { probe: [PYTHON, "-c", "import helm_python"], command: [PYTHON, PROGRAM] },
].find(({ probe }) => run(probe, []).status === 0)?.command;

export const hasHelm = command !== undefined;

function run([program, ...first]: readonly string[], args: readonly string[], input = "") {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
  return spawnSync(program!, [...first, ...args], { input, env, encoding: "utf8", timeout: 60_000 });
}

/** Returns the errors and warnings of `helm lint`. */
export function lintChart(chart = CHART): string {
  const { status, stdout, stderr } = run(command!, ["lint", "--strict", chart]);
  return status === 0 ? "" : stdout + stderr;
}

/** Renders the release `demo` in the namespace `prod`. @throws {Error} with the message of helm. */
export function renderChart(values: object): KubernetesObject[] {
  const args = ["template", "demo", CHART, "--namespace", "prod", "--values", "-"];
  const { status, stdout, stderr } = run(command!, args, JSON.stringify(values));
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}
