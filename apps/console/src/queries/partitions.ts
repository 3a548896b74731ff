import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { unknownPartition } from '#clusters';
import { nodeLabelsField } from '#contracts';
import type { ListPage, PartitionView } from '#contracts/api';
import type { Mode } from '#enforcement';
import { READER_DATABASE } from '#runtime';
import { Modes } from '../modes/modes.js';
import type { QueryOf } from './list-query.js';
import { partitionRows } from './partition-statements.js';

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
    const rows = await partitionRows(this.db, which, value, limit);
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
