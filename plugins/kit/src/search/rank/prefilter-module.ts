import { PREFILTER_WASM } from "./prefilter-wasm.js";

/** Byte offsets of the arrays in the memory. */
export type Layout = Readonly<
  Record<"query" | "vectors" | "dots" | "scales" | "errors" | "words" | "allowed" | "candidateGroups", number>
>;

/** Constants for all slots: query values, the weight of vectors, and thresholds. */
export type PrefilterConstants = readonly [
  scale: number,
  norm: number,
  queryError: number,
  rounding: number,
  offset: number,
  weight: number,
  possibleMin: number,
  certainMin: number,
  pageMin: number,
];

/** Function that `prefilter.wat` exports. See there. */
type Prefilter = (
  slotCount: number,
  codeLength: number,
  ...constants: PrefilterConstants
) => readonly [candidateCount: number, certainCount: number];

/** The used part of the engine's `WebAssembly`, which is optional in engines. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: { readonly prefilter: Prefilter } };
}

const PAGE_BYTES = 65_536;

/**
 * Loads the prefilter with a memory of at least this many bytes. Returns undefined if the engine cannot run
 * it.
 */
export function loadPrefilter(
  layout: Layout,
  memoryBytes: number,
): { readonly memory: ArrayBuffer; readonly prefilter: Prefilter } | undefined {
  const { WebAssembly: api } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
  if (api === undefined) return undefined;
  try {
    const memory = new api.Memory({ initial: Math.ceil(memoryBytes / PAGE_BYTES) });
    const module = new api.Module(Buffer.from(PREFILTER_WASM, "base64"));
    const { exports } = new api.Instance(module, { prefilter: { ...layout, memory } });
    return { memory: memory.buffer, prefilter: exports.prefilter };
  } catch {
    return undefined;
  }
}
