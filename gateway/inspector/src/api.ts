import type { Tier } from "@membus/gateway/inspector-api";

/**
 * The inspected tenant and agent. An empty agent stands for the memory that all agents of the tenant share.
 */
export interface Who {
  readonly tenant: string;
  readonly agent: string;
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** A change of an entry, as the gateway sends it. It never contains the content. */
export interface LiveEvent {
  readonly action: "stored" | "forgotten" | "expired" | "evicted";
  readonly tier: Tier;
  readonly namespace: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly key_hash: string;
  readonly tags: readonly string[];
  readonly group?: string;
  readonly revision: number;
  readonly author: string;
  /** Unix seconds. */
  readonly at: number;
}

/** Callbacks for the state of an event stream. */
export interface StreamState {
  /** Called each time the stream opens. The page then lists earlier changes. */
  readonly onOpen?: () => void;
  /** Called when the stream breaks. It reconnects. */
  readonly onLost?: () => void;
  /** Called when the gateway rejects the stream. It does not reconnect. */
  readonly onFailure?: (failure: ApiError) => void;
}

/** The API of the gateway, in the name of the inspected agent. */
export interface Api {
  /** @throws {ApiError} if the gateway rejects the request. */
  get<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T>;
  /** @throws {ApiError} if the gateway rejects the request. */
  post<T>(path: string, body: object, params?: Params): Promise<T>;
  /**
   * Subscribes to the events of the agent, or of the whole tenant if no agent is chosen. @returns a function
   * that ends the subscription.
   */
  events(onEvent: (event: LiveEvent) => void, state?: StreamState): () => void;
}

/** A request that was rejected or failed. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Returns an API for `who`. Requests use the session of `who`. */
export function apiFor(who: Who): Api {
  const urlOf = (path: string, params: Params = {}) => {
    const given = Object.entries({ ...who, ...params }).filter(
      ([, value]) => value !== undefined && value !== "",
    );
    const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
    return `/inspector/${path}?${new URLSearchParams(texts)}`;
  };
  return {
    get: (path, params, signal) => ask(urlOf(path, params), signal ? { signal } : {}),
    post: (path, body, params) => ask(urlOf(path, params), post(body)),
    events: (onEvent, state) => listen(urlOf("events"), onEvent, state),
  };
}

export interface Choices extends Who {
  readonly fixed: { readonly tenant: boolean; readonly agent: boolean };
  /** True if entries may be changed. */
  readonly edit: boolean;
  /** First tokens of the subjects of requests. */
  readonly prefix: string;
}

/** Returns which tenants and agents may be inspected. @throws {ApiError} with 401 if a token is required. */
export function readChoices(): Promise<Choices> {
  return ask("/inspector/session", {});
}

/** Exchanges the token for a cookie. @throws {ApiError} with 401 for an unknown token. */
export async function exchangeToken(token: string): Promise<void> {
  await ask("/inspector/session", post({ token }));
}

/** Returns true if the gateway serves the page. */
export async function isReachable(): Promise<boolean> {
  const response = await fetch("/").catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}

function post(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function ask<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "unavailable", "the gateway does not answer");
  });
  if (response.ok) return (await response.json()) as T;
  throw await failureOf(response);
}

async function failureOf(response: Response): Promise<ApiError> {
  const { error } = (await response.json().catch(() => ({}))) as {
    error?: { code: string; message: string } | string;
  };
  const { code = "runtime_error", message = String(error ?? response.statusText) } =
    typeof error === "object" ? error : {};
  return new ApiError(response.status, code, message);
}

function listen(
  url: string,
  onEvent: (event: LiveEvent) => void,
  { onOpen, onLost, onFailure }: StreamState = {},
): () => void {
  const source = new EventSource(url);
  const ended = new AbortController();
  source.onopen = () => onOpen?.();
  source.onmessage = ({ data }) => onEvent(JSON.parse(data as string) as LiveEvent);
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) void reportReason(url, ended.signal, onFailure);
    else onLost?.();
  };
  return () => {
    ended.abort();
    source.close();
  };
}

/** Reports why a stream was rejected, because an EventSource does not. */
async function reportReason(
  url: string,
  signal: AbortSignal,
  onFailure: StreamState["onFailure"],
): Promise<void> {
  const response = await fetch(url, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  if (response === undefined)
    return onFailure?.(new ApiError(0, "unavailable", "the gateway does not answer"));
  if (!response.ok) return onFailure?.(await failureOf(response));
  await response.body?.cancel();
  onFailure?.(new ApiError(0, "unavailable", "the event stream has ended"));
}
