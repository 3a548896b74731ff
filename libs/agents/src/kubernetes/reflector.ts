import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '#contracts';
import { ApiError, type KubernetesApi, type WatchEvent } from './api.js';
import type { KubernetesObject, KubernetesStatus } from './objects.js';

/** Receives the objects of one kind, and their changes. */
export interface Mirror<T> {
  /** Receives all objects of one moment. Earlier objects that are not among them are gone. */
  replace(all: T[]): void;
  set(one: T): void;
  remove(one: T): void;
}

export interface ReflectorOptions<T> {
  /** Such as `/api/v1/pods`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Copies the kept fields of an object. */
  keep: (object: T) => T;
  mirror: Mirror<T>;
  /** Called when the server cannot be reached or refuses; the reflector retries. */
  onTrouble: (error: Error) => void;
}

interface Page<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

const pageSize = 500;
/**
 * A connection may be lost silently, and only a new watch shows that no change was missed: the server first sends the changes since the
 * version of the watch. So each watch is short, and a watch that the server does not end in time has lost its connection.
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
 * A watch ends after seconds, and the next one begins at its last version. A list replaces the mirror only after its last page has
 * arrived, so a missing page removes nothing. After an error it retries, with longer pauses each time.
 */
export class Reflector<T extends KubernetesObject> {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private version: string | undefined;
  private failures = 0;
  /** Consecutive expired versions, without a change in between. */
  private expiries = 0;
  private isWatching = false;
  private lastReceivedAt = performance.now();
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

  /** Whether changes arrive now; also true between the end of a watch and the start of the next one. */
  get isCurrent(): boolean {
    return this.isWatching;
  }

  /** Milliseconds since the last message of the server. */
  get silentMs(): number {
    return performance.now() - this.lastReceivedAt;
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
          // The server answers, so the pause is shorter than for an unavailable one.
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
      this.lastReceivedAt = performance.now();
      // The version of a list is that of its first page: the others are from the same moment.
      version = metadata.resourceVersion;
      coming = metadata.continue ? page(metadata.continue) : undefined;
      // The server prepares the next page meanwhile. Its failure is handled when it is awaited.
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
      this.lastReceivedAt = performance.now();
    };
    const patience = { idleMs, opensWithinMs };
    for await (const event of this.api.watch<T>(path, asked, { signal, ...patience, onOpen })) {
      if (event.type === 'ERROR') throw watchError(path, event);
      this.failures = 0;
      this.lastReceivedAt = performance.now();
      this.expiries = 0;
      if (event.type !== 'BOOKMARK') {
        const object = keep(event.object);
        if (event.type === 'DELETED') mirror.remove(object);
        else mirror.set(object);
      }
      // Only now: a change that could not be applied is delivered again.
      this.version = event.object.metadata.resourceVersion;
    }
  }

  private async pause(retryAfterMs: number | undefined): Promise<void> {
    const ms = backOffMs(this.failures++, Math.random(), retryAfterMs);
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/**
 * The server cannot continue from the version: it is too old, or newer than the state of a restored server. In the latter case only the
 * message shows it, since the status has other meanings too.
 */
function isWithoutVersion(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === expired || /too large resource version/i.test(error.message))
  );
}

/** An expired version arrives as an event of an accepted stream. */
function watchError(path: string, { object }: WatchEvent<unknown>): ApiError {
  const { code = 0, reason, message } = object as KubernetesStatus;
  return new ApiError(
    code,
    reason,
    `the watch of ${path} ended with ${code}: ${message ?? 'no reason given'}`,
  );
}

const ms = { first: 200, longest: 10_000 };

/**
 * How long to wait after a number of consecutive failures (from 0), in milliseconds: twice as long each time, reduced by up to half at
 * random, and never less than the server asks for.
 *
 * @param chance from 0 to 1.
 */
export function backOffMs(failures: number, chance: number, retryAfterMs = 0): number {
  return Math.max(pauseAfter(failures + 1, ms) * (0.5 + chance / 2), retryAfterMs);
}
