import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { askCheck, type Readiness, type ReadinessCheck } from './readiness.js';

const everyMs = 250;

/** Watches the servers that a process needs while it starts, and logs once which ones it waits for. */
export class WaitingForServers {
  private reasons = new Map<string, string>();
  private reported = '';
  private readonly over = new AbortController();
  private watching: Promise<void> | undefined;

  constructor(
    private readonly readiness: Readiness,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  start(): void {
    this.watching = this.watch();
  }

  async stop(): Promise<void> {
    this.over.abort();
    await this.watching;
  }

  /** The servers that were down at the last check. */
  get down(): string[] {
    return [...this.reasons.keys()].sort();
  }

  /** Resolves once the server is reachable; rejects when the waiting is stopped. */
  async until(check: ReadinessCheck): Promise<void> {
    while ((await askCheck(check)) !== undefined) {
      await delay(everyMs, undefined, { signal: this.over.signal });
    }
  }

  private async watch(): Promise<void> {
    while (!this.over.signal.aborted) {
      const answers = await Promise.all(
        this.readiness.checks().map(async (check) => [check.name, await askCheck(check)] as const),
      );
      this.reasons = new Map(
        answers.flatMap(([name, error]) => (error === undefined ? [] : [[name, error.message]])),
      );
      this.report();
      await delay(everyMs, undefined, { signal: this.over.signal }).catch(() => {});
    }
  }

  private report(): void {
    const names = this.down.join(', ');
    if (names === this.reported || this.over.signal.aborted) return;
    const why = [...this.reasons].map(([name, reason]) => `${name} (${reason})`).join(', ');
    if (names) this.log.warn({ checks: this.down }, `Waiting for ${why}; retrying.`);
    else this.log.info('All servers are reachable.');
    this.reported = names;
  }
}
