import { probeDatabase } from './probe-database.js';

/** A connection that may wait for an answer. */
export interface Waiting {
  /** The time since which it has waited for an answer, by the clock of `performance`; undefined: it waits for none. */
  readonly waitingSince: number | undefined;
  cut(reason: string): void;
}

export interface WatchLimits {
  /** The wait for an answer before the server is probed, in milliseconds, default 5,000. */
  silenceMs?: number;
  /** The time limit of the probe in milliseconds, default 5,000. */
  probeMs?: number;
}

/** A single probe may get lost, and a machine may be busy. */
const probesInVain = 2;

/**
 * Cuts connections that wait for a server that is lost silently: with its machine, its network, or by hanging. TCP
 * alone resends unacknowledged data for a quarter of an hour, and a caller that waits for an answer waits as long.
 *
 * A statement may take as long as it likes while the server answers others: the server is probed over a new connection.
 */
export class AnswerWatch {
  private readonly connections = new Set<Waiting>();
  private readonly timer: NodeJS.Timeout;
  private readonly silenceMs: number;
  private readonly probeMs: number;
  private asking = false;

  constructor(
    private readonly url: string,
    { silenceMs = 5000, probeMs = 5000 }: WatchLimits = {},
  ) {
    this.silenceMs = silenceMs;
    this.probeMs = probeMs;
    this.timer = setInterval(() => void this.check(), silenceMs / 5);
    // A waiting caller keeps the process alive by its connection.
    this.timer.unref();
  }

  add(connection: Waiting): void {
    this.connections.add(connection);
  }

  remove(connection: Waiting): void {
    this.connections.delete(connection);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    if (this.asking || this.overdue().length === 0) return;
    this.asking = true;
    try {
      for (let tries = 0; tries < probesInVain; tries++) {
        if (await this.answers()) return;
      }
      const seconds = Math.round((this.silenceMs + probesInVain * this.probeMs) / 1000);
      for (const connection of this.overdue())
        connection.cut(`no answer for ${seconds} s, on any connection`);
    } finally {
      this.asking = false;
    }
  }

  private overdue(): Waiting[] {
    const before = performance.now() - this.silenceMs;
    return [...this.connections].filter(
      ({ waitingSince }) => waitingSince !== undefined && waitingSince < before,
    );
  }

  /** A server that refuses connections does answer: its old connections end by themselves. */
  private async answers(): Promise<boolean> {
    const began = performance.now();
    try {
      await probeDatabase(this.url, this.probeMs);
      return true;
    } catch {
      return performance.now() - began < this.probeMs / 2;
    }
  }
}
