import type { PendingPreview, Preview, QueuePreview } from '#api-client';
import type { Outcome, Plan, Victim } from '#contracts';

type Run = QueuePreview | PendingPreview;

/** A state dump whose lists lack something. */
interface Difference {
  queue: string;
  allocated: Readonly<Record<string, number>>;
  listed: Readonly<Record<string, number>>;
}

/**
 * The plans of all runs that a proposal leads to, for programs: like one plan, it has an outcome and victims, each allocation once, in the
 * order of the runs.
 *
 * @param differences of the dump that it was planned for.
 */
export function plannedChange(preview: Preview, differences: readonly Difference[]) {
  const { partition, at, changed, pending, removed, guaranteedChanged, warnings } = preview;
  const runs = [...changed, ...pending]
    .filter((run) => run.order !== undefined)
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const victims = new Map<string, Victim>();
  for (const { plan } of runs)
    for (const victim of plan?.victims ?? [])
      if (!victims.has(victim.allocation)) victims.set(victim.allocation, victim);
  return {
    partition,
    at,
    outcome: outcomeOf(runs),
    victims: [...victims.values()],
    runs: runs.map(({ queue, dueAt, startsAt, waitsFor, plan, planFault }) => ({
      queue,
      dueAt,
      startsAt,
      waitsFor,
      ...(plan && { plan }),
      ...(planFault !== undefined && { planFault }),
    })),
    changed: changed.map(({ queue, previous, current, clock }) => ({ queue, previous, current, clock })),
    removed,
    guaranteedChanged,
    warnings,
    ...(differences.length > 0 && { differences }),
  };
}

/** That of all plans together: what one of them lacks, the whole lacks. */
function outcomeOf(runs: readonly Run[]): Outcome {
  const outcomes = runs.map(({ plan }): Outcome => (plan as Plan | undefined)?.outcome ?? 'impossible');
  const needed = outcomes.filter((outcome) => outcome !== 'not-needed');
  if (needed.length === 0) return 'not-needed';
  const [first] = needed;
  return first && needed.every((outcome) => outcome === first) ? first : 'best-effort';
}
