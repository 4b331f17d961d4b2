/** Parts of a CycloneDX document that are read or changed. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly purl?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

const DEVELOPMENT = "cdx:npm:package:development";

/**
 * Returns the document of the package `membus`, with the libraries that its users run. `npm sbom --omit dev` also
 * omits libraries that are required for development and for production.
 * @param names packages to begin with: `membus` comes first. The others are bundled, so no package depends on them.
 */
export function productionSbom(sbom: Sbom, names: readonly string[]): Sbom {
  const byRef = new Map(sbom.components.map((component) => [component["bom-ref"], component]));
  const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const roots = names.map((name) => sbom.components.find((component) => refName(component) === name)!);
  const reached = new Set(roots.map((component) => component["bom-ref"]));
  for (const ref of reached) {
    for (const next of edges.get(ref) ?? [])
      if (byRef.has(next) && !isDevelopment(byRef.get(next)!)) reached.add(next);
  }
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: roots[0]! },
    components: sbom.components.filter(
      (component) => reached.has(component["bom-ref"]) && component !== roots[0],
    ),
    dependencies: sbom.dependencies
      .filter(({ ref }) => reached.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((next) => reached.has(next)) })),
  };
}

/** Returns the name of the package with its scope. */
function refName(component: Component): string {
  const ref = component["bom-ref"];
  return ref.slice(0, ref.lastIndexOf("@"));
}

function isDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name, value }) => name === DEVELOPMENT && value === "true");
}
