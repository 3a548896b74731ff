import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Departure } from './departures.js';

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
