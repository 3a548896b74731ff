import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { ShadowDifference, ShadowReplay } from '#contracts/api';
import type { PlanOfLog } from '#replay';
import { ARCHIVE_PLACE, type ArchivePlace } from '../../archive/archive.module.js';
import { type Remake, RemakeInThread } from '../remake/remake-in-thread.js';
import { countPlans, overPlans, type PackedInput, replan } from '../remake/replanned.js';
import { settingsOf } from '../work/replay-request.js';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';
import { differenceOf, freed, plus } from './difference.js';

const differencesListed = 1000;
const notKeptListed = 100;

/**
 * Plans each recorded run again from its recorded input, with other settings laid over the recorded ones, each policy with its own,
 * and reports the differences. Hypothetical only: nothing here can evict.
 */
@Injectable()
export class ReplayShadows implements ReplayWork {
  readonly unit = 'plans';
  readonly count = countPlans;

  constructor(
    @Inject(ARCHIVE_PLACE) private readonly archives: ArchivePlace,
    private readonly remakes: RemakeInThread,
  ) {}

  private readonly remake: Remake = (question) => this.remakes.replay(question);

  async run(db: DataSource, context: ReplayContext): Promise<ShadowReplay> {
    const settings = context.request.settings ?? {};
    const found = (context.result as ShadowReplay | null) ?? nothingYet(settings);
    await overPlans(
      db,
      context,
      found,
      (recorded, packed) => this.compare(db, recorded, packed, found),
      this.archives.folder,
    );
    return found;
  }

  private async compare(
    db: DataSource,
    recorded: PlanOfLog,
    packed: PackedInput,
    found: ShadowReplay,
  ): Promise<void> {
    found.plans++;
    const { enforcement, queue, plan } = recorded;
    const given = settingsOf(plan.policy, found.settings);
    if (Object.keys(given).length === 0) {
      found.notConcerned = (found.notConcerned ?? 0) + 1;
      found.same++;
      add(found.recorded, plan);
      add(found.shadow, plan);
      return;
    }
    const made = await replan(
      db,
      { ...recorded, settings: { ...recorded.settings, ...given } },
      packed,
      this.remake,
    );
    if (made === 'not kept') {
      found.notKept.count++;
      if (found.notKept.first.length < notKeptListed) found.notKept.first.push(enforcement);
      return;
    }
    const shadow = 'plan' in made ? made.plan : { ...plan, victims: [] };
    const difference = differenceOf({ enforcement, queue }, plan, shadow);
    if ('because' in made) {
      const none =
        difference ?? differenceOf({ enforcement, queue }, plan, { ...shadow, outcome: 'skipped' })!;
      this.note(found, { ...none, shadowOutcome: null, because: made.because });
    } else if (difference) this.note(found, difference);
    else found.same++;
    add(found.recorded, plan);
    add(found.shadow, shadow);
  }

  private note(found: ShadowReplay, difference: ShadowDifference): void {
    found.differ++;
    found.added += difference.added;
    found.removed += difference.removed;
    if (found.different.length < differencesListed) found.different.push(difference);
  }
}

function add(sum: ShadowReplay['shadow'], plan: Parameters<typeof freed>[0]): void {
  sum.victims += plan.victims.length;
  sum.freed = plus(sum.freed, freed(plan));
}

function nothingYet(settings: Record<string, unknown>): ShadowReplay {
  return {
    settings,
    plans: 0,
    same: 0,
    differ: 0,
    different: [],
    notKept: { count: 0, first: [] },
    recorded: { victims: 0, freed: {} },
    shadow: { victims: 0, freed: {} },
    added: 0,
    removed: 0,
  };
}
