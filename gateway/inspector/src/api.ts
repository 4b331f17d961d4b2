import type { Tier } from "@membus/gateway/inspector-api";

/** Whose memory is looked at. An agent of "": none is chosen, and what all agents share is shown. */
export interface Who {
  readonly tenant: string;
  readonly agent: string;
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** That something happened to an entry, as it comes over the wire: never its content. */
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

/** What a stream of events tells of itself. */
export interface StreamState {
  /** Each time it is open, also again: what happened before is to be listed now. */
  readonly onOpen?: () => void;
  /** It has broken, and is tried again. */
  readonly onLost?: () => void;
  /** It is refused, and not tried again. */
  readonly onFailure?: (failure: ApiError) => void;
}

/** What the gateway says of what was asked. In the name of whom it is looked at. */
export interface Api {
  /** @throws {ApiError} for what is refused. */
  get<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T>;
  /** @throws {ApiError} for what is refused. */
  post<T>(path: string, body: object, params?: Params): Promise<T>;
  /** Events of the agent, or where none is chosen of all of the tenant. @returns what ends it. */
  events(onEvent: (event: LiveEvent) => void, state?: StreamState): () => void;
}

/** What was refused, or could not be done. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An API in the name of `who`, with everything in the session named there. */
export function apiFor(who: Who): Api {
  const urlOf = (path: string, params: Params = {}) => {
    const given = Object.entries({ ...who, ...params }).filter(
      ([, value]) => value !== undefined && value !== "",
    );
    return `/inspector/${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  };
  return {
    get: (path, params, signal) => ask(urlOf(path, params), signal ? { signal } : {}),
    post: (path, body, params) => ask(urlOf(path, params), post(body)),
    events: (onEvent, state) => listen(urlOf("events"), onEvent, state),
  };
}

export interface Choices extends Who {
  readonly fixed: { readonly tenant: boolean; readonly agent: boolean };
  /** Whether entries may be changed. */
  readonly edit: boolean;
}

/** Whom one may look at. @throws {ApiError} with 401 where a token is needed. */
export function readChoices(): Promise<Choices> {
  return ask("/inspector/session", {});
}

/** From here on a cookie says who is looking. @throws {ApiError} with 401 for a token that opens nothing. */
export async function exchangeToken(token: string): Promise<void> {
  await ask("/inspector/session", post({ token }));
}

/** Whether the page itself can be had. */
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
    if (source.readyState === EventSource.CLOSED) void tellWhy(url, ended.signal, onFailure);
    else onLost?.();
  };
  return () => {
    ended.abort();
    source.close();
  };
}

/** A source says that it was refused, and not why. */
async function tellWhy(url: string, signal: AbortSignal, onFailure: StreamState["onFailure"]): Promise<void> {
  const response = await fetch(url, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  if (response === undefined)
    return onFailure?.(new ApiError(0, "unavailable", "the gateway does not answer"));
  if (!response.ok) return onFailure?.(await failureOf(response));
  await response.body?.cancel();
  onFailure?.(new ApiError(0, "unavailable", "the stream of events has ended"));
}
