import { useEffect, useState } from 'react';

/** A configuration that is edited and not in force. */
export interface Draft {
  text: string;
  /** The version that was in force when it was begun. */
  version: number;
}

const keyOf = (partition: string) => `curtail-draft ${partition}`;

function stored(partition: string): Draft | undefined {
  try {
    const { text, version } = JSON.parse(sessionStorage.getItem(keyOf(partition)) ?? '{}') as Partial<Draft>;
    return typeof text === 'string' && typeof version === 'number' ? { text, version } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The draft of a partition, which this tab keeps over other views, Back and a reload, until it is put in force or discarded. A tab that would
 * lose it with its closing asks first.
 */
export function useDraft(partition: string) {
  const [held, setHeld] = useState(() => ({ partition, draft: stored(partition) }));
  // Each partition has its own.
  const { draft } = held.partition === partition ? held : { draft: stored(partition) };
  const setDraft = (next: Draft | undefined) => setHeld({ partition, draft: next });
  const isDraft = draft !== undefined;
  useEffect(() => {
    if (!isDraft) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDraft]);
  return {
    draft,
    keep: (next: Draft) => {
      setDraft(next);
      try {
        sessionStorage.setItem(keyOf(partition), JSON.stringify(next));
      } catch {
        // It is too long for the store: this view still has it.
      }
    },
    discard: () => {
      setDraft(undefined);
      sessionStorage.removeItem(keyOf(partition));
    },
  };
}
