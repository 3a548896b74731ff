import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event that a consumer could not handle, put aside. */
@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('text') consumer: string;
  @PrimaryColumn('uuid') eventId: string;
  @Column('text') topic: string;
  @Column('text') key: string;
  @Column('text') type: string;
  @Column('text') reason: string;
  @Column('timestamptz', { default: () => 'now()' }) parkedAt: Date;
  @Column('text', { nullable: true }) field: string | null;
  /** Who sent it. */
  @Column('text', { nullable: true }) source: string | null;
  /** Where it stood. */
  @Column('text', { nullable: true }) origin: string | null;
  /** How often it was put aside. */
  @Column('integer', { default: 1 }) attempts: number;
  /** When another try was requested. */
  @Column('timestamptz', { nullable: true }) retryAskedAt: Date | null;
  @Column('text', { nullable: true }) retryBy: string | null;
  /** When it is handled again from the log without a request. Null: never, as for messages from outside, and for events during which processes ended. */
  @Column('timestamptz', { nullable: true }) retryAt: Date | null;
}
