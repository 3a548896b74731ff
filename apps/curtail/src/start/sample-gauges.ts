import type { EventBus } from '@curtail/messaging';
import type { Metrics } from '@curtail/platform';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';

const everyMs = 2000;

/** Looks now and then at what no event tells: how far consumers are behind, and how many clocks run. */
export class SampleGauges {
  private readonly log = new Logger('Metrics');
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly bus: EventBus,
    private readonly metrics: Metrics,
  ) {}

  start(): void {
    const look = () => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    };
    look();
    this.timer = setInterval(look, everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      for (const { name, lag } of await this.bus.status()) this.metrics.consumerIsBehind(name, lag);
      const rows: { count: number }[] = await this.db.query('SELECT count(*)::int AS count FROM timers');
      this.metrics.timersPending.set(rows[0]?.count ?? 0);
    } catch (error) {
      this.log.warn(`the gauges keep their last values for now: ${(error as Error).message}`);
    }
  }
}
