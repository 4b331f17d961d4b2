import { SIEVE_WASM } from "./sieve-wasm.js";

/** Where in the memory things stand, in bytes. */
export type Layout = Readonly<
  Record<"query" | "vectors" | "dots" | "scales" | "errors" | "words" | "allowed" | "openGroups", number>
>;

/** What is taken for all slots: of the query, the weight of vectors, and limits. */
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

/** What `sieve.wat` exports, which says what it does. */
type Sift = (
  slotCount: number,
  codeLength: number,
  ...constants: SiftConstants
) => readonly [openCount: number, sureCount: number];

/** What of the engine's own `WebAssembly` is used here; engines need not have it. */
interface WebAssemblyApi {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly sift: Sift } };
}

const PAGE_BYTES = 65_536;

/** The sieve on a memory of at least so many bytes; undefined where the engine cannot run it. */
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
