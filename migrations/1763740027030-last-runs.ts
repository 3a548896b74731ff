import type { MigrationInterface, QueryRunner } from 'typeorm';
import { catalog } from '#contracts/events';

/**
 * How the last run of each queue at rest ended: the reconciler needs it as the reason why a queue stays above its quota, and states
 * of earlier releases do not hold it.
 */
export class LastRuns1763740027030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE schedules s
       SET state = (s.state::jsonb || jsonb_build_object('lastRun', jsonb_build_object(
             'enforcement', last.data ->> 'enforcement',
             'outcome', CASE last.type WHEN $1 THEN last.data ->> 'outcome' ELSE 'cancelled' END,
             'shortfall', coalesce(last.data -> 'shortfall', '{}'),
             'values', s.state::jsonb -> 'values')))::json
       FROM schedules q
       CROSS JOIN LATERAL (
         SELECT e.type, e.data::jsonb AS data FROM events e
         WHERE e.partition = q.partition AND e.key = q.queue
           AND (e.type = $1 AND e.data ->> 'policy' IS NULL OR e.type = $2 AND e.data ->> 'cause' = 'operator')
         ORDER BY e.position DESC LIMIT 1) last
       WHERE s.partition = q.partition AND s.queue = q.queue AND s.running_enforcement IS NULL
         AND s.state -> 'pending' IS NULL AND s.state -> 'lastRun' IS NULL`,
      [catalog.EnforcementEnded.type, catalog.EnforcementCancelled.type],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("UPDATE schedules SET state = (state::jsonb - 'lastRun')::json");
  }
}
