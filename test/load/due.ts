import { seconds } from '../../bench/measure.js';
import { count, report } from '../../bench/report.js';
import { rowsOfPlan, type TimedPlan, timePlan } from '../../bench/service/due.js';
import type { Three } from '../../scripts/infra/index.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { startSystem } from './system.js';

/** From due to the recorded plan as `npm run bench -- due` measures it, through all services and Kafka; evictions wait for an approval. */
export async function benchDistributedDue(three: Three, { rounds, planned }: Scale): Promise<void> {
  const plans: TimedPlan[] = [];
  for (let round = 1; round <= rounds; round++) {
    const system = await startSystem(three, { environment: { CURTAIL_APPROVE_ABOVE_VICTIMS: '1' } });
    plans.push(await timePlan(system, planned).finally(() => system.stop()));
    progress(`due: round ${round} of ${rounds}: ${seconds(plans.at(-1)!.toPlan)}`);
  }
  const [best] = plans.toSorted((a, b) => a.toPlan - b.toPlan);
  report(
    `Due to the recorded plan, ${count(planned)} allocations, best of ${rounds} rounds`,
    rowsOfPlan(best!, 1300),
  );
}
