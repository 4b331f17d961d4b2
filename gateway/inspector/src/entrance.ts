import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, type Choices, exchangeToken, readChoices } from "./api.js";
import { Failure } from "./notices.js";

export interface EntranceProps {
  readonly onEntered: (choices: Choices) => void;
}

/** Lets in whoever may look: who has a token in the address, who has been here, or who types one. */
export function Entrance({ onEntered }: EntranceProps): VNode {
  const [failure, setFailure] = useState<Error>();
  const [isTokenNeeded, setTokenNeeded] = useState(false);
  const enter = async (token: string | undefined) => {
    try {
      if (token !== undefined) await exchangeToken(token);
      onEntered(await readChoices());
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.status === 401;
      setTokenNeeded(isUnknown);
      setFailure(isUnknown && token === undefined ? undefined : (error as Error));
    }
  };
  useEffect(() => {
    void enter(tokenInAddress());
  }, []);
  return html`<main class="entrance">
    <h1>membus</h1>
    <${Failure} of=${failure} />
    ${isTokenNeeded && html`<${TokenForm} onToken=${enter} />`}
  </main>`;
}

function TokenForm({ onToken }: { readonly onToken: (token: string) => Promise<void> }): VNode {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void onToken(String(new FormData(event.currentTarget as HTMLFormElement).get("token")));
  };
  return html`<form onSubmit=${submit}>
    <p>This gateway lets in whoever has a token of it.</p>
    <label>Token <input name="token" type="password" required autocomplete="current-password" /></label>
    <button>Enter</button>
  </form>`;
}

/** Takes the token out of `#token=...`, so that it stays neither in the address nor in the history. */
function tokenInAddress(): string | undefined {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, "", location.pathname);
  try {
    return decodeURIComponent(token);
  } catch {
    // Written by hand, as it is.
    return token;
  }
}
