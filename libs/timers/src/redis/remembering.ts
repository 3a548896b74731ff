import type { Redis } from 'ioredis';

const forgottenError = 'Redis cannot be asked whether it still knows what it was asked for';

/**
 * Notices when Redis may have forgotten rings, and has them asked for again. It may forget some whenever the connection was
 * lost (the server restarted, another took over, or rings were refused meanwhile), and all by a FLUSHALL, which no
 * connection notices: so a mark stands beside the jobs, and is looked for now and then.
 *
 * The mark is set before the rings are asked for: one that forgets in the middle loses the mark too, and is asked again.
 * Several processes may do so at once; a ring that is asked for again is one ring.
 */
export class Remembering {
  private again: (() => Promise<void>) | undefined;
  private owed = true;
  private asking: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    private readonly mark: string,
    lookMs: number,
    private readonly onError: (error: Error) => void,
  ) {
    redis.on('ready', () => {
      this.owed = true;
      this.look();
    });
    this.timer = setInterval(() => this.look(), lookMs);
  }

  whenForgotten(again: () => Promise<void>): void {
    this.again = again;
    this.owed = true;
    this.look();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.again = undefined;
    if (this.redis.status === 'ready') await this.asking;
  }

  private look(): void {
    if (!this.again || this.redis.status !== 'ready') return;
    this.asking ??= this.askIfForgotten(this.again)
      .catch((error: Error) => {
        this.owed = true;
        if (this.again) this.onError(new Error(`${forgottenError}: ${error.message}`));
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
