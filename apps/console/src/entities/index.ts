import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ReplayRequest } from '#contracts/api';

/** A time, in milliseconds. */
const milliseconds = { type: 'timestamptz', precision: 3 } as const;

/** A setting of a queue that an operator has set at runtime: it takes the place of the setting of the same queue in the configuration. */
@Entity('setting_overrides')
export class SettingOverride {
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') queue: string;
  @PrimaryColumn('text') setting: string;
  @Column('jsonb') value: unknown;
  @Column('text') setBy: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('timestamptz') setAt: Date;
}

/** The answer of an owner to a coming eviction, by the owner's own id. */
@Entity('owner_answers')
export class OwnerAnswer {
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') allocation: string;
  @PrimaryColumn('text') answerId: string;
  /** The run that it is for; null: not for one run. */
  @Column('text', { nullable: true }) enforcement: string | null;
  /** As the event. */
  @Column('jsonb') data: unknown;
  @Column('timestamptz') answeredAt: Date;
}

/** Links for the owner of an allocation that were made before this no longer work. */
@Entity('revoked_links')
export class RevokedLink {
  @PrimaryColumn('text') partition: string;
  @PrimaryColumn('text') allocation: string;
  @Column('timestamptz') revokedAt: Date;
  @Column('text') revokedBy: string;
}

/** Something that is announced to the webhook while it lasts. */
@Entity('webhook_conditions')
export class WebhookCondition {
  @PrimaryColumn('text', { collation: 'C' }) type: string;
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  /** A run; empty: the partition. */
  @PrimaryColumn('text', { collation: 'C' }) subject: string;
  @Column(milliseconds) since: Date;
  /** When the last message about it was made; null: none was yet. */
  @Column({ ...milliseconds, nullable: true }) announcedAt: Date | null;
  @Column('integer', { default: 0 }) announcements: number;
}

/** A message to the webhook. One that is pending is due at `nextAt`; while it is sent, that is when its sender is late. */
@Entity('webhook_messages')
export class QueuedMessage {
  @PrimaryColumn('text', { collation: 'C' }) id: string;
  @Column('text') type: string;
  @Column('text') body: string;
  @Column('text', { default: 'pending' }) state: 'pending' | 'delivered' | 'dead';
  @Column('integer', { default: 0 }) attempts: number;
  @Column(milliseconds) createdAt: Date;
  @Column({ ...milliseconds, nullable: true }) nextAt: Date | null;
  @Column({ ...milliseconds, nullable: true }) endedAt: Date | null;
  @Column('text', { nullable: true }) lastError: string | null;
}

/** A replay of the log. */
@Entity('replays')
export class Replay {
  @PrimaryColumn('text') id: string;
  @Column('text') into: string;
  @Column('json') request: ReplayRequest;
  @Column('text') state: 'running' | 'stopped' | 'failed' | 'done';
  @Column('text') startedBy: string;
  @Column('text') host: string;
  /** Counts takeovers; a process with an older number must stop. */
  @Column('integer') attempt: number;
  @Column('boolean', { default: false }) stopWanted: boolean;
  /** With `position` the place in the log up to which it has come. */
  @Column('xid8' as 'text', { default: '0' }) transactionId: string;
  @Column('bigint', { default: '0' }) position: string;
  @Column('bigint', { default: '0' }) done: string;
  @Column('bigint') total: string;
  @Column('json', { nullable: true }) result: unknown;
  @Column('text', { nullable: true }) message: string | null;
  @Column({ ...milliseconds, default: () => 'now()' }) startedAt: Date;
  @Column({ ...milliseconds, default: () => 'now()' }) updatedAt: Date;
  @Column({ ...milliseconds, nullable: true }) endedAt: Date | null;
}
