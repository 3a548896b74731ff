import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListPage, RoundsView } from '#contracts/api';
import { roundPolicies } from '#rounds';
import { READER_DATABASE } from '#runtime';
import type { QueryOf } from './list-query.js';
import { roundsOf } from './partition-statements.js';

const mostExempt = 100;

@Injectable()
export class Rounds {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  async list({ partition, policy }: QueryOf<'rounds'>): Promise<ListPage<RoundsView>> {
    const rows = await roundsOf(this.db, partition, policy ?? null);
    const items = await Promise.all(
      rows.map(async (row) => {
        const exempt = await roundPolicies.find(row.policy)?.exemptNow?.(this.db, partition, mostExempt);
        return { ...row, exempt: exempt ?? [] };
      }),
    );
    return { items };
  }
}
