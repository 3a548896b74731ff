import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { chain } from '#contracts';
import type { ClockForesight, ForeseenRun, TimerView } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import {
  type ForeseenApplication,
  foreseenOf,
  type ForeseenRow as Row,
} from '../queries/queue-statements.js';
import { Timers } from '../queries/timers.js';

/** What the runs of pending clocks would do to an allocation. The planner keeps what it foresees (docs/how-to/advance-notice.md). */
@Injectable()
export class ForeseenRuns {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly timers: Timers,
  ) {}

  /** Those of its queue and above it, the first to start before the others. @param allocation one that runs. */
  async of(
    partition: string,
    { id, queue, application }: { id: string; queue: string; application: string },
  ): Promise<ForeseenRun[]> {
    const clocks = await this.timers.ofQueues(partition, chain(queue));
    if (clocks.length === 0) return [];
    const rows = await foreseenOf(
      this.db,
      partition,
      clocks.map((clock) => clock.queue),
      application,
    );
    return clocks.flatMap((clock) => {
      const row = rows.find((each) => each.queue === clock.queue && each.enforcement === clock.enforcement);
      return clock.enforcement === null ? [] : [runOf(clock, clock.enforcement, id, row)];
    });
  }
}

function runOf(clock: TimerView, enforcement: string, allocation: string, row: Row | undefined): ForeseenRun {
  const { queue, dueAt, startsAt = null, waiting, foresight } = clock;
  return {
    enforcement,
    queue,
    dueAt,
    startsAt,
    waiting,
    verdict: verdictOf(allocation, foresight, row),
    victims: row?.victims ?? 0,
    reason: row?.reason ?? null,
    needsApproval: row?.needsApproval ?? false,
    checkedAt: foresight?.checkedAt ?? null,
    fault: foresight?.fault ?? null,
  };
}

/**
 * What the run of a clock would do to an allocation. Only the first victims of an application are named, and only so many applications are
 * kept: what is not named is not known to stay.
 *
 * @param foresight null: nothing was planned for this clock.
 * @param application undefined: none of its application is foreseen, or it is not among those that are kept.
 */
export function verdictOf(
  allocation: string,
  foresight: Pick<ClockForesight, 'moreApplications'> | null,
  application: ForeseenApplication | undefined,
): ForeseenRun['verdict'] {
  if (foresight === null) return 'unknown';
  if (application?.allocations.includes(allocation)) return 'evicted';
  const isAllNamed = application
    ? application.allocations.length >= application.victims
    : foresight.moreApplications === 0;
  return isAllNamed ? 'stays' : 'unknown';
}
