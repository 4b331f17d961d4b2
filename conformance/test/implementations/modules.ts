/** Node.js arguments for child processes. */
export const NODE_ARGUMENTS = ["--conditions", "membus-source", "--import", "tsx"];

/** Returns the module that exports the implementation of this name. */
export function moduleOf(name: string): string {
  return new URL(`./${name}.ts`, import.meta.url).href;
}
