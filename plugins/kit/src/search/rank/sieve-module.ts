import { SIEVE_WASM } from "./sieve-wasm.js";

/** Byte offsets of the arrays in the memory. */
export type Layout = Readonly<
  Record<"query" | "vectors" | "dots" | "scales" | "errors" | "words" | "allowed" | "openGroups", number>
>;

/** Constants for all slots: query values, the weight of vectors, and thresholds. */
export type SiftConstants = readonly [
  scale: number,
  norm: number,
  queryError: number,
  rounding: number,
  offset: number,
  weight: number,
  mayFrom: number,
  sureFrom: number,
  pageFrom: number,
];

/** Function that `prefilter.wat` exports. See there. */
type Sift = (
  slotCount: number,
  codeLength: number,
  ...constants: SiftConstants
) => readonly [openCount: number, sureCount: number];

/** The used part of the engine's `WebAssembly`, which is optional in engines. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly sift: Sift } };
}

const PAGE_BYTES = 65_536;

/**
 * Loads the prefilter with a memory of at least this many bytes. Returns undefined if the engine cannot run
 * it.
 */
export function loadSieve(
  layout: Layout,
  memoryBytes: number,
): { readonly memory: ArrayBuffer; readonly sift: Sift } | undefined {
  const { WebAssembly: api } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
  if (api === undefined) return undefined;
  try {
    const memory = new api.Memory({ initial: Math.ceil(memoryBytes / PAGE_BYTES) });
    const module = new api.Module(Buffer.from(SIEVE_WASM, "base64"));
    const { exports } = new api.Instance(module, { sieve: { ...layout, memory } });
    return { memory: memory.buffer, sift: exports.sift };
  } catch {
    return undefined;
  }
}
