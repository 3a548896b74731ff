import type { Redis } from 'ioredis';
import { RedisError } from './redis-options.js';

const forgottenError = 'Could not check whether Redis still has its wake-ups';

/**
 * Detects when Redis may have lost wake-ups, and has them requested again. Redis may lose some whenever the connection was lost (the
 * server restarted, another took over, or wake-ups were refused meanwhile), and loses all by a FLUSHALL, which no connection notices.
 * So a mark is stored beside the jobs, and checked every `checkMs`.
 *
 * The mark is set before the wake-ups are requested: a Redis that loses its keys in between loses the mark too, and gets the
 * requests again. Several processes may do so at once; a repeated request does not add a wake-up.
 */
export class Remembering {
  private again: (() => Promise<void>) | undefined;
  private owed = true;
  private asking: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    private readonly mark: string,
    checkMs: number,
    private readonly onError: (error: Error) => void,
  ) {
    redis.on('ready', () => {
      this.owed = true;
      this.check();
    });
    this.timer = setInterval(() => this.check(), checkMs);
  }

  whenForgotten(again: () => Promise<void>): void {
    this.again = again;
    this.owed = true;
    this.check();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.again = undefined;
    if (this.redis.status === 'ready') await this.asking;
  }

  private check(): void {
    if (!this.again || this.redis.status !== 'ready') return;
    this.asking ??= this.askIfForgotten(this.again)
      .catch((error: Error) => {
        this.owed = true;
        if (this.again) this.onError(new RedisError('unchecked', `${forgottenError}: ${error.message}`));
      })
      .finally(() => {
        this.asking = undefined;
      });
  }

  private async askIfForgotten(again: () => Promise<void>): Promise<void> {
    if (!this.owed && (await this.redis.exists(this.mark)) === 1) return;
    this.owed = false;
    await this.redis.set(this.mark, '1');
    await again();
  }
}
