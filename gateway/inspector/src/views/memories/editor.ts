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
  /** Called after the entry was stored with a new revision. */
  readonly onStored: () => void;
}

/** Edits an entry at the revision that is shown, so that changes of other writers are not overwritten. */
export function Editor({ api, entry, session, onStored }: EditorProps): VNode {
  const [failure, setFailure] = useState<Error>();
  const [isUnchanged, setUnchanged] = useState(false);
  const isText = typeof entry.content === "string";
  const before = { content: shownContent(entry), tags: entry.tags.join("\n") };
  const store = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    // A text area normalises line ends. Unchanged fields keep the original text.
    const isChanged = (name: keyof typeof before) =>
      fields.get(name) !== before[name].replaceAll(/\r\n?/g, "\n");
    const text = (name: keyof typeof before) => String(fields.get(name));
    try {
      const content = isChanged("content") ? contentOf(text("content"), isText) : entry.content;
      const tags = isChanged("tags")
        ? text("tags")
            .split("\n")
            .filter((tag) => tag.trim() !== "")
        : entry.tags;
      const { outcome } = await api.post<{ readonly outcome: string }>(
        "edit",
        { ...placeOf(entry), content, tags, revision: entry.revision },
        { session },
      );
      setUnchanged(outcome === "unchanged");
      setFailure(undefined);
      onStored();
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return html`<h2>Edit</h2>
    <form class="editor" aria-label="Edit" onSubmit=${store}>
      <label>Content${isText ? "" : ", as JSON"}
        <textarea name="content" rows="8" defaultValue=${before.content}></textarea></label>
      <label>Tags, one per line <textarea name="tags" rows="2" defaultValue=${before.tags}></textarea></label>
      <button>Store</button>
    </form>
    <${Failure} of=${failure} />
    ${isUnchanged && html`<p role="status">No changes to store.</p>`}
    ${isConflict(failure) && html`<button type="button" class="plain" onClick=${onStored}>Reload</button>`}`;
}

function shownContent({ content }: Entry): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

function contentOf(text: string, isText: boolean): unknown {
  if (isText) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The content is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
}

function isConflict(failure: Error | undefined): boolean {
  return failure instanceof ApiError && failure.code === "conflict";
}
