import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { clockSkews, type InventoryControl } from '#clusters';
import type { EventBus } from '#messaging';
import { type Metrics, RepeatedWarning } from '#platform';

const clocksEveryMs = 15_000;

/** Measures the offsets of the clocks of platform services from that of the database; the inventory's notices name them. */
export function clockSampler(db: DataSource, metrics: Metrics, log: Pick<Logger, 'warn'>): Sampler {
  const failed = new RepeatedWarning(log, 'Could not compare the clocks of platform services.');
  return new Sampler(clocksEveryMs, async () => metrics.inventory.clocksAreOff(await clockSkews(db)), failed);
}

/** A sample takes some requests to the brokers for each topic; metrics are collected less often. */
const lagEveryMs = 15_000;

/**
 * Measures values that no event reports: how far the consumers of this process are behind, and where they wait for a
 * newer release.
 */
export function lagSampler(bus: EventBus, metrics: Metrics, log: Pick<Logger, 'warn'>): Sampler {
  const sample = async () => {
    const waiting = bus.waiting();
    for (const { name, ...behind } of await bus.status()) {
      metrics.consumers.isBehind(name, behind);
      metrics.consumers.waitsAt(name, waiting.filter(({ consumer }) => consumer === name).length);
    }
  };
  const failed = new RepeatedWarning(
    log,
    'Could not measure the lag of consumers; its gauge keeps its last values.',
  );
  return new Sampler(lagEveryMs, sample, failed);
}

const inventoryEveryMs = 5000;
const logEveryMs = 60_000;

/** Samples the notices about the reports of schedulers: for the metrics, and once a minute for the log. */
export class SampleInventory {
  /** By partition and code: when it was last logged. */
  private readonly logged = new Map<string, number>();

  constructor(
    private readonly inventory: Pick<InventoryControl, 'status'>,
    private readonly metrics: Metrics['inventory'],
    /** `logsNotices`: this process writes notices to its log. */
    private readonly options: { log: Pick<Logger, 'warn'>; logsNotices: boolean; now?: () => number },
  ) {}

  sampler(): Sampler {
    const failed = new RepeatedWarning(
      this.options.log,
      'Could not measure the inventory; its gauges keep their last values.',
    );
    return new Sampler(inventoryEveryMs, () => this.check(), failed);
  }

  async check(): Promise<void> {
    const { items, unread } = await this.inventory.status();
    const codes = new Map<string, number>();
    for (const { partition, notices } of items) {
      for (const { code, message, remedy, about, ...numbers } of notices) {
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (this.options.logsNotices && this.isTimeToLog(`${partition}/${code}`)) {
          this.options.log.warn(
            { partition, code, about, ...numbers },
            `${sentence(message)}. ${sentence(remedy)}.`,
          );
        }
      }
    }
    const reports = unread.reduce((sum, one) => sum + one.reports, 0);
    this.metrics.reportsAre({
      notices: codes,
      unknown: items.filter(({ known }) => !known).length,
      unread: reports,
    });
  }

  private isTimeToLog(what: string): boolean {
    const now = (this.options.now ?? performance.now.bind(performance))();
    if (now - (this.logged.get(what) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return false;
    this.logged.set(what, now);
    return true;
  }
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

/**
 * Takes a sample at a steady interval, one at a time, the first at once. A failure is reported only if the next sample
 * fails too: right after topics were created, and while a server is replaced, one sample may fail in a healthy system.
 */
export class Sampler {
  private timer: NodeJS.Timeout | undefined;
  private sampling: Promise<void> | undefined;
  private hasFailed = false;

  constructor(
    private readonly everyMs: number,
    private readonly sample: () => Promise<void>,
    private readonly failed: RepeatedWarning,
  ) {}

  start(): void {
    this.begin();
    this.timer = setInterval(() => this.begin(), this.everyMs);
  }

  /** Resolves when the sample under way is done. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.sampling;
  }

  private begin(): void {
    this.sampling ??= this.take().finally(() => {
      this.sampling = undefined;
    });
  }

  private async take(): Promise<void> {
    try {
      await this.sample();
      this.hasFailed = false;
    } catch (error) {
      if (this.hasFailed) this.failed.warn(error);
      this.hasFailed = true;
    }
  }
}
