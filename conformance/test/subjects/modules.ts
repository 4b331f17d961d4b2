/** What a child process needs to load a subject. */
export const NODE_ARGUMENTS = ["--conditions", "membus-source", "--import", "tsx"];

/** The module that exports the subject of this name. */
export function moduleOf(name: string): string {
  return new URL(`./${name}.ts`, import.meta.url).href;
}
