import { plainTriple, type StoredTriple, type Triple } from "./triple.js";
import { edgesAt } from "./triple-pattern.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

/** A path between nodes: `triples[i]` connects `nodes[i]` and `nodes[i + 1]`, in either direction. */
export interface GraphPath {
  readonly nodes: readonly string[];
  readonly triples: readonly Triple[];
}

export interface PathsResult {
  /** The shortest paths, all of one length. Empty if there is no path within the depth and the limits. */
  readonly paths: readonly GraphPath[];
  /** True if a limit was reached: there may be more paths. */
  readonly truncated: boolean;
}

/** Limits of one search. */
export interface PathBounds {
  readonly depthMax: number;
  readonly pathCountMax: number;
  readonly predicates: readonly string[] | undefined;
}

/** Nodes in one query, so that the longest names fit into a message. */
const NODES_PER_QUERY = 100;

/**
 * State of a search. `arrivals` has, for each node, the triples by which it was first reached, all at one
 * depth.
 */
interface Search {
  readonly arrivals: Map<string, { readonly from: string; readonly triple: Triple }[]>;
  readonly depths: Map<string, number>;
  edgesLeft: number;
  truncated: boolean;
}

/** Searches breadth first, one level at a time, along triples in both directions. */
export async function findPaths(
  store: TripleStore,
  [from, to]: readonly [string, string],
  bounds: PathBounds,
  call: GraphCall,
): Promise<PathsResult> {
  const { tripleCountMax, nodeCountMax } = store.options;
  const search: Search = {
    arrivals: new Map(),
    depths: new Map([[from, 0]]),
    edgesLeft: tripleCountMax,
    truncated: false,
  };
  let frontier = [from];
  for (let depth = 1; depth <= bounds.depthMax && frontier.length > 0 && !search.depths.has(to); depth++) {
    const edges = await readEdges(store, frontier, search, bounds, call);
    frontier = advance(frontier, edges, depth, search, nodeCountMax);
    if (search.truncated) break;
  }
  const paths = search.depths.has(to) ? pathsTo(to, search, bounds.pathCountMax + 1) : [];
  const tooMany = paths.length > bounds.pathCountMax;
  return { paths: paths.slice(0, bounds.pathCountMax), truncated: search.truncated || tooMany };
}

async function readEdges(
  store: TripleStore,
  frontier: readonly string[],
  search: Search,
  { predicates }: PathBounds,
  call: GraphCall,
): Promise<Map<string, StoredTriple>> {
  const edges = new Map<string, StoredTriple>();
  for (let at = 0; at < frontier.length; at += NODES_PER_QUERY) {
    const where = edgesAt(frontier.slice(at, at + NODES_PER_QUERY), "both", predicates);
    const { triples, more } = await store.read(where, search.edgesLeft, call);
    for (const triple of triples) edges.set(triple.hash, triple);
    search.edgesLeft -= triples.length;
    search.truncated ||= more;
    if (more) break;
  }
  return edges;
}

/** Takes one step from `frontier` along `edges`. Returns the nodes that were reached for the first time. */
function advance(
  frontier: readonly string[],
  edges: ReadonlyMap<string, StoredTriple>,
  depth: number,
  search: Search,
  nodeCountMax: number,
): string[] {
  const open = new Set(frontier);
  const reached: string[] = [];
  const arrive = (near: string, far: string, triple: StoredTriple) => {
    const known = search.depths.get(far);
    if (!open.has(near) || (known !== undefined && known < depth)) return;
    if (known === undefined) {
      if (search.depths.size >= nodeCountMax) {
        search.truncated = true;
        return;
      }
      search.depths.set(far, depth);
      search.arrivals.set(far, []);
      reached.push(far);
    }
    search.arrivals.get(far)!.push({ from: near, triple: plainTriple(triple) });
  };
  for (const triple of edges.values()) {
    arrive(triple.subject, triple.object, triple);
    arrive(triple.object, triple.subject, triple);
  }
  return reached;
}

/** Returns paths that end at `node`, at most `most`. */
function pathsTo(node: string, search: Search, most: number): GraphPath[] {
  if (search.depths.get(node) === 0) return [{ nodes: [node], triples: [] }];
  const paths: GraphPath[] = [];
  for (const { from, triple } of search.arrivals.get(node) ?? []) {
    for (const path of pathsTo(from, search, most - paths.length)) {
      paths.push({ nodes: [...path.nodes, node], triples: [...path.triples, triple] });
    }
    if (paths.length >= most) break;
  }
  return paths;
}
