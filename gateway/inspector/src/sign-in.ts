import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, type Choices, exchangeToken, readChoices } from "./api.js";
import { Failure } from "./notices.js";

export interface EntranceProps {
  readonly onEntered: (choices: Choices) => void;
}

/** Signs the user in: by the token in the address, by the cookie, or by a form. */
export function SignIn({ onEntered }: EntranceProps): VNode {
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
    <p>This gateway requires a token.</p>
    <label>Token <input name="token" type="password" required autocomplete="current-password" /></label>
    <button>Sign in</button>
  </form>`;
}

/** Removes the token from `#token=...`, so that neither the address nor the history keeps it. */
function tokenInAddress(): string | undefined {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, "", location.pathname);
  try {
    return decodeURIComponent(token);
  } catch {
    // The user typed the token without encoding it.
    return token;
  }
}
