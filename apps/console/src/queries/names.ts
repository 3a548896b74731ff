import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import type { NamedKind } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { type Beginning, namesLike, victimsLike } from './partition-statements.js';

/** The names that begin alike, in their order: for those who do not write them out. */
@Injectable()
export class Names {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  async like(kind: NamedKind, beginning: Beginning): Promise<string[]> {
    if (kind === 'allocation') return this.allocations(beginning);
    const rows = await namesLike(this.db, kind, beginning);
    return rows.map(({ name }) => name);
  }

  /** Those in the cluster, and those that runs chose. */
  private async allocations(beginning: Beginning): Promise<string[]> {
    const { partition, prefix, limit } = beginning;
    const [own, following, chosen] = await Promise.all([
      this.cluster.allocation(partition, prefix),
      this.cluster.allocations({ partition, after: prefix, limit }),
      victimsLike(this.db, beginning),
    ]);
    const running = following.map(({ id }) => id).filter((id) => id.startsWith(prefix));
    return [...new Set([...(own ? [prefix] : []), ...running, ...chosen.map(({ name }) => name)])]
      .sort()
      .slice(0, limit);
  }
}
