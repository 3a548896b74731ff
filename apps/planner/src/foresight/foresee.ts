import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import { WakeListener } from '#event-store';
import { LOG, RepeatedWarning } from '#platform';
import type { Worker } from '#runtime';
import { Wakeable } from '#waiting';
import { FORESIGHT_SETTINGS, type ForesightSettings } from '../settings/planner-settings.js';
import { CheckClock } from './check-clock.js';
import { checkAll, syncWithClocks, takeDueCheck } from './foresight-table.js';
import { QuietClocks } from './quiet-clocks.js';

/** How long a clock stays unseen whose wake-up was lost. */
const checkEveryMs = 15_000;
/** Between two checks of the clocks, so that a flood of events costs little. */
const pauseMs = 500;
/** As long as events arrive, for instance of a configuration that sets thousands of clocks, it pauses again, at most this often: one check is enough. */
const mostPauses = 6;
const syncEveryMs = 1000;
/** After each check, including the look at the clocks, it rests for this many times as long: foresight takes at most a fifth of a process. */
const restFactor = 4;

/**
 * Keeps the advance notice of all running clocks true: it compares clocks and rows, makes the checks that are due one after the
 * other, and is woken by events of clocks and commands. Any number of processes share the checks. All state is in the database,
 * so that a restart changes nothing.
 */
@Injectable()
export class Foresee implements Worker {
  private readonly waker = new Wakeable();
  private readonly stopping = new AbortController();
  private readonly failed: RepeatedWarning;
  private readonly unknown: RepeatedWarning;
  private stopListening: (() => void) | undefined;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly wake: WakeListener,
    private readonly clocks: CheckClock,
    private readonly quiet: QuietClocks,
    @Inject(FORESIGHT_SETTINGS) private readonly settings: ForesightSettings,
    @Inject(LOG) log: Logger,
  ) {
    this.failed = new RepeatedWarning(log, 'Could not check what running clocks would evict; retrying.');
    this.unknown = new RepeatedWarning(
      log,
      'Could not plan what a running clock would evict; retrying. Owners keep the last notice.',
    );
  }

  async start(): Promise<void> {
    const wakes: readonly string[] = [topics.enforcement, topics.control];
    this.stopListening = this.wake.onWake((woken) => {
      if (woken.length === 0 || woken.some((topic) => wakes.includes(topic))) this.waker.wake();
    });
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.stopListening?.();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let isFirst = true;
    while (!signal.aborted) {
      this.waker.forget();
      try {
        // The settings of the process may have changed since it ran last.
        if (isFirst) await checkAll(this.db);
        isFirst = false;
        await this.check();
      } catch (error) {
        this.failed.warn(error);
      }
      await this.waker.sleep(Math.min(checkEveryMs, this.settings.foresightSeconds * 1000), signal);
      await this.pause();
    }
  }

  private async pause(): Promise<void> {
    for (let pauses = 0; pauses < mostPauses; pauses++) {
      this.waker.forget();
      await new Wakeable().sleep(pauseMs, this.stopping.signal);
      if (!this.waker.isWoken) return;
    }
  }

  /** Makes the checks that are due now. */
  async check(): Promise<void> {
    const { foresight, foresightLeastSeconds } = this.settings;
    const { signal } = this.stopping;
    let syncedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const began = performance.now();
      // Also between many checks: a clock that starts meanwhile comes first.
      if (began - syncedAt > syncEveryMs) {
        await syncWithClocks(this.db, foresight === 'on' ? foresightLeastSeconds : null);
        await this.quiet.pass();
        syncedAt = performance.now();
      }
      const taken = await takeDueCheck(this.db);
      if (!taken) return;
      const fault = await this.clocks.check(taken);
      const { partition, queue } = taken;
      if (fault !== undefined) this.unknown.warn(fault, { partition, queue });
      await new Wakeable().sleep((performance.now() - began) * restFactor, signal);
    }
  }
}
