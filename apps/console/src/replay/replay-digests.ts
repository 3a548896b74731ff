import { InputError } from '@curtail/contracts';
import { DamagedSnapshot, digestOfPlan, readSnapshotBody } from '@curtail/event-store';
import { plan, readSnapshot } from '@curtail/planning';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface ReplayRange {
  /** RFC 3339; plans recorded from this moment on. */
  from?: string;
  /** RFC 3339; plans recorded before this moment. */
  to?: string;
}

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
  different: Difference[];
  /** Plans whose input is no longer kept: nothing can be said of them. */
  notKept: number;
}

interface PlanRow {
  position: string;
  data: {
    enforcement: string;
    queue: string;
    snapshotDigest: string;
    planDigest: string;
    trigger: unknown;
    settings: unknown;
  };
}

const pageSize = 100;
const differencesListed = 1000;

/**
 * Makes every recorded plan again from its recorded input, and compares the digests. It reads the log and the snapshots,
 * and has nothing that could change anything.
 */
@Injectable()
export class ReplayDigests {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async count({ from, to }: ReplayRange): Promise<number> {
    const rows: { count: number }[] = await this.db.query(
      `SELECT count(*)::int AS count FROM events WHERE ${wanted}`,
      [from ?? null, to ?? null],
    );
    return rows[0]?.count ?? 0;
  }

  /** @param onProgress told how many plans are done. */
  async run(range: ReplayRange, onProgress: (done: number) => void): Promise<DigestReplay> {
    const result: DigestReplay = { plans: 0, same: 0, different: [], notKept: 0 };
    let after = '0';
    for (;;) {
      const page: PlanRow[] = await this.db.query(
        `SELECT position::text, data FROM events WHERE ${wanted} AND position > $3 ORDER BY events.position LIMIT $4`,
        [range.from ?? null, range.to ?? null, after, pageSize],
      );
      if (page.length === 0) return result;
      for (const row of page) await this.compare(row, result);
      after = page.at(-1)!.position;
      onProgress(result.plans);
    }
  }

  private async compare({ data }: PlanRow, result: DigestReplay): Promise<void> {
    result.plans++;
    const { enforcement, queue, planDigest: recorded } = data;
    const outcome = await this.replay(data);
    if (outcome === undefined) result.notKept++;
    else if (outcome.replayed === recorded) result.same++;
    else if (result.different.length < differencesListed) {
      result.different.push({ enforcement, queue, recorded, ...outcome });
    }
  }

  /** @returns the digest of the plan, or why there is none; undefined if its input is no longer kept. */
  private async replay(data: PlanRow['data']): Promise<Pick<Difference, 'replayed' | 'because'> | undefined> {
    try {
      const snapshot = await readSnapshotBody(this.db, data.snapshotDigest);
      if (snapshot === undefined) return undefined;
      return { replayed: digestOfPlan(plan(readSnapshot(snapshot), data.trigger, data.settings)) };
    } catch (error) {
      if (!(error instanceof DamagedSnapshot || error instanceof InputError)) throw error;
      return { replayed: null, because: error.message };
    }
  }
}

const wanted = `type = 'io.curtail.plan.computed.v1' AND ($1::timestamptz IS NULL OR time >= $1)
  AND ($2::timestamptz IS NULL OR time < $2)`;
