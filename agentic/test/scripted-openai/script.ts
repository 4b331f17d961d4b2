/** A request as the server got it. */
export interface ReceivedChat {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly model: string;
    readonly stream?: boolean;
    /** None in a request for a response. */
    readonly messages: readonly ScriptedMessage[];
    /** Of a request for a response. */
    readonly instructions?: string;
    readonly input?: unknown;
    readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
    readonly response_format?: {
      readonly json_schema: { readonly name: string; readonly schema: object; readonly strict: boolean };
    };
    readonly [field: string]: unknown;
  };
}

export interface ScriptedMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
  readonly [field: string]: unknown;
}

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent as it is, also if it is no JSON. */
  readonly arguments: object | string;
  /** Absent: one is made up. */
  readonly id?: string;
}

/** What the server answers, plain or streamed as the request wants it. */
export type ScriptedAnswer = ScriptedReply | ScriptedError | ScriptedFault;

export interface ScriptedReply {
  readonly text?: string;
  /** An answer in the form of a schema: sent as JSON text. */
  readonly json?: unknown;
  readonly calls?: readonly ScriptedCall[];
  /** The words with which the model refuses. */
  readonly refusal?: string;
  readonly finishReason?: string;
  /** Absent: as many as the server counts. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Of a streamed answer, the connection is lost after so many events; of a plain one, after so many bytes. */
  readonly cutAfter?: number;
  /** Of a streamed answer: it ends after so many events as if it were whole. */
  readonly endAfter?: number;
}

export interface ScriptedError {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScriptedFault {
  /**
   * "no-answer": nothing, ever. "stalled": headers and nothing else. "reset": the connection is closed at once.
   * "bad-json": half of a JSON text, of a stream an event that is none. "no-completion": JSON that is no completion.
   * "no-choices": a completion that holds nothing. "error-event": of a stream, one text and then an error.
   */
  readonly fault:
    | "no-answer"
    | "stalled"
    | "reset"
    | "bad-json"
    | "no-completion"
    | "no-choices"
    | "error-event";
}

/** Answers in order, then error 500 for one more; or what a request gets, and which it is, from 0. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: ReceivedChat, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** The answer that `script` has for a request. */
export async function answerOf(
  script: Script,
  request: ReceivedChat,
  index: number,
): Promise<ScriptedAnswer> {
  try {
    const answer = typeof script === "function" ? await script(request, index) : script[index];
    return answer ?? { status: 500, message: `the script has no answer ${index}` };
  } catch (error) {
    return { status: 500, message: `the script failed: ${String(error)}` };
  }
}
