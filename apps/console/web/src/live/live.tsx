import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { type ConnectionState, LiveConnection, type LiveEvent } from './live-connection.js';
import { ReadPace } from './read-pace.js';

interface Live {
  state: ConnectionState;
  /** The latest first; as many as a screen shows. */
  events: readonly LiveEvent[];
}

const LiveContext = createContext<Live>({ state: 'connecting', events: [] });

/** The connection of this page, and the latest events. */
export const useLive = () => useContext(LiveContext);

const mostEvents = 200;

/** Reads everything shown again when the log has news of it. */
export function LiveProvider({ partition, children }: { partition: string; children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>({ state: 'connecting', events: [] });
  useEffect(() => {
    const pace = new ReadPace(() => queries.invalidateQueries({ refetchType: 'active' }));
    const connection = new LiveConnection(partition, {
      onState: (state) => setLive((before) => ({ ...before, state })),
      onGap: () => pace.news(),
      onEvents: (events) => {
        setLive((before) => ({
          ...before,
          events: [...events.toReversed(), ...before.events].slice(0, mostEvents),
        }));
        pace.news();
      },
    });
    connection.start();
    return () => {
      connection.stop();
      pace.stop();
      setLive({ state: 'connecting', events: [] });
    };
  }, [partition, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
