import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { type PlaceOfRight, PlacesKnown } from '#platform';
import { READER_DATABASE } from '#runtime';
import { oneRun, runsNaming } from '../queries/run-statements.js';

/** Where runs and allocations are, for rights that are limited to some queues. */
@Injectable()
export class PlacesOfRuns extends PlacesKnown {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {
    super();
  }

  async run(enforcement: string): Promise<PlaceOfRight | undefined> {
    const [run] = await oneRun(this.db, enforcement);
    return run && { partition: run.partition, queue: run.queue };
  }

  /** One that is gone has the queue of the run that chose it last; its owner is known once a run has chosen it. */
  async allocation(
    partition: string,
    id: string,
  ): Promise<(PlaceOfRight & { owner?: string | undefined }) | undefined> {
    const [live, [chosen]] = await Promise.all([
      this.cluster.allocation(partition, id),
      runsNaming(this.db, partition, id),
    ]);
    const queue = live?.queue ?? chosen?.queue;
    return queue === undefined ? undefined : { partition, queue, owner: chosen?.owner ?? undefined };
  }
}
