import { Column, Entity, PrimaryColumn } from 'typeorm';

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
