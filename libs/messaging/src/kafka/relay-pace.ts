import { catalog, type EventName } from '#contracts/events';

/**
 * After a page that was not full, the next one begins this much later at the earliest: under load several commits share a page, and the
 * fetches of all consumers. Events that an older transaction held back do not wait for it.
 */
const pageEveryMs = { first: 20, longest: 100 };
const growth = 1.5;

/** Events of configurations and of clocks that begin to wait: no run depends on when they are published. */
const unhurried: ReadonlySet<string> = new Set(
  (
    [
      'ConfigApplied',
      'ConfigRefused',
      'QuotaChanged',
      'QueueRemoved',
      'EnforcementScheduled',
      'EnforcementRescheduled',
    ] satisfies EventName[]
  ).map((name) => catalog[name].type),
);

/**
 * The interval of the relay's pages. It grows while pages follow each other that nothing hurries for, such as those of many
 * configurations; any other event, or a pause, makes it short again.
 */
export class RelayPace {
  private everyMs = pageEveryMs.first;
  private lastAt = Number.NEGATIVE_INFINITY;

  /**
   * @param began when the page was read, by `performance.now()`.
   * @returns when the next page may begin.
   */
  after(types: readonly string[], began: number): number {
    if (types.length === 0) return began + this.everyMs;
    const follows = began - this.lastAt <= 2 * this.everyMs;
    const isUnhurried = types.every((type) => unhurried.has(type));
    this.everyMs =
      follows && isUnhurried ? Math.min(this.everyMs * growth, pageEveryMs.longest) : pageEveryMs.first;
    this.lastAt = began;
    return began + this.everyMs;
  }
}
