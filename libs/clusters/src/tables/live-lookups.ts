import type { SnapshotAllocation } from '#contracts';
import { Batcher } from '#event-store';
import type { LiveApplication, LiveNode, QueueUsage } from '../driver.js';
import {
  type AllocationRow,
  type ApplicationRow,
  type NodeRow,
  toAllocations,
  toApplication,
  toNode,
} from './rows.js';
import { sumOfUsage, type UsagePart, type UsageRow } from './usage-rows.js';

interface Place {
  partition: string;
  id: string;
}

interface WantedUsage {
  partition: string;
  queues: string[];
}

/** Queries of a cluster kept in tables; each reads many things with one statement. */
export interface LiveQueries {
  /** Those of the given allocations that exist, in any order. */
  allocations(partitions: string[], ids: string[]): Promise<(AllocationRow & { partition: string })[]>;
  /** Of each queue in the partition at the same place. */
  usage(partitions: string[], queues: string[]): Promise<(UsageRow & { partition: string })[]>;
  /** None or one. */
  application(partition: string, id: string): Promise<(ApplicationRow & { parts: UsagePart[] })[]>;
  /** None or one. */
  node(partition: string, id: string): Promise<(NodeRow & { parts: UsagePart[] })[]>;
}

/** Reads the current state before each kill; concurrent runs share statements. */
export class LiveLookups {
  private readonly allocations: Batcher<Place, SnapshotAllocation | undefined>;
  private readonly usages: Batcher<WantedUsage, Map<string, QueueUsage>>;

  constructor(private readonly queries: LiveQueries) {
    this.allocations = new Batcher((places) => this.allocationsAt(places));
    this.usages = new Batcher((wanted) => this.usageOf(wanted));
  }

  allocation(partition: string, id: string): Promise<SnapshotAllocation | undefined> {
    return this.allocations.ask({ partition, id });
  }

  usage(partition: string, queues: string[]): Promise<Map<string, QueueUsage>> {
    return queues.length === 0 ? Promise.resolve(new Map()) : this.usages.ask({ partition, queues });
  }

  async application(partition: string, id: string): Promise<LiveApplication | undefined> {
    const [row] = await this.queries.application(partition, id);
    return row && { application: toApplication(row), ...sumOfUsage(row.parts) };
  }

  async node(partition: string, id: string): Promise<LiveNode | undefined> {
    const [row] = await this.queries.node(partition, id);
    return row && { node: toNode(row), ...sumOfUsage(row.parts) };
  }

  private async allocationsAt(places: Place[]): Promise<(SnapshotAllocation | undefined)[]> {
    const rows = await this.queries.allocations(
      places.map(({ partition }) => partition),
      places.map(({ id }) => id),
    );
    const found = new Map(toAllocations(rows).map((allocation, i) => [keyOf(rows[i]!), allocation]));
    return places.map((place) => found.get(keyOf(place)));
  }

  private async usageOf(wanted: WantedUsage[]): Promise<Map<string, QueueUsage>[]> {
    const places = new Map<string, { partition: string; queue: string; parts: UsagePart[] }>();
    for (const { partition, queues } of wanted)
      for (const queue of queues)
        places.set(keyOf({ partition, id: queue }), { partition, queue, parts: [] });
    const of = [...places.values()];
    const rows = await this.queries.usage(
      of.map(({ partition }) => partition),
      of.map(({ queue }) => queue),
    );
    for (const row of rows) places.get(keyOf({ partition: row.partition, id: row.queue }))?.parts.push(row);
    const found = new Map([...places].map(([key, { parts }]) => [key, sumOfUsage(parts)]));
    return wanted.map(
      ({ partition, queues }) =>
        new Map(queues.map((queue) => [queue, found.get(keyOf({ partition, id: queue }))!] as const)),
    );
  }
}

const keyOf = ({ partition, id }: Place) => JSON.stringify([partition, id]);
