import { digestOfPlan } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { ARCHIVE_PLACE, type ArchivePlace } from '../../archive/archive-place.js';
import { countPlans, overPlans, type PackedInput, type RecordedPlan, replan } from '../replanned.js';
import type { ReplayContext, ReplayWork } from '../replay-work.js';

export interface Difference {
  enforcement: string;
  queue: string;
  recorded: string;
  /** Null if no plan came out; `because` says why. */
  replayed: string | null;
  because?: string;
}

export interface DigestReplay {
  plans: number;
  same: number;
  /** The first thousand of them; `plans` without `same` and `notKept` is how many there are. */
  different: Difference[];
  /** Plans whose input is no longer kept: nothing can be said of them. */
  notKept: number;
}

const differencesListed = 1000;

/** Makes every recorded plan again from its recorded input, and compares the digests. */
@Injectable()
export class ReplayDigests implements ReplayWork {
  readonly unit = 'plans';
  readonly count = countPlans;

  constructor(@Inject(ARCHIVE_PLACE) private readonly archives: ArchivePlace) {}

  async run(db: DataSource, context: ReplayContext): Promise<DigestReplay> {
    const found = (context.result as DigestReplay | null) ?? { plans: 0, same: 0, different: [], notKept: 0 };
    const compare = async (recorded: RecordedPlan, packed: PackedInput) => {
      const difference = await this.compare(db, recorded, packed);
      found.plans++;
      if (difference === 'same') found.same++;
      else if (difference === 'not kept') found.notKept++;
      else if (found.different.length < differencesListed) found.different.push(difference);
    };
    await overPlans(db, context, found, compare, this.archives.folder);
    return found;
  }

  private async compare(
    db: DataSource,
    recorded: RecordedPlan,
    packed: PackedInput,
  ): Promise<'same' | 'not kept' | Difference> {
    const made = await replan(db, recorded, packed);
    if (made === 'not kept') return made;
    const { enforcement, queue, planDigest } = recorded;
    const difference = { enforcement, queue, recorded: planDigest };
    if ('because' in made) return { ...difference, replayed: null, because: made.because };
    const replayed = digestOfPlan(made.plan);
    return replayed === planDigest ? 'same' : { ...difference, replayed };
  }
}
