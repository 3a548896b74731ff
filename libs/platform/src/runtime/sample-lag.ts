import type { EventBus } from '@curtail/messaging';
import type { Logger } from 'pino';
import { RepeatedWarning } from '../logging/repeated-warning.js';
import type { Metrics } from '../metrics/metrics.js';

/** Each look is some requests to the brokers for each topic; whoever collects metrics does so less often. */
const everyMs = 5000;

/** Looks now and then at what no event tells: how far the consumers of this process are behind. */
export class SampleLag {
  private timer: NodeJS.Timeout | undefined;
  private readonly unknown: RepeatedWarning;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly bus: EventBus,
    private readonly metrics: Metrics,
    log: Pick<Logger, 'warn'>,
  ) {
    this.unknown = new RepeatedWarning(log, 'The lag of the consumers keeps its last values for now.');
  }

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
    } catch (error) {
      this.unknown.say(error);
    }
  }
}
