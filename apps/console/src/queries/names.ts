import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import type { NamedKind } from '#contracts/api';
import { READER_DATABASE } from '#runtime';

export interface Beginning {
  prefix: string;
  /** Of allocations and queues. */
  partition: string;
  limit: number;
}

/** The names that begin alike, in their order: for those who do not write them out. */
@Injectable()
export class Names {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  async like(kind: NamedKind, beginning: Beginning): Promise<string[]> {
    const { prefix, limit } = beginning;
    switch (kind) {
      case 'enforcement':
        return this.namesIn(
          'SELECT enforcement AS name FROM read_runs WHERE starts_with(enforcement, $1)',
          [prefix],
          limit,
        );
      case 'replay':
        return this.namesIn('SELECT id AS name FROM replays WHERE starts_with(id, $1)', [prefix], limit);
      case 'dead-letter':
        return this.namesIn(
          `SELECT name FROM (SELECT consumer || '/' || event_id::text AS name FROM dead_letters) letters WHERE starts_with(name, $1)`,
          [prefix.toLowerCase()],
          limit,
        );
      case 'queue':
        return this.namesIn(
          'SELECT path AS name FROM queues WHERE partition = $2 AND starts_with(path, $1)',
          [prefix.toLowerCase(), beginning.partition],
          limit,
        );
      case 'partition':
        return this.namesIn(
          'SELECT partition AS name FROM partitions WHERE starts_with(partition, $1)',
          [prefix.toLowerCase()],
          limit,
        );
      case 'allocation':
        return this.allocations(beginning);
    }
  }

  /** Those in the cluster, and those that runs chose. */
  private async allocations({ partition, prefix, limit }: Beginning): Promise<string[]> {
    const [own, following, chosen] = await Promise.all([
      this.cluster.allocation(partition, prefix),
      this.cluster.allocations({ partition, after: prefix, limit }),
      this.chosen(partition, prefix, limit),
    ]);
    const running = following.map(({ id }) => id).filter((id) => id.startsWith(prefix));
    return [...new Set([...(own ? [prefix] : []), ...running, ...chosen])].sort().slice(0, limit);
  }

  /** In the order of the index: the first of very many are read alone. */
  private async chosen(partition: string, prefix: string, limit: number): Promise<string[]> {
    const rows = await this.db.query<{ name: string }[]>(
      `SELECT DISTINCT ON (allocation) allocation AS name FROM read_victims
       WHERE partition = $1 AND starts_with(allocation, $2) ORDER BY allocation USING ~<~ LIMIT ${limit}`,
      [partition, prefix],
    );
    return rows.map(({ name }) => name);
  }

  private async namesIn(select: string, values: string[], limit: number): Promise<string[]> {
    const rows = await this.db.query<{ name: string }[]>(
      `SELECT DISTINCT name FROM (${select}) named ORDER BY name LIMIT ${limit}`,
      values,
    );
    return rows.map(({ name }) => name);
  }
}
