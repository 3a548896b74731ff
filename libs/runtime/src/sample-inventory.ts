import type { Logger } from 'pino';
import type { InventoryControl } from '#clusters';
import type { Metrics } from '#platform';
import { RepeatedWarning } from '#platform';
import { Sampler } from './sampler.js';

const everyMs = 5000;
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
    return new Sampler(everyMs, () => this.check(), failed);
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
