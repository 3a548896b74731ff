import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type KubernetesApi, type WatchEvent } from './api.js';
import { backOffMs } from './back-off.js';
import type { KubernetesObject, Status } from './objects.js';

/** Hears what there is of one kind of object, and how it changes. */
export interface Mirror<T> {
  /** All there is, at one moment. What was there before and is not in it has gone. */
  replace(all: T[]): void;
  set(one: T): void;
  remove(one: T): void;
}

export interface ReflectorOptions<T> {
  /** Such as `/api/v1/pods`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Takes out of an object what is kept of it. */
  keep: (object: T) => T;
  mirror: Mirror<T>;
  /** The server cannot be reached or refuses; it is tried again. */
  onTrouble: (error: Error) => void;
}

interface Page<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

const pageSize = 500;
/**
 * A connection may bring nothing any more without a word, and only a watch that begins shows that nothing was missed: the server sends first what
 * has changed since its version. So each watch is short, and one that its server does not end in time has lost its connection.
 */
const watchSeconds = 20;
const idleMs = 30_000;
const opensWithinMs = 5000;
const expired = 410;

/**
 * Keeps a mirror of one kind of object: a list in pages, then a watch from its version on.
 *
 *     listing --> watching --stream ended--> watching (from the last version)
 *        ^            |
 *        +--expired---+
 *
 * A watch ends after seconds, and the next one begins where it was. A list replaces the mirror only when its last page is there, so nothing seems gone because a page is missing. Errors are tried
 * again, with longer pauses each time.
 */
export class Reflector<T extends KubernetesObject> {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private version: string | undefined;
  private failures = 0;
  /** In a row, without a change in between. */
  private expiries = 0;
  private isWatching = false;
  private heardAt = performance.now();
  private readonly firstList: Promise<void>;
  private listed!: () => void;

  constructor(
    private readonly api: KubernetesApi,
    private readonly options: ReflectorOptions<T>,
  ) {
    this.firstList = new Promise((resolve) => {
      this.listed = resolve;
    });
  }

  /** Resolves when the first list is in the mirror. */
  start(): Promise<void> {
    this.running ??= this.run();
    return this.firstList;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.listed();
    await this.running;
  }

  /** Whether changes come in now; also between the end of a watch and the beginning of the next one. */
  get isCurrent(): boolean {
    return this.isWatching;
  }

  /** Milliseconds since the server last said anything. */
  get silentMs(): number {
    return performance.now() - this.heardAt;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (this.version === undefined) await this.list();
        else await this.watch(this.version);
        this.failures = 0;
      } catch (error) {
        this.isWatching = false;
        if (signal.aborted) return;
        if (isWithoutVersion(error)) {
          this.version = undefined;
          // The server answers again, so it is not waited for as for one that is away.
          this.failures = this.expiries++;
        } else this.options.onTrouble(error as Error);
        await this.pause(error instanceof ApiError ? error.retryAfterMs : undefined);
      }
    }
  }

  private async list(): Promise<void> {
    const { path, query, keep, mirror } = this.options;
    const all: T[] = [];
    const page = (next?: string): Promise<Page<T>> => {
      const asked = { ...query, limit: pageSize, continue: next };
      return this.api.get(path, { query: asked, signal: this.stopping.signal });
    };
    let version = '';
    for (let coming: Promise<Page<T>> | undefined = page(); coming !== undefined; ) {
      const { metadata, items }: Page<T> = await coming;
      this.heardAt = performance.now();
      // The version of a list is that of its first page: the others are from the same moment.
      version = metadata.resourceVersion;
      coming = metadata.continue ? page(metadata.continue) : undefined;
      // In the meantime the server makes the next page. Whether that fails is seen when it is awaited.
      coming?.catch(() => undefined);
      for (const item of items) all.push(keep(item));
    }
    mirror.replace(all);
    this.version = version;
    this.listed();
  }

  private async watch(from: string): Promise<void> {
    const { path, query, keep, mirror } = this.options;
    const { signal } = this.stopping;
    const asked = {
      ...query,
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      // Not all at the same moment.
      timeoutSeconds: watchSeconds + Math.floor(Math.random() * 6),
    };
    const onOpen = () => {
      this.isWatching = true;
      this.heardAt = performance.now();
    };
    const patience = { idleMs, opensWithinMs };
    for await (const event of this.api.watch<T>(path, asked, { signal, ...patience, onOpen })) {
      if (event.type === 'ERROR') throw watchError(path, event);
      this.failures = 0;
      this.heardAt = performance.now();
      this.expiries = 0;
      if (event.type !== 'BOOKMARK') {
        const object = keep(event.object);
        if (event.type === 'DELETED') mirror.remove(object);
        else mirror.set(object);
      }
      // Only now: a change that could not be taken is delivered again.
      this.version = event.object.metadata.resourceVersion;
    }
  }

  private async pause(retryAfterMs: number | undefined): Promise<void> {
    const ms = backOffMs(this.failures++, Math.random(), retryAfterMs);
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/**
 * The server cannot go on from the version: it is too old, or of a time that a restored server has not come to. The latter it says
 * in a sentence only, with a status that it has for other things too.
 */
function isWithoutVersion(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === expired || /too large resource version/i.test(error.message))
  );
}

/** An expired version comes as an event of a stream that began well. */
function watchError(path: string, { object }: WatchEvent<unknown>): ApiError {
  const { code = 0, reason, message } = object as Status;
  return new ApiError(
    code,
    reason,
    `the watch of ${path} ended with ${code}: ${message ?? 'no reason given'}`,
  );
}
