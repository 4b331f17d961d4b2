import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Api, ApiError } from "../../api.js";
import { Failure } from "../../notices.js";
import { type Entry, placeOf } from "./entry.js";

export interface EditorProps {
  readonly api: Api;
  readonly entry: Entry;
  readonly session?: string | undefined;
  /** It was stored: there is a newer revision. */
  readonly onStored: () => void;
}

/** Changes what an entry says, over the revision that is shown: what somebody else has written since is not lost. */
export function Editor({ api, entry, session, onStored }: EditorProps): VNode {
  const [failure, setFailure] = useState<Error>();
  const isText = typeof entry.content === "string";
  const store = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    try {
      const content = contentOf(String(fields.get("content")), isText);
      const tags = String(fields.get("tags"))
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== "");
      await api.post("edit", { ...placeOf(entry), content, tags, revision: entry.revision }, { session });
      onStored();
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return html`<h2>Edit</h2>
    <form class="editor" aria-label="Edit" onSubmit=${store}>
      <label>Content${isText ? "" : ", as JSON"}
        <textarea name="content" rows="8" defaultValue=${isText ? entry.content : JSON.stringify(entry.content, null, 2)}></textarea></label>
      <label>Tags, with commas between <input name="tags" defaultValue=${entry.tags.join(", ")} /></label>
      <button>Store</button>
    </form>
    <${Failure} of=${failure} />
    ${isConflict(failure) && html`<button type="button" class="plain" onClick=${onStored}>Read it again</button>`}`;
}

function contentOf(text: string, isText: boolean): unknown {
  if (isText) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The content is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

function isConflict(failure: Error | undefined): boolean {
  return failure instanceof ApiError && failure.code === "conflict";
}
