import { CurtailError } from '#contracts';
import { answerWithin } from '#waiting';

/** A dependency that an app needs for its work, such as its database. */
export interface ReadinessCheck {
  /** Short and suitable for display: `database`, `bus`. */
  readonly name: string;
  /** Rejects when it is down; the reason is logged, and returned to callers if it is a `Down`. */
  check(): Promise<void>;
}

/** The servers that an app needs before it counts as ready, and whether it is shutting down. */
export class Readiness {
  private readonly registered = new Map<string, ReadinessCheck>();
  private leaving = false;
  private remarks: () => string[] = () => [];

  /** Adds a check; one of the same name is replaced. */
  register(check: ReadinessCheck): void {
    this.registered.set(check.name, check);
  }

  checks(): readonly ReadinessCheck[] {
    return [...this.registered.values()];
  }

  /** Warnings returned with the answer although the app works; suitable for any reader. */
  remarkWith(remarks: () => string[]): void {
    this.remarks = remarks;
  }

  remarked(): string[] {
    return this.remarks();
  }

  /** Makes the app not ready, permanently, so that no new work is sent to it. */
  leave(): void {
    this.leaving = true;
  }

  isLeaving(): boolean {
    return this.leaving;
  }
}

/** A check that failed with something else than an error. */
export class FailedCheck extends CurtailError {
  readonly code = 'failed-check';
}

/** A check that hangs counts as failed. */
const longestCheckMs = 3000;

/** @returns the error for which it is down, or undefined if it is up. */
export async function askCheck(check: ReadinessCheck, withinMs = longestCheckMs): Promise<Error | undefined> {
  try {
    await answerWithin(withinMs, () => check.check());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new FailedCheck(String(error));
  }
}
