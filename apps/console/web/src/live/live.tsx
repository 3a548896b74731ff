import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { isConcerned, type News } from './concerned.js';
import { hasLeaving, leavingMs, usageMs } from './leaving.js';
import { type ConnectionState, LiveConnection } from './live-connection.js';
import { ReadPace } from './read-pace.js';

const StateContext = createContext<ConnectionState>('connecting');

/** The state of the connection of this page. */
export const useConnectionState = () => useContext(StateContext);

/** Reads what is shown again when the log has news that may concern it, and usage also at intervals: no event tells that work is gone. */
export function LiveProvider({ partition, children }: { partition: string; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<ConnectionState>('connecting');
  useEffect(() => {
    const pace = new ReadPace<News>((news) =>
      queries.invalidateQueries({
        refetchType: 'active',
        predicate: ({ queryKey }) => isConcerned(queryKey, news),
      }),
    );
    let isLive = false;
    const connection = new LiveConnection(partition, {
      onState: (now) => {
        isLive = now === 'live';
        setState(now);
      },
      onGap: () => pace.news('everything'),
      onEvents: (events) => pace.news(...events),
    });
    connection.start();
    let readAt = performance.now();
    const polling = setInterval(() => {
      // A hidden page is read again when it is shown, and one without a connection keeps what it has.
      if (document.hidden || !isLive) return;
      const active = queries.getQueryCache().findAll({ type: 'active' });
      const pauseMs = active.some(({ state: { data } }) => hasLeaving(data)) ? leavingMs : usageMs;
      if (performance.now() - readAt < pauseMs) return;
      readAt = performance.now();
      pace.again('usage');
    }, leavingMs / 2);
    const onShown = () => {
      if (!document.hidden && isLive) pace.again('usage');
    };
    document.addEventListener('visibilitychange', onShown);
    return () => {
      clearInterval(polling);
      document.removeEventListener('visibilitychange', onShown);
      connection.stop();
      pace.stop();
      setState('connecting');
    };
  }, [partition, queries]);
  return <StateContext value={state}>{children}</StateContext>;
}
