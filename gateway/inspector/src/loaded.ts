import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  /** The latest result. It stays while the next one loads. */
  readonly value?: T;
  readonly failure?: Error;
  readonly isLoading: boolean;
  /** Loads again. */
  reload(): void;
}

type Outcome<T> = { readonly value?: T; readonly failure?: Error };

/** Returns the result of `load`, and loads again when `inputs` change. Outdated results are dropped. */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>({});
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const replaced = new AbortController();
    const take = (next: Outcome<T>) => {
      if (replaced.signal.aborted) return;
      setOutcome(next);
      setLoading(false);
    };
    setLoading(true);
    load(replaced.signal).then(
      (value) => take({ value }),
      (failure: Error) => take({ failure }),
    );
    return () => replaced.abort();
  }, [...inputs, turn]);
  return { ...outcome, isLoading, reload: () => setTurn((turns) => turns + 1) };
}
