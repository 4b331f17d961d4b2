import type { Key } from "../../entry-text.js";

/** An entry of the protocol, as the gateway returns it. */
export interface Entry {
  readonly key: Key;
  readonly key_hash: string;
  readonly content: unknown;
  readonly tier: string;
  readonly namespace: string;
  readonly tags: readonly string[];
  readonly source: string;
  readonly author: string;
  readonly importance: number;
  readonly timestamps: { readonly created: number; readonly updated: number };
  readonly occurred_at: number;
  readonly expires_at?: number;
  readonly revision: number;
  readonly seq: number;
  readonly group?: string;
  readonly text?: string;
  readonly context?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly string[];
}

/** The tier, the namespace and the key of an entry. */
export interface Place {
  readonly tier: string;
  readonly namespace: string;
  readonly key: string;
}

export function placeOf({ tier, namespace, key_hash }: Entry): Place {
  return { tier, namespace, key: key_hash };
}
