import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { FreezeView } from '#contracts/api';
import { controlStream, databaseTime } from '#event-store';
import {
  dropFreezes,
  type Freeze,
  freezesIn,
  type GivenWindow,
  instantOf,
  intervalAt,
  mostFreezes,
  nextInterval,
  readWindow,
  saveFreeze,
} from '#holds';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { recordCommand } from '../commands/record-command.js';

export interface FreezeRequest extends GivenWindow {
  partition: string;
  queue: string | undefined;
  by: string;
  reason: string | undefined;
}

/** The freezes of operators. Each is one event and its row, in one transaction; timer, planner and executor read the rows. */
@Injectable()
export class Freezes {
  constructor(@Inject(OPERATOR_DATABASE) private readonly db: DataSource) {}

  /** @throws InputError for a window that is none; ProblemException 409 if the partition has too many. */
  async set({ partition, queue: path, by, reason, ...given }: FreezeRequest): Promise<FreezeView> {
    const window = readWindow(given, (await databaseTime(this.db)).getTime());
    const freeze = `f-${randomBytes(6).toString('hex')}`;
    const queue = path ?? null;
    await recordCommand(this.db, { ...placeOf(partition), key: path ?? partition }, async (tx) => {
      if (!(await saveFreeze(tx, { freeze, partition, queue, window, by, reason }))) throw tooMany(partition);
      return {
        event: {
          name: 'FreezeSet',
          data: { partition, queue, freeze, window, by, ...(reason ? { reason } : {}) },
        },
        answer: undefined,
      };
    });
    return (await this.list(partition)).find((item) => item.freeze === freeze)!;
  }

  /**
   * Clears one freeze, those of a queue, or all of a partition; not those of the configuration.
   *
   * @returns the ids of those that were cleared, and of those that the configuration keeps.
   * @throws ProblemException 409 if the one named is of the configuration.
   */
  async clear(which: {
    partition: string;
    queue: string | undefined;
    freeze: string | undefined;
    by: string;
  }): Promise<{ cleared: string[]; kept: string[] }> {
    const ofConfiguration = (await this.list(which.partition)).filter(
      ({ freeze, queue, source }) =>
        source === 'configuration' && (which.freeze ?? freeze) === freeze && (which.queue ?? queue) === queue,
    );
    if (which.freeze !== undefined && ofConfiguration[0]) throw configured(ofConfiguration[0]);
    const { partition, queue, by } = which;
    return recordCommand(this.db, { ...placeOf(partition), key: queue ?? partition }, async (tx) => {
      const freezes = await dropFreezes(tx, which);
      const answer = {
        cleared: freezes.map(({ freeze }) => freeze),
        kept: ofConfiguration.map(({ freeze }) => freeze),
      };
      if (freezes.length === 0) return { event: undefined, answer };
      return { event: { name: 'FreezeCleared', data: { partition, freezes, by } }, answer };
    });
  }

  /**
   * By partition, queue and time of the next window.
   *
   * @param partition undefined: all.
   * @param db for answers that are not about freezes alone: they must not take the connections of commands.
   */
  async list(partition?: string, db: DataSource = this.db): Promise<FreezeView[]> {
    const rows = await freezesIn(db, partition);
    const now = (await databaseTime(db)).getTime();
    return rows.flatMap(({ partition: of, freezes }) =>
      freezes
        .map((freeze) => viewOf(of, freeze, now))
        .filter(({ from }) => from !== null)
        .sort(byQueueAndTime),
    );
  }
}

const placeOf = (partition: string) => ({ partition, stream: controlStream(partition) });

function viewOf(partition: string, freeze: Freeze, now: number): FreezeView {
  const { freeze: id, queue, window, by, reason = null, since } = freeze;
  const source = freeze.configured ? 'configuration' : 'operator';
  const current = intervalAt(freeze, now);
  const shown = current ?? nextInterval(freeze, now);
  return {
    freeze: id,
    partition,
    queue,
    inEffect: current !== undefined,
    from: shown ? instantOf(shown.from) : null,
    until: shown ? instantOf(shown.until) : null,
    recurs: 'rule' in window ? window : null,
    source,
    by,
    reason,
    since: new Date(since).toISOString(),
  };
}

const byQueueAndTime = (a: FreezeView, b: FreezeView): number =>
  (a.queue ?? '') < (b.queue ?? '')
    ? -1
    : (a.queue ?? '') > (b.queue ?? '')
      ? 1
      : (a.from ?? '') < (b.from ?? '')
        ? -1
        : 1;

function configured({ freeze, queue, partition }: FreezeView): ProblemException {
  const where = queue ?? 'root';
  return new ProblemException({
    code: 'freeze-of-configuration',
    title: 'The configuration sets this freeze',
    status: 409,
    detail: `Freeze ${freeze} is set by the configuration of partition ${partition}, in the properties of ${where}.`,
    remedy: `Change curtail.freeze of ${where} in the configuration, and apply it.`,
  });
}

function tooMany(partition: string): ProblemException {
  return new ProblemException({
    code: 'too-many-freezes',
    title: 'The partition has too many freezes',
    status: 409,
    detail: `Partition ${partition} has ${mostFreezes} freezes, and cannot have more.`,
    remedy: 'Clear some of them: curtail get freezes',
  });
}
