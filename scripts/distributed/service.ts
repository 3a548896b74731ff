import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signalQuietly } from '../../libs/platform/src/postgres/processes.js';
import { root } from '../infra/folders.js';
import { holdOnLeash } from '../infra/server/leash.js';
import { BackOff } from './back-off.js';
import type { LogLines } from './log-lines.js';
import { nodeOptions } from './node-options.js';

/** One process of one app. */
export interface ServicePlace {
  /** `planner-2`. */
  name: string;
  app: string;
  /** Of 127.0.0.1. */
  port: number;
}

/** With this status a service states that its settings cannot be used: starting it again would not help. */
const settingsStatus = 2;
const readyPollMs = 100;
/** Above the services' own deadline. */
const stopWithinMs = 25_000;

/**
 * A service, kept running.
 *
 *     waiting --start--> running --ends by itself--> waiting, for a while (BackOff)
 *                           |-----ends with 2------> hopeless: `onHopeless`, once
 *     any --stop--> ending --ended, or killed after 25 s--> ended
 *
 * It is on a leash: it ends when this process does, in whatever way. A kill at any moment is safe, for it continues from the
 * database at its next start.
 */
export class Service {
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();
  private stopping = false;
  private readonly wait = new AbortController();
  private readonly backOff = new BackOff();

  constructor(
    readonly place: ServicePlace,
    private readonly environment: Record<string, string>,
    private readonly lines: LogLines,
    private readonly onHopeless: (why: string) => void,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.place.port}`;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    if (this.stopping) return;
    const begun = performance.now();
    const child = spawn(
      process.execPath,
      [...nodeOptions, join('dist/apps', this.place.app, 'src/main.js')],
      {
        cwd: root,
        // In a session of its own: Ctrl-C reaches it through us, before the servers end.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ...this.environment,
          CURTAIL_PORT: String(this.place.port),
          // It gets its signals from us, not from npm.
          npm_lifecycle_event: undefined,
        },
      },
    );
    this.child = child;
    const leash = child.pid === undefined ? undefined : holdOnLeash(child.pid, 'KILL');
    this.lines.follow(this.place.name, child.stdout);
    this.lines.follow(this.place.name, child.stderr);
    this.ended = once(child, 'close').then(
      ([code, signal]) => {
        leash?.release();
        this.child = undefined;
        if (!this.stopping) void this.endedByItself(code as number | null, signal, performance.now() - begun);
      },
      (error: Error) => this.onHopeless(`${this.place.name} cannot be run: ${error.message}`),
    );
  }

  private async endedByItself(
    code: number | null,
    signal: NodeJS.Signals | null,
    ranMs: number,
  ): Promise<void> {
    const { name } = this.place;
    if (code === settingsStatus) return this.onHopeless(`${name} cannot use its settings; see above`);
    const pauseMs = this.backOff.next(ranMs);
    const how = signal ? `was ended by ${signal}` : `ended with status ${code}`;
    this.lines.write(name, `${how}; restarting it in ${pauseMs / 1000} s`);
    await delay(pauseMs, undefined, { signal: this.wait.signal }).catch(() => {});
    this.start();
  }

  /** Resolves to true when it states that it is ready, to false when it is to stop before. */
  async ready(): Promise<boolean> {
    for (; !this.stopping; await delay(readyPollMs)) {
      const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(
        () => undefined,
      );
      await answer?.body?.cancel();
      if (answer?.ok) return true;
    }
    return false;
  }

  /** Lets what is under way end. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wait.abort();
    const { pid } = this;
    if (pid === undefined) return;
    signalQuietly(pid, 'SIGTERM');
    const late = new AbortController();
    await Promise.race([this.ended, delay(stopWithinMs, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    this.kill();
    await this.ended;
  }

  kill(): void {
    this.stopping = true;
    this.wait.abort();
    if (this.pid !== undefined) signalQuietly(this.pid, 'SIGKILL');
  }
}
