import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { isConcerned, type News } from './concerned.js';
import { type ConnectionState, LiveConnection } from './live-connection.js';
import { ReadPace } from './read-pace.js';

const StateContext = createContext<ConnectionState>('connecting');

/** The state of the connection of this page. */
export const useConnectionState = () => useContext(StateContext);

/** Reads what is shown again when the log has news that may concern it. */
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
    const connection = new LiveConnection(partition, {
      onState: setState,
      onGap: () => pace.news('everything'),
      onEvents: (events) => pace.news(...events),
    });
    connection.start();
    return () => {
      connection.stop();
      pace.stop();
      setState('connecting');
    };
  }, [partition, queries]);
  return <StateContext value={state}>{children}</StateContext>;
}
