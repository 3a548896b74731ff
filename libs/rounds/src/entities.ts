import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Departure } from './intra-queue/departures.js';

/** A notification of an owner, before the kill. */
@Entity('victim_notes')
export class VictimNote {
  @PrimaryColumn('text') policy: string;
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') allocation: string;
  @Column('text', { nullable: true }) uid: string | null;
  @Column('text') application: string;
  @Column({ type: 'text', collation: 'C' }) queue: string;
  @Column({ type: 'timestamptz', precision: 3 }) notifiedAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) killAt: Date;
  @Column('bigint') round: string;
  /** The run. */
  @Column('text') notifiedBy: string;
  @Column('boolean', { default: false }) approved: boolean;
}

/** When an application last lost an allocation to a round of its queue. */
@Entity('preempted_applications')
export class PreemptedApplication {
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') application: string;
  @Column({ type: 'timestamptz', precision: 3 }) lastPreemptedAt: Date;
}

/** The departures of a partition as of the last round that was settled. */
@Entity('departures')
export class Departures {
  @PrimaryColumn('text') partition: string;
  @Column('json') allocations: readonly Departure[];
}

/** Work that rounds of fair-share do not select for a while. */
@Entity('exempt_work')
export class ExemptThing {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @PrimaryColumn('text') kind: 'application' | 'allocation';
  @PrimaryColumn('text', { collation: 'C' }) name: string;
  @Column({ type: 'timestamptz', precision: 3 }) until: Date;
}

/** What the last round of fair-share found in a partition. */
@Entity('fair_share_views')
export class FairShareView {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @Column('bigint') round: string;
  @Column({ type: 'timestamptz', precision: 3 }) takenAt: Date;
  /** A list of `ShownElement`. */
  @Column('json') statuses: object;
}

/** The last observation of a partition by fair-share; one from before it is refused. */
@Entity('starvation_observations')
export class StarvationObservation {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @Column({ type: 'timestamptz', precision: 3 }) observedAt: Date;
}
