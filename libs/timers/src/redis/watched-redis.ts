import { type RedisOptions as ClientOptions, Redis } from 'ioredis';

const everyMs = 2000;
const longestSilenceMs = 3000;

/**
 * A connection that reconnects when its server stops answering. A server that hangs, or that a broken network has cut off, keeps its
 * connections open; commands would wait a quarter of an hour until the operating system gives up. Unanswered commands are sent again
 * over the new connection.
 *
 * (ioredis's own `socketTimeout` is not used: its timer keeps running after the connection is lost, and cuts the next one.)
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
   * BullMQ opens the connections of a worker with it. The named connection waits in blocking commands, which would delay a PING;
   * BullMQ monitors that one itself.
   */
  override duplicate(override: Partial<ClientOptions> = {}): Redis {
    const options = { ...this.own, ...override };
    return override.connectionName
      ? new Redis(this.address, options)
      : new WatchedRedis(this.address, options);
  }

  private askIfThere(): void {
    // Already reconnecting, or closed.
    if (this.status !== 'ready' && this.status !== 'connect') return;
    if (this.askedAt !== undefined) {
      if (performance.now() - this.askedAt > longestSilenceMs) this.disconnect(true);
      return;
    }
    this.askedAt = performance.now();
    this.ping().then(
      (answer) => {
        this.askedAt = undefined;
        // This answers another command: an answer was lost, and all later ones would be mixed up.
        if (answer !== 'PONG') this.disconnect(true);
      },
      () => {
        this.askedAt = undefined;
      },
    );
  }
}

/**
 * Warnings about a Redis that stores wake-ups, from its INFO: many ACLs and managed servers refuse CONFIG GET. None of these settings
 * loses a timer; they make wake-ups late.
 */
export function redisWarnings(info: string): string[] {
  const facts = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  const warnings: string[] = [];
  const hz = Number(facts.get('configured_hz') ?? facts.get('hz'));
  if (hz < 100) {
    warnings.push(
      `Redis checks only ${hz} times a second whether a wait is over: wake-ups come up to ${Math.round(1000 / hz)} ms late. Set hz 100.`,
    );
  }
  const policy = facts.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `Redis may evict keys when its memory is full (maxmemory-policy ${policy}): wake-ups are lost then, and the sweep finds their timers late. Set maxmemory-policy noeviction.`,
    );
  }
  if (facts.get('aof_enabled') === '0') {
    warnings.push(
      'Redis keeps no append-only file: after a restart all wake-ups are requested again, and the sweep finds timers that fell due meanwhile late. Set appendonly yes.',
    );
  }
  return warnings;
}
