import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { type ConnectionState, LiveConnection, type LiveEvent } from './live-connection.js';

interface Live {
  state: ConnectionState;
  /** The latest first; as many as a screen shows. */
  events: readonly LiveEvent[];
}

const LiveContext = createContext<Live>({ state: 'connecting', events: [] });

/** The connection of this page, and the latest events. */
export const useLive = () => useContext(LiveContext);

const mostEvents = 200;
/** A burst of events reads everything shown once in this time. */
const coalesceMs = 250;
/** The tables behind the answers follow the log: what was read at once may be a little older than the last event. */
const settledMs = 1200;

/** Reads everything shown again when the log has news of it. */
export function LiveProvider({ partition, children }: { partition: string; children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live>({ state: 'connecting', events: [] });
  const timers = useRef<{ soon?: number | undefined; settled?: number | undefined }>({});
  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ refetchType: 'active' });
    const readSoon = () => {
      timers.current.soon ??= window.setTimeout(() => {
        timers.current.soon = undefined;
        readAgain();
      }, coalesceMs);
      window.clearTimeout(timers.current.settled);
      timers.current.settled = window.setTimeout(readAgain, settledMs);
    };
    const connection = new LiveConnection(partition, {
      onState: (state) => setLive((before) => ({ ...before, state })),
      onGap: readSoon,
      onEvents: (events) => {
        setLive((before) => ({
          ...before,
          events: [...events.toReversed(), ...before.events].slice(0, mostEvents),
        }));
        readSoon();
      },
    });
    connection.start();
    return () => {
      connection.stop();
      window.clearTimeout(timers.current.soon);
      window.clearTimeout(timers.current.settled);
      timers.current = {};
      setLive({ state: 'connecting', events: [] });
    };
  }, [partition, queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
