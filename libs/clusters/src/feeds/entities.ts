import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sender of reports or configurations over Kafka. */
@Entity('feeds')
export class Feed {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @PrimaryColumn('text', { collation: 'C' }) kind: string;
  @PrimaryColumn('text', { collation: 'C' }) source: string;
  @Column('bigint') messages: string;
  /** With `submission` and `sentAt` of the last message, by the sender's clock. */
  @Column('bigint', { nullable: true }) sequence: string | null;
  @Column('text', { nullable: true }) submission: string | null;
  @Column({ type: 'timestamptz', precision: 3 }) sentAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) receivedAt: Date;
  /** Counts by reason. */
  @Column('jsonb', { default: {} }) ignored: Record<string, number>;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) ignoredAt: Date | null;
}
