import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NODE_LABELS_OF, unknownPartition } from '#clusters';
import { nodeLabelsField } from '#contracts';
import type { ListPage, PartitionView } from '#contracts/api';
import type { Mode } from '#enforcement';
import { HELD_PARTITIONS, MODE_OF, SET_STOPS_OF } from '#holds';
import { READER_DATABASE } from '#runtime';
import { Modes } from '../modes/modes.js';
import type { QueryOf } from './list-query.js';

/** Partitions with a configuration, a mode or a stop of their own, by name. */
@Injectable()
export class Partitions {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly modes: Modes,
  ) {}

  async list({ after, limit }: QueryOf<'partitions'>): Promise<ListPage<PartitionView>> {
    const rows = await this.rows('($1::text IS NULL OR partition > $1)', after ?? null, limit + 1);
    const items = rows.slice(0, limit);
    return rows.length > limit ? { items, next: items.at(-1)!.partition } : { items };
  }

  /** @throws ProblemException 404 if there is no such partition. */
  async one(partition: string): Promise<PartitionView> {
    const [view] = await this.rows('partition = $1', partition, 1);
    if (view) return view;
    throw await unknownPartition(this.db, partition);
  }

  /** @param which SQL; $1 is `value`. */
  private async rows(which: string, value: string | null, limit: number): Promise<PartitionView[]> {
    const observing = await this.modes.observing();
    const rows = await this.db.query<
      (Omit<PartitionView, 'mode' | 'nodeLabels'> & { mode: Mode | null; nodeLabels: string[] | null })[]
    >(
      `WITH known AS (
         SELECT partition FROM partitions UNION ${HELD_PARTITIONS})
       SELECT partition, set.mode, set.mode IS NULL AS "modeIsDefault", p.quota_preemption_enabled AS "quotaPreemptionEnabled",
              ${NODE_LABELS_OF('known.partition')} AS "nodeLabels",
              ARRAY(SELECT json_object_keys(coalesce(p.policies::json, '{}')) ORDER BY 1) AS policies,
              (SELECT count(*)::int FROM queues q WHERE q.partition = known.partition) AS queues,
              p.version, p.applied_at AS "appliedAt",
              ${SET_STOPS_OF('known.partition')} AS stops
       FROM known LEFT JOIN partitions p USING (partition), LATERAL (SELECT ${MODE_OF('known.partition')} AS mode) AS set
       WHERE ${which} ORDER BY partition LIMIT $2`,
      [value, limit],
    );
    return rows.map(({ nodeLabels, ...row }) => ({
      ...row,
      ...nodeLabelsField(nodeLabels ?? []),
      ...this.shown(row.mode, observing),
    }));
  }

  private shown(stored: Mode | null, observing: string[]): Pick<PartitionView, 'mode' | 'limited'> {
    const { mode, because } = this.modes.inForce(stored, observing);
    return because === 'limit' ? { mode, limited: { by: observing, set: stored } } : { mode };
  }
}
