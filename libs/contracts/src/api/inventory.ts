import type { Notice } from '../planning/plan.js';

/** A whole listing that waits for a second one, or for an operator. */
export interface HeldListing {
  sequence: number;
  since: string;
  /** Running allocations that it would remove, and how many there were. */
  drops: number;
  of: number;
  /** The queues that would lose most, by what they have now; ten at most. */
  queues: { queue: string; drops: number }[];
}

/** Something that an operator should know of the reports of a partition. Times are RFC 3339. */
export interface InventoryNotice extends Notice {
  remedy: string;
  since: string | null;
  /** How many reports or listings it concerns. */
  count: number | null;
  source: string | null;
}

export interface PartitionStatus {
  partition: string;
  /** Whether plans are made and work is evicted by what is known of it. */
  known: boolean;
  source: string | null;
  /** By the clock of the sender. */
  heardAt: string | null;
  listedAt: string | null;
  listedSequence: number;
  newestSequence: number;
  held: HeldListing | null;
  /** Those that make it unknown first. */
  notices: InventoryNotice[];
}

export interface InventoryStatus {
  items: PartitionStatus[];
  /** Kafka partitions with reports that are not applied yet. */
  unread: { place: string; reports: number }[];
}
