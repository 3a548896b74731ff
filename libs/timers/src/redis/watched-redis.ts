import { type RedisOptions as ClientOptions, Redis } from 'ioredis';

const everyMs = 1000;
const longestSilenceMs = 3000;

/**
 * A connection that is made again when its server stops answering: one that hangs, or that a broken network has cut off,
 * keeps its connections open, and what was asked over them would wait for the operating system to give up, for a quarter of
 * an hour. Unanswered commands are sent again over the new one.
 *
 * (ioredis's own `socketTimeout` is not used: its clock goes on after the connection was lost, and cuts the next one.)
 */
export class WatchedRedis extends Redis {
  private askedAt: number | undefined;
  private readonly watching: NodeJS.Timeout;

  constructor(
    private readonly address: string,
    private readonly own: ClientOptions,
  ) {
    super(address, own);
    this.watching = setInterval(() => this.askIfThere(), everyMs);
    this.on('close', () => {
      this.askedAt = undefined;
    });
    this.on('end', () => clearInterval(this.watching));
  }

  /**
   * BullMQ makes the connections of a worker with it. The one that it gives a name waits in blocking commands, which an
   * asking would have to wait for; BullMQ watches over that one itself.
   */
  override duplicate(override: Partial<ClientOptions> = {}): Redis {
    const options = { ...this.own, ...override };
    return override.connectionName
      ? new Redis(this.address, options)
      : new WatchedRedis(this.address, options);
  }

  private askIfThere(): void {
    // On its way already, or never to come back.
    if (this.status !== 'ready' && this.status !== 'connect') return;
    if (this.askedAt !== undefined) {
      if (performance.now() - this.askedAt > longestSilenceMs) this.disconnect(true);
      return;
    }
    this.askedAt = performance.now();
    this.ping().then(
      (answer) => {
        this.askedAt = undefined;
        // The answer to something else: some were lost on the way, and all that follow would be mixed up.
        if (answer !== 'PONG') this.disconnect(true);
      },
      () => {
        this.askedAt = undefined;
      },
    );
  }
}
