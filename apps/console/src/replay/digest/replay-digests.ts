import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { DigestReplay } from '#contracts/api';
import { addCompared, noneCompared } from '#replay';
import { ARCHIVE_PLACE, type ArchivePlace } from '../../archive/archive.module.js';
import { type Remake, RemakeInThread } from '../remake/remake-in-thread.js';
import { countPlans, overPlans, replan } from '../remake/replanned.js';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';

/** Recomputes each recorded plan from its recorded input, and compares the digests. */
@Injectable()
export class ReplayDigests implements ReplayWork {
  readonly unit = 'plans';
  readonly count = countPlans;

  constructor(
    @Inject(ARCHIVE_PLACE) private readonly archives: ArchivePlace,
    private readonly remakes: RemakeInThread,
  ) {}

  private readonly remake: Remake = (question) => this.remakes.replay(question);

  async run(db: DataSource, context: ReplayContext): Promise<DigestReplay> {
    const found = (context.result as DigestReplay | null) ?? noneCompared();
    await overPlans(
      db,
      context,
      found,
      async (recorded, packed) =>
        addCompared(found, recorded, await replan(db, recorded, packed, this.remake)),
      this.archives.folder,
    );
    return found;
  }
}
