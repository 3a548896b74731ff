import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DatabaseRefusal, ServerEnd } from '#platform';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  PostgresStartError,
  refusalInLog,
  startEmbeddedPostgres,
} from '#platform';

const restartsAtMost = 5;
const withinMs = 10 * 60_000;
/** One restart may take several attempts: remains of the earlier server may still hold the port. */
const tryingMs = 30_000;
const pauseMs = 500;

/**
 * The embedded server of a process, kept running.
 *
 *     running --ends by itself--> down --started again, same port--> running
 *                                  |----too often------------------> lost: `onLost`, once
 *     any ------- stop() -------> stopped
 *
 * A server may be ended from outside, for example by the kernel when memory is short, and nothing else restarts it.
 * Its data are safe, and its clients survive a lost connection anyway: so it is restarted in the same
 * place, and the rest of the process continues. If it keeps ending, an operator has to find the cause.
 */
export class KeptPostgres {
  private readonly endedAt: number[] = [];
  private restarting: Promise<void> | undefined;
  private stopping = false;
  private lost = false;
  private onLost: () => void = () => {};
  private whyDown: DatabaseRefusal | undefined;

  private constructor(
    private server: EmbeddedPostgres,
    private readonly options: EmbeddedPostgresOptions,
    private readonly logger: Logger,
  ) {
    this.watch();
  }

  /** @throws PostgresStartError if it cannot be started the first time. */
  static async start(options: EmbeddedPostgresOptions, logger: Logger): Promise<KeptPostgres> {
    const own = { ...options, log: (line: string) => logger.info(line) };
    const server = await startEmbeddedPostgres(own);
    logger.info({ folder: server.folder }, `PostgreSQL ${server.major} keeps its data in ${server.folder}.`);
    return new KeptPostgres(server, { ...own, port: server.port }, logger);
  }

  /** Stays the same as long as this process runs. */
  get url(): string {
    return this.server.url;
  }

  /** While it is down: what keeps it from running, as far as its log tells that. */
  get refusal(): DatabaseRefusal | undefined {
    return this.whyDown;
  }

  get pid(): number {
    return this.server.pid;
  }

  /** Called once, when the server has ended too often to be started again; at once if it already has. */
  whenLost(onLost: () => void): void {
    this.onLost = onLost;
    if (this.lost) onLost();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.restarting;
    await this.server.stop();
  }

  private watch(): void {
    void this.server.ended.then((end) => {
      if (!this.stopping) this.restarting = this.restart(end);
    });
  }

  /** Never rejects. */
  private async restart(end: ServerEnd): Promise<void> {
    this.whyDown = refusalInLog(end.logTail);
    this.logger.error(
      { logTail: end.logTail },
      `PostgreSQL ended unexpectedly (${wayOf(end)}); restarting it. Work in progress waits.`,
    );
    if (this.isTooOften()) {
      this.giveUp(
        `It was started again ${restartsAtMost} times within ${withinMs / 60_000} minutes, and ended each time.`,
      );
      return;
    }
    const began = Date.now();
    while (!this.stopping) {
      try {
        // It has ended already; this releases the folder.
        await this.server.stop();
        this.server = await startEmbeddedPostgres(this.options);
        this.whyDown = undefined;
        this.logger.info(
          { folder: this.server.folder },
          `PostgreSQL runs again after ${Date.now() - began} ms.`,
        );
        this.watch();
        return;
      } catch (error) {
        if (error instanceof PostgresStartError) this.whyDown = refusalInLog(error.logTail);
        if (Date.now() - began > tryingMs) {
          this.giveUp((error as Error).message);
          return;
        }
        this.logger.warn({ err: error }, 'Could not restart PostgreSQL; retrying.');
        await delay(pauseMs);
      }
    }
  }

  private isTooOften(): boolean {
    const now = Date.now();
    this.endedAt.push(now);
    return this.endedAt.filter((at) => at > now - withinMs).length > restartsAtMost;
  }

  private giveUp(why: string): void {
    this.logger.fatal(
      { reason: why, folder: this.server.folder },
      `PostgreSQL cannot be kept running. ${why} See ${this.server.folder}/server.log for the reason. ` +
        'Work in progress continues at the next start.',
    );
    this.lost = true;
    this.onLost();
  }
}

function wayOf({ code, signal }: ServerEnd): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
