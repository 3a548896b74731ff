import { Injectable, Logger } from '@nestjs/common';
import { HealthCheckService, type HealthIndicatorFunction, HealthIndicatorService } from '@nestjs/terminus';
import { ProblemException } from '../problems/problem.js';
import { askAgainHeaders, Down, notReady, notReadyFor } from './not-ready.js';
import { askCheck, FailedCheck, Readiness, type ReadinessCheck } from './readiness.js';

/** Runs all readiness checks, once for any number of simultaneous requests. */
@Injectable()
export class ReadyAnswer {
  private readonly log = new Logger('Readiness');
  private asking: Promise<ReadonlyMap<string, Error>> | undefined;
  private lastDown = '';

  constructor(
    private readonly readiness: Readiness,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /** @throws ProblemException 503 that names the failed checks. */
  async assertReady(): Promise<void> {
    if (this.readiness.isLeaving()) {
      throw new ProblemException(
        notReady('Curtail is shutting down.', 'Ask another instance.', []),
        askAgainHeaders,
      );
    }
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    const down = await this.asking;
    if (down.size > 0) throw new ProblemException(notReadyFor([...down.keys()], told(down)), askAgainHeaders);
  }

  private async ask(): Promise<ReadonlyMap<string, Error>> {
    const reasons = new Map<string, Error>();
    const functions = this.readiness.checks().map((check) => this.indicatorOf(check, reasons));
    await this.health.check(functions).catch((error: unknown) => {
      // Terminus answers with an exception of its own when a check is down.
      if (reasons.size === 0) reasons.set('health', new FailedCheck(String(error)));
    });
    this.logChange(reasons);
    return new Map([...reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private indicatorOf(check: ReadinessCheck, reasons: Map<string, Error>): HealthIndicatorFunction {
    const { name } = check;
    return async () => {
      const indicator = this.indicators.check(name);
      const error = await askCheck(check);
      if (error === undefined) return indicator.up();
      reasons.set(name, error);
      return indicator.down();
    };
  }

  /** Probes arrive every few seconds; only changes are logged, not each wording of the same reason. */
  private logChange(reasons: ReadonlyMap<string, Error>): void {
    const names = [...reasons.keys()].sort().join(', ');
    if (names === this.lastDown) return;
    const down = [...reasons].map(([name, { message }]) => `${name} (${message})`).join(', ');
    if (down) this.log.warn(`Not ready: ${down}.`, { checks: [...reasons.keys()] });
    else this.log.log('Ready again.');
    this.lastDown = names;
  }
}

/** The reasons that any caller may read. */
function told(down: ReadonlyMap<string, Error>): Record<string, Down> {
  return Object.fromEntries(
    [...down].flatMap(([name, error]) => (error instanceof Down ? [[name, error]] : [])),
  );
}
