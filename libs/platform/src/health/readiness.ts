/** Something without which an app cannot do its work, such as its database. */
export interface ReadinessCheck {
  /** Short and fit to be shown: `database`, `bus`. */
  readonly name: string;
  /** Rejects when it is down; the reason goes to the log, not to who asks. */
  check(): Promise<void>;
}

/** The servers an app waits for before it counts as ready, and whether it is on its way out. */
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

  /** Warnings shown with the answer, although the app does its work; fit to be shown to anyone. */
  remarkWith(remarks: () => string[]): void {
    this.remarks = remarks;
  }

  remarked(): string[] {
    return this.remarks();
  }

  /** From now on not ready, so that no new work is sent here. There is no way back. */
  leave(): void {
    this.leaving = true;
  }

  isLeaving(): boolean {
    return this.leaving;
  }
}
