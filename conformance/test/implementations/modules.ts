/** What a child process needs to load an implementation. */
export const NODE_ARGUMENTS = ["--conditions", "membus-source", "--import", "tsx"];

/** The module that exports the implementation of this name. */
export function moduleOf(name: string): string {
  return new URL(`./${name}.ts`, import.meta.url).href;
}
