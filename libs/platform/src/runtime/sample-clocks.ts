import { type ClockSkew, clockSkews } from '@curtail/clusters';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { RepeatedWarning } from '../logging/repeated-warning.js';
import type { Metrics } from '../metrics/metrics.js';

const everyMs = 15_000;
const sayEveryMs = 600_000;

/** Looks now and then whether the clocks of platform services agree with that of the database, and tells of those that do not. */
export class SampleClocks {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private readonly unknown: RepeatedWarning;
  /** By partition and source: when it was last said, by a clock that only goes forward. */
  private readonly saidAt = new Map<string, number>();

  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    /** `tells`: this process is the one that writes them to its log. */
    private readonly options: { log: Pick<Logger, 'warn'>; tells: boolean },
  ) {
    this.unknown = new RepeatedWarning(options.log, 'The clocks of platform services could not be compared.');
  }

  start(): void {
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  async look(): Promise<void> {
    try {
      const skews = await clockSkews(this.db);
      this.metrics.platformClocksAreOff(skews);
      if (this.options.tells) for (const skew of skews) this.say(skew);
    } catch (error) {
      this.unknown.say(error);
    }
  }

  private say({ partition, source, seconds, message }: ClockSkew): void {
    const key = JSON.stringify([partition, source]);
    const now = performance.now();
    if (now - (this.saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < sayEveryMs) return;
    this.saidAt.set(key, now);
    this.options.log.warn({ code: 'clock-skew', partition, source, seconds }, `clock-skew: ${message}`);
  }
}
