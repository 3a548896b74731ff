import { Injectable, Logger } from '@nestjs/common';
import { HealthCheckService, type HealthIndicatorFunction, HealthIndicatorService } from '@nestjs/terminus';
import { ProblemException } from '../problems/problem-exception.js';
import { Readiness, type ReadinessCheck } from './readiness.js';

/** A check that hangs is one that fails. */
const longestCheckMs = 3000;

/** Asks all readiness checks, once for however many ask at the same time. */
@Injectable()
export class ReadyAnswer {
  private readonly log = new Logger('Readiness');
  private asking: Promise<readonly string[]> | undefined;
  private lastDown = '';

  constructor(
    private readonly readiness: Readiness,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /** @throws ProblemException 503 that names what is down. */
  async assertReady(): Promise<void> {
    if (this.readiness.isLeaving()) throw notReady('Curtail is shutting down.', 'Ask another instance.', []);
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    const down = await this.asking;
    if (down.length === 0) return;
    const detail = `Not reachable or not ready: ${down.join(', ')}.`;
    throw notReady(detail, 'See the log of Curtail for the reason, and ask again later.', down);
  }

  private async ask(): Promise<readonly string[]> {
    const reasons = new Map<string, string>();
    const functions = this.readiness.checks().map((check) => this.indicatorOf(check, reasons));
    await this.health.check(functions).catch((error: unknown) => {
      // Terminus answers with an exception of its own when a check is down.
      if (reasons.size === 0) reasons.set('health', String(error));
    });
    this.logChange(reasons);
    return [...reasons.keys()].sort();
  }

  private indicatorOf(check: ReadinessCheck, reasons: Map<string, string>): HealthIndicatorFunction {
    const { name } = check;
    return async () => {
      const indicator = this.indicators.check(name);
      try {
        await withTimeout(() => check.check());
        return indicator.up();
      } catch (error) {
        reasons.set(name, error instanceof Error ? error.message : String(error));
        return indicator.down();
      }
    };
  }

  /** Probes ask every few seconds; only what changed is worth a line. */
  private logChange(reasons: ReadonlyMap<string, string>): void {
    const down = [...reasons].map(([name, reason]) => `${name} (${reason})`).join(', ');
    if (down === this.lastDown) return;
    if (down) this.log.warn(`Not ready: ${down}`);
    else this.log.log('Ready again.');
    this.lastDown = down;
  }
}

async function withTimeout(check: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${longestCheckMs} ms`)), longestCheckMs);
  });
  try {
    await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function notReady(detail: string, remedy: string, down: readonly string[]): ProblemException {
  const sketch = { code: 'not-ready', title: 'Not ready', status: 503, detail, remedy, down };
  return new ProblemException(sketch, { 'Retry-After': '5' });
}
