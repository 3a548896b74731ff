import { coveringStop } from '@curtail/enforcement';
import { databaseTime } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from '../bell.js';
import { holdsOf, ScheduleSession, timerKind } from '../schedule-session.js';
import { TIMER_SETTINGS, type TimerSettings } from '../timer-settings.js';

/**
 * Brings timers, suspensions and leases of a partition in line with the clocks and with what may hold them. Each is written with
 * the clock, so a difference means that rows were lost or changed by hand, or that the end of a hold never arrived.
 */
@Injectable()
export class CheckClocks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(Bell) private readonly bell: Bell,
  ) {}

  /** @returns how many timers were written or removed. */
  async timers(partition: string): Promise<number> {
    const written: unknown[] = await this.db.query(
      `INSERT INTO timers AS known (kind, partition, name, generation, due_at, state)
       SELECT $2, s.partition, s.queue, (p.pending ->> 'generation')::int, (p.pending ->> 'dueAt')::timestamptz,
              CASE WHEN (p.pending ->> 'suspended')::boolean THEN 'suspended' ELSE 'pending' END
       FROM schedules s CROSS JOIN LATERAL (SELECT s.state -> 'pending' AS pending) p
       WHERE s.partition = $1 AND p.pending IS NOT NULL
       ON CONFLICT (kind, partition, name) DO UPDATE
         SET generation = excluded.generation, due_at = excluded.due_at, state = excluded.state
         WHERE known.generation < excluded.generation
       RETURNING 1`,
      [partition, timerKind],
    );
    const [, removed]: [unknown, number] = await this.db.query(
      `DELETE FROM timers t USING schedules s
       WHERE t.kind = $2 AND t.partition = $1 AND s.partition = t.partition AND s.queue = t.name
         AND s.state -> 'pending' IS NULL`,
      [partition, timerKind],
    );
    return written.length + removed;
  }

  /** Lets clocks go on that stand still although nothing holds them any more. @returns how many there were. */
  async suspensions(partition: string): Promise<number> {
    const suspended: { name: string }[] = await this.db.query(
      "SELECT name FROM timers WHERE kind = $2 AND partition = $1 AND state = 'suspended' LIMIT 10000",
      [partition, timerKind],
    );
    if (suspended.length === 0) return 0;
    const { resumed, rings } = await this.db.transaction(async (tx) => {
      const session = new ScheduleSession(tx, this.settings.leaseMs);
      const [, holds] = await Promise.all([
        session.load(suspended.map(({ name }) => ({ partition, queue: name }))),
        holdsOf(tx, [partition]),
      ]);
      const { enabled, stops } = holds.get(partition)!;
      const free = enabled ? suspended.filter(({ name }) => !coveringStop(name, stops)) : [];
      const at = (await databaseTime(tx)).toISOString();
      const going = free.filter(({ name }) =>
        session.state(partition, name).pending?.suspended
          ? session.decide(partition, name, { kind: 'turn-switch', at, on: true }).length > 0
          : false,
      );
      return { resumed: going.length, rings: await session.save() };
    });
    this.bell.arm(rings);
    return resumed;
  }

  /** A lock without a lease would never be given up. @returns how many there were. */
  async leases(partition: string): Promise<number> {
    const [, set]: [unknown, number] = await this.db.query(
      `UPDATE schedules SET lease_until = now() + make_interval(secs => $2)
       WHERE partition = $1 AND running_enforcement IS NOT NULL AND lease_until IS NULL`,
      [partition, this.settings.leaseMs / 1000],
    );
    return set;
  }
}
