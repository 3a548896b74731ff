import { useSyncExternalStore } from 'react';
import { distanceText } from './distance-text.js';
import { timeInFull } from './times.js';

/** One timer for all times on the page. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** A time as people say it, such as `in 3 min` or `2 h ago`, which goes on; the local time in full on hover. */
export function When({ at }: { at: string | null | undefined }) {
  const current = useSyncExternalStore(subscribe, () => Math.floor(now / 1000));
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={timeInFull(at)}>
      {distanceText(Date.parse(at) - current * 1000)}
    </time>
  );
}
