import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { partitionOptionText } from '#contracts';
import {
  isLimitedToObserve,
  type Mode,
  type ModeInForce,
  type ModeSettings,
  modeInForce,
} from '#enforcement';
import { ProblemException } from '#platform';
import { observingServices } from '#runs';
import { READER_DATABASE } from '#runtime';

/** The settings of modes that this process has. */
export const MODE_SETTINGS = Symbol('ModeSettings');

/** The modes of partitions as they count, whichever process has the setting that limits them. */
@Injectable()
export class Modes {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(MODE_SETTINGS) private readonly settings: ModeSettings,
  ) {}

  /** The services that only observe, by name: planner, executor. The limit of this process says nothing about theirs. */
  observing(): Promise<string[]> {
    return observingServices(this.db);
  }

  /** @param observing the services that only observe. One of them suffices: its part of each run evicts nothing. */
  inForce(stored: Mode | null, observing: readonly string[]): ModeInForce {
    const { defaultMode } = this.settings;
    return modeInForce(stored, { mode: observing.length > 0 ? 'observe' : undefined, defaultMode });
  }

  /** @throws ProblemException 409: a mode that would not count is refused, since everyone would believe that it does. */
  async assertCounts(partition: string, wanted: Mode): Promise<void> {
    if (wanted === 'observe') return;
    const own = isLimitedToObserve(this.settings) ? ['console'] : [];
    const observing = [...own, ...(await this.observing())];
    if (observing.length === 0) return;
    throw new ProblemException({
      code: 'observes-only',
      title: 'Curtail only observes',
      status: 409,
      detail: `Partition ${partition} cannot be enforced: ${servicesOf(observing)} with CURTAIL_MODE=observe, which overrides the modes of all partitions.`,
      remedy: `Start Curtail without --mode observe and CURTAIL_MODE=observe. To choose the mode of each partition, set CURTAIL_DEFAULT_MODE=observe instead; then run: curtail mode enforce${partitionOptionText(partition)}`,
    });
  }
}

function servicesOf(observing: readonly string[]): string {
  if (observing.length > 2) return 'Curtail runs';
  return observing.length === 1 ? `the ${observing[0]} runs` : `${observing.join(' and ')} run`;
}
