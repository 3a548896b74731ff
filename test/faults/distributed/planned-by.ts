import type { Ground } from './servers.js';
import type { Stage } from './stage.js';

/** A plan, and the process that has put it on record: `planner-2`. */
export interface Planned {
  enforcement: string;
  queue: string;
  planner: string;
}

/** Has the database note, in the transaction of each plan, which process has written it. */
export async function watchPlanners(stage: Stage<Ground>): Promise<void> {
  await stage.ask(`
    CREATE TABLE test_planned (
      nr bigint GENERATED ALWAYS AS IDENTITY, enforcement text NOT NULL, queue text NOT NULL, planner text NOT NULL);
    CREATE FUNCTION test_note_planner() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO test_planned (enforcement, queue, planner)
        VALUES (NEW.data ->> 'enforcement', NEW.key, current_setting('application_name'));
        RETURN NULL;
      END $$;
    CREATE TRIGGER test_note_planner AFTER INSERT ON events FOR EACH ROW
      WHEN (NEW.type = 'io.curtail.plan.computed.v1') EXECUTE FUNCTION test_note_planner()`);
}

/** From the nth plan on. */
export function plannedFrom(stage: Stage<Ground>, nr: number): Promise<Planned[]> {
  return stage.ask(`SELECT enforcement, queue, planner FROM test_planned WHERE nr > ${nr} ORDER BY nr`);
}

export async function lastPlan(stage: Stage<Ground>): Promise<number> {
  const [row] = await stage.ask<{ nr: number }>('SELECT coalesce(max(nr), 0)::int AS nr FROM test_planned');
  return row?.nr ?? 0;
}

/** Each of these has planned something since the nth plan. */
export async function haveAllPlanned(stage: Stage<Ground>, planners: string[], nr: number): Promise<void> {
  await stage.until(
    `${planners.join(', ')} have planned`,
    `SELECT count(DISTINCT planner) = ${planners.length} FROM test_planned
     WHERE nr > ${nr} AND planner IN (${planners.map((name) => `'${name}'`).join(', ')})`,
  );
}
