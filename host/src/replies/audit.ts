import { createHmac, randomBytes } from "node:crypto";
import {
  type Clock,
  DEFAULTS,
  type DecodedRequest,
  keyReferenceHash,
  type MemoryTier,
  parseRequestSubject,
  type RequestAddress,
  type StoreReceipt,
  TIERS,
} from "@membus/protocol";
import type { Logger, MemoryChange } from "@membus/protocol/plugin";
import type { DropReason, OutcomeLabel, TypeLabel } from "../metrics.js";
import type { Outcome } from "../outcome.js";
import type { Reply } from "./reply.js";

/** Receiver of audit records, such as a pino logger. */
export type AuditSink = Pick<Logger, "info">;

/** Maximum keys that a record lists. */
const KEYS_MAX = 100;
const HASH_DIGITS = 32;

interface Sender {
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
}

/** Target of a request. Keys are given by `auditHash`, at most the first hundred. */
interface Target {
  /** Tiers that the request named. Absent: all. */
  readonly tiers?: readonly MemoryTier[] | undefined;
  readonly namespace?: string | undefined;
  /** Keys that were stored, or that the request named. */
  readonly keys?: readonly string[] | undefined;
  readonly key_count?: number | undefined;
}

/**
 * Audit record `request`: one answered request with caller, target and result. Never contains contents, keys
 * or queries.
 */
export interface AuditRecord extends Sender, Target {
  /** Unix seconds of receipt. */
  readonly ts: number;
  readonly type: TypeLabel;
  readonly id: string | null;
  readonly code: OutcomeLabel;
  /** Numbers of entries: `stored`, `errors`, `returned`, `total`, `deleted`. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  readonly took_ms: number;
  readonly request_bytes: number;
  /** 0 if the request had no reply subject. */
  readonly reply_bytes: number;
}

/** Audit record `dropped`: a message without a reply. The sender is taken from its subject. */
export interface DropRecord extends Sender {
  readonly ts: number;
  readonly reason: DropReason;
  readonly request_bytes: number;
}

/** Audit record `removed`: an entry that was deleted, expired or evicted. */
export interface RemovalRecord extends Required<Sender> {
  readonly ts: number;
  readonly action: MemoryChange["action"];
  readonly tier: MemoryTier;
  readonly namespace: string;
  /** `auditHash` of its key. */
  readonly key: string;
}

/**
 * Returns the hash that audit records use for a key, 32 hex digits. Without the secret a key cannot be
 * confirmed by guessing.
 */
export function auditHash(keyHash: string, secret: Uint8Array): string {
  return createHmac("sha256", secret).update(keyHash).digest("hex").slice(0, HASH_DIGITS);
}

/** Writes audit records. */
export class Audit {
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #secret: Uint8Array;

  constructor(sink: AuditSink, clock: Clock, secret: Uint8Array = randomBytes(32)) {
    this.#sink = sink;
    this.#clock = clock;
    this.#secret = secret;
  }

  request(
    record: Omit<AuditRecord, keyof Sender | keyof Target>,
    address: RequestAddress | undefined,
    request: DecodedRequest | undefined,
    outcome: Outcome<Reply>,
  ): void {
    const { ts, type, id, code, counts, ...sizes } = record;
    const target = request === undefined ? {} : this.#targetOf(request, address, outcome);
    const sender = { tenant: address?.tenant, agent: address?.agent };
    this.#sink.info(
      { ts, ...sender, type, id, code, ...target, counts, ...sizes } satisfies AuditRecord,
      "request",
    );
  }

  dropped(subject: string, prefix: string, reason: DropReason, request_bytes: number): void {
    const record: DropRecord = { ts: this.#clock.now(), ...senderOf(subject, prefix), reason, request_bytes };
    this.#sink.info(record, "dropped");
  }

  removed(tier: MemoryTier, { action, scope, key_hash }: MemoryChange, agent: string): void {
    const { tenant, namespace } = scope;
    const key = auditHash(key_hash, this.#secret);
    const record: RemovalRecord = { ts: this.#clock.now(), tenant, agent, action, tier, namespace, key };
    this.#sink.info(record, "removed");
  }

  #targetOf(request: DecodedRequest, address: RequestAddress | undefined, outcome: Outcome<Reply>): Target {
    if (!isTargeted(request)) return {};
    const namespace = request.namespace ?? DEFAULTS.namespace;
    const hashes = keyHashesOf(request, outcome);
    const keys = hashes?.slice(0, KEYS_MAX).map((hash) => auditHash(hash, this.#secret));
    return { tiers: tiersOf(request, address?.tier), namespace, keys, key_count: hashes?.length };
  }
}

function senderOf(subject: string, prefix: string): Sender {
  try {
    const { tenant, agent } = parseRequestSubject(subject, prefix);
    return { tenant, agent };
  } catch {
    return {};
  }
}

/** A request that selects or stores entries. */
type TargetedRequest = Extract<DecodedRequest, { readonly namespace?: unknown }>;

function isTargeted(request: DecodedRequest): request is TargetedRequest {
  const { type } = request;
  return type !== "ping" && type !== "memory/status/req" && type !== "memory/agents/req";
}

function tiersOf(request: TargetedRequest, tierByDefault: MemoryTier = "working"): MemoryTier[] | undefined {
  if (request.type !== "memory/store/req") return request.tier == null ? undefined : [request.tier];
  const named = new Set(
    request.entries.map((entry) => (entry as { tier?: unknown } | null)?.tier ?? tierByDefault),
  );
  return TIERS.filter((tier) => named.has(tier));
}

function keyHashesOf(request: TargetedRequest, outcome: Outcome<Reply>): string[] | undefined {
  if (request.type !== "memory/store/req") return request.keys?.map(keyReferenceHash);
  const receipts = outcome.ok ? (outcome.value.fields.receipts as readonly StoreReceipt[]) : [];
  return receipts.map(({ key_hash }) => key_hash);
}
