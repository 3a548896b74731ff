import { probeDatabase } from './probe-database.js';

/** A connection that may wait for an answer. */
export interface WaitingForAnswer {
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
  private readonly connections = new Set<WaitingForAnswer>();
  private timer: NodeJS.Timeout | undefined;
  private readonly silenceMs: number;
  private readonly probeMs: number;
  private isClosed = false;

  constructor(
    private readonly url: string,
    { silenceMs = 5000, probeMs = 5000 }: WatchLimits = {},
  ) {
    this.silenceMs = silenceMs;
    this.probeMs = probeMs;
  }

  add(connection: WaitingForAnswer): void {
    this.connections.add(connection);
  }

  remove(connection: WaitingForAnswer): void {
    this.connections.delete(connection);
  }

  /** Call it when a connection begins to wait. While none waits, the watch has no timer. */
  begun(): void {
    if (!this.isClosed) this.timer ??= this.checkIn(this.silenceMs);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** A waiting caller keeps the process alive by its connection. */
  private checkIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.check(), ms).unref();
  }

  private async check(): Promise<void> {
    try {
      if (this.overdue().length > 0) await this.cutIfLost();
    } finally {
      this.timer = undefined;
      this.checkAgain();
    }
  }

  /** Schedules the next check if a connection waits, even one that began to wait during this check. */
  private checkAgain(): void {
    const waiting = [...this.connections].flatMap(({ waitingSince }) => waitingSince ?? []);
    if (waiting.length === 0 || this.isClosed) return;
    const restMs = Math.min(...waiting) + this.silenceMs - performance.now();
    this.timer = this.checkIn(Math.max(restMs, this.silenceMs / 5));
  }

  private async cutIfLost(): Promise<void> {
    for (let tries = 0; tries < probesInVain; tries++) {
      if (await this.answers()) return;
    }
    const seconds = Math.round((this.silenceMs + probesInVain * this.probeMs) / 1000);
    for (const connection of this.overdue()) connection.cut(`no answer for ${seconds} s, on any connection`);
  }

  private overdue(): WaitingForAnswer[] {
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
