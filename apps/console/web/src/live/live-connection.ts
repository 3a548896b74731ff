import { token } from '../api/client.js';
import { lastSeen } from '../api/last-seen.js';
import { readMessages } from './read-messages.js';

/** An event of the log, without its data. */
export interface LiveEvent {
  position: string;
  time: string;
  name: string;
  stream: string;
  version: number;
  queue: string;
  enforcement?: string;
}

export type ConnectionState = 'connecting' | 'live' | 'lost';

interface Listeners {
  onEvents: (events: LiveEvent[]) => void;
  /** Events were missed, or may have been, or answers did not include them yet: everything shown has to be read again. */
  onGap: () => void;
  onState: (state: ConnectionState) => void;
}

/** The server sends something at least every 15 s. */
const silentMs = 40_000;
/** A browser opens only a few connections to one server; hidden tabs must not use them up. */
const hiddenMs = 20_000;
const pauseMs = { first: 500, longest: 15_000 };

/** The connection of a page to the log of a partition. A lost one is made again, and resumes where it ended. */
export class LiveConnection {
  private readonly over = new AbortController();
  private lastId: string | undefined;

  constructor(
    private readonly partition: string,
    private readonly listeners: Listeners,
  ) {}

  start(): void {
    void this.keep();
  }

  stop(): void {
    this.over.abort();
  }

  private async keep(): Promise<void> {
    let pause = pauseMs.first;
    while (!this.over.signal.aborted) {
      this.listeners.onState('connecting');
      await untilShown(this.over.signal);
      const wasLive = await this.read().catch(() => false);
      if (this.over.signal.aborted) return;
      this.listeners.onState('lost');
      pause = wasLive ? pauseMs.first : Math.min(2 * pause, pauseMs.longest);
      await pauseOrOnline(pause, this.over.signal);
    }
  }

  /** @returns whether it was live before it ended. */
  private async read(): Promise<boolean> {
    const given = token.get();
    const ended = new AbortController();
    const end = () => ended.abort();
    this.over.signal.addEventListener('abort', end);
    const stopWatching = whenHiddenFor(hiddenMs, end);
    window.addEventListener('offline', end, { signal: ended.signal });
    let timer = setTimeout(end, silentMs);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(end, silentMs);
    };
    let isLive = false;
    try {
      const response = await fetch(`/v1/live?partition=${encodeURIComponent(this.partition)}`, {
        headers: {
          ...(given !== undefined && { authorization: `Bearer ${given}` }),
          ...(this.lastId !== undefined && { 'last-event-id': this.lastId }),
        },
        signal: ended.signal,
      });
      if (!response.ok || response.body === null) return false;
      await readMessages(
        response.body,
        ({ id, type, data }) => {
          const resumed = this.lastId !== undefined;
          this.lastId = id ?? this.lastId;
          lastSeen.set(this.lastId);
          if (!isLive) {
            isLive = true;
            this.listeners.onState('live');
            // Before the first connection, the page may have read what was older than its beginning.
            if (!resumed) this.listeners.onGap();
          }
          if (type === 'gap' || type === 'late') this.listeners.onGap();
          const events = JSON.parse(data) as LiveEvent[];
          if (events.length > 0) this.listeners.onEvents(events);
        },
        heard,
      );
      return isLive;
    } catch {
      return isLive;
    } finally {
      ended.abort();
      clearTimeout(timer);
      stopWatching();
      this.over.signal.removeEventListener('abort', end);
    }
  }
}

/** @returns a function that ends the watch. */
function whenHiddenFor(ms: number, act: () => void): () => void {
  let timer: number | undefined;
  const watch = () => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(act, ms);
  };
  watch();
  document.addEventListener('visibilitychange', watch);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', watch);
  };
}

async function untilShown(over: AbortSignal): Promise<void> {
  if (!document.hidden || over.aborted) return;
  const shown = new AbortController();
  await new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { signal: shown.signal });
    over.addEventListener('abort', () => resolve(), { signal: shown.signal });
  });
  shown.abort();
}

/** Ends early when the network is back. */
async function pauseOrOnline(ms: number, over: AbortSignal): Promise<void> {
  const ended = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
    for (const [target, event] of [[window, 'online'] as const, [over, 'abort'] as const])
      target.addEventListener(event, () => resolve(), { signal: ended.signal });
  });
  ended.abort();
}
