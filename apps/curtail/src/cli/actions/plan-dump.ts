import type { PendingPreview, Preview, QueuePreview } from '#api-client';
import { clockTrigger, type Outcome, type Plan, type Victim } from '#contracts';
import { planGiven } from '#planning';
import { proposalOfDump, proposalOfFile, proposalOfQuotas } from '../input/proposals.js';
import { assertQueueOfDump, readDump } from '../input/state-dump.js';
import { triedQuotas } from '../input/tried-quotas.js';
import type { Invocation } from '../invocation/invocation.js';
import { previewLines } from '../output/preview-lines.js';
import { print, write } from '../output/print.js';
import { zoneLines } from '../output/time.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { foreseeDump, reportDifferences, reportOfDump } from './foresee-dump.js';
import { type PlanOptions, printPlan, withExplain } from './print-plan.js';

/** One queue down to its max in the dump, or everything that a proposal leads to. */
export async function planDump(
  invocation: Invocation,
  { partition = invocation.partition, queue, max, file: configurations, ...options }: PlanOptions,
): Promise<ExitStatus> {
  const { explain = false, delay, snapshot: printsSnapshot = false } = options;
  const proposes = configurations !== undefined || max !== undefined;
  if (configurations !== undefined && (queue ?? max) !== undefined) {
    throw new CommandError('give either a configuration with -f, or quotas with --max');
  }
  if (!proposes && delay !== undefined) throw new CommandError('--delay goes with -f or --max');
  const [configuration, another] = configurations ?? [];
  if (another !== undefined) {
    throw new CommandError('plan takes one configuration; compare several with curtail what-if');
  }
  const quotas = max === undefined ? [] : triedQuotas(max, queue);
  const dump = await readDump(invocation, { ...options, partition });
  if (printsSnapshot) {
    if (proposes) throw new CommandError('--snapshot prints the cluster as it is; leave -f and --max out');
    if (queue !== undefined) assertQueueOfDump(queue, dump.snapshot, dump.name);
    reportDifferences(invocation, dump.differences);
    const trigger = queue === undefined ? {} : { trigger: clockTrigger(queue) };
    // For --input: as it is in every output format.
    await write(invocation, `${JSON.stringify({ snapshot: dump.snapshot, ...trigger })}\n`);
    return exitStatus.done;
  }
  if (queue !== undefined && !proposes) {
    assertQueueOfDump(queue, dump.snapshot, dump.name);
    const planned = planGiven(
      withExplain({ snapshot: dump.snapshot, trigger: clockTrigger(queue) }, explain),
    );
    reportDifferences(invocation, dump.differences);
    return printPlan(invocation, planned);
  }
  const proposal =
    configuration !== undefined
      ? await proposalOfFile(configuration, dump, invocation, { partition, ...options })
      : max === undefined
        ? proposalOfDump(dump)
        : proposalOfQuotas(quotas, dump, invocation, { partition, ...options });
  if (proposal === undefined) return exitStatus.failed;
  const { preview } = await foreseeDump(dump, proposal, { explain });
  const value = plannedChange(preview, dump.differences);
  await print(invocation, {
    value,
    table: () => {
      const lines = previewLines(preview, invocation);
      return [...lines, ...zoneLines(lines, invocation)];
    },
    names: () => value.victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  reportOfDump(invocation, dump, [proposal], { delay, victims: value.victims.length });
  if (value.runs.some(({ planFault }) => planFault !== undefined)) return exitStatus.failed;
  return value.victims.length > 0 ? exitStatus.wouldEvict : exitStatus.done;
}

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
