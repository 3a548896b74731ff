import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FreezeWindow } from '#contracts';
import type { Mode } from '#enforcement';

/** A stop of an operator. */
@Entity('kill_switches')
export class KillSwitch {
  @PrimaryColumn('text') partition: string;
  /** Empty: the whole partition. */
  @PrimaryColumn('text') queue: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('text') setBy: string;
  @Column('timestamptz') setAt: Date;
}

/** The mode that was set for a partition. What counts is decided by `modeInForce`. */
@Entity('partition_modes')
export class PartitionMode {
  @PrimaryColumn('text') partition: string;
  @Column('text') mode: Mode;
}

/** A freeze, of an operator or of the configuration in force. */
@Entity('freezes')
export class FreezeRow {
  @PrimaryColumn('text') id: string;
  @Column('text') partition: string;
  /** Empty: the whole partition. */
  @Column('text') queue: string;
  @Column('jsonb') period: FreezeWindow;
  @Column('text') setBy: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('timestamptz') setAt: Date;
  /** The configuration in force sets it, and not an operator. */
  @Column('boolean', { default: false }) configured: boolean;
}

/** A decision of an operator about all runs that one version of a configuration causes. */
@Entity('configuration_decisions')
export class ConfigurationDecision {
  @PrimaryColumn('text') partition: string;
  /** The version. */
  @PrimaryColumn('integer') configuration: number;
  @Column('boolean') approved: boolean;
  @Column('text') decidedBy: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('timestamptz') decidedAt: Date;
  /** The end of an approval; null: a rejection, which does not end. */
  @Column('timestamptz', { nullable: true }) until: Date | null;
}
