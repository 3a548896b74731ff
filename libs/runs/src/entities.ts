import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Whether the settings of a running planner or executor limit it to observe. */
@Entity('service_limits')
export class ServiceLimit {
  @PrimaryColumn('text') process: string;
  @PrimaryColumn('text') service: string;
  @Column('boolean') observesOnly: boolean;
  @Column('timestamptz') validUntil: Date;
}
