import { plannedTree } from '#agents/ytsaurus';
import { clockTrigger, InputError } from '#contracts';
import { planGiven } from '#planning';
import { proposalOfQuotas } from '../input/proposals.js';
import { orRefused } from '../input/saved-answers.js';
import { inputLimits, readText } from '../input/source.js';
import { assertAddsUp, assertQueueOfDump } from '../input/state-dump.js';
import { triedQuotas } from '../input/tried-quotas.js';
import { readTree } from '../input/ytsaurus-tree.js';
import type { Invocation } from '../invocation/invocation.js';
import { write } from '../output/print.js';
import { CommandError, FileError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { reportDifferences } from './foresee-dump.js';
import { type PlanOptions, printPlan, withExplain } from './print-plan.js';

/** A round of fair-share for a pool tree of YTsaurus, or one pool down to its limit. */
export async function planTree(
  invocation: Invocation,
  { queue, max, file: [configuration, another] = [], ...options }: PlanOptions,
): Promise<ExitStatus> {
  const proposals = [configuration, max, queue].filter((one) => one !== undefined);
  if (proposals.length > 1 || another !== undefined) {
    throw new CommandError('give one of -f FILE, --max and --queue');
  }
  if (options.delay !== undefined) {
    throw new CommandError(
      '--delay is not for YTsaurus: its limits are enforced at once, or after the curtail_delay of the tree',
    );
  }
  const quotas = max === undefined ? [] : triedQuotas(max);
  const { name, tree, look } = await readTree(invocation, options);
  const text =
    configuration === undefined
      ? undefined
      : await readText(configuration, invocation.terminal, inputLimits.configurationBytes);
  const made = orRefused(`${name}: `, () => {
    try {
      return plannedTree(tree, look, text);
    } catch (error) {
      if (configuration === undefined || !(error instanceof InputError)) throw error;
      throw new FileError(configuration, error);
    }
  });
  const dump = { name, ...made };
  assertAddsUp(dump, options.allowDifference);
  if (queue !== undefined) assertQueueOfDump(queue, dump.snapshot, name);
  const limits = new Map(
    max === undefined
      ? []
      : proposalOfQuotas(quotas, dump, invocation, { partition: tree }).queues.map(
          (of) => [of.path, of.max] as const,
        ),
  );
  const snapshot = {
    ...dump.snapshot,
    queues: dump.snapshot.queues.map((of) => {
      const limit = limits.get(of.path);
      return limit ? { ...of, max: limit } : of;
    }),
  };
  const question =
    queue === undefined
      ? { snapshot, trigger: { policy: 'fair-share' }, settings: dump.settings }
      : { snapshot, trigger: clockTrigger(queue) };
  reportDifferences(invocation, dump.differences);
  if (options.snapshot) {
    // For --input: as it is in every output format.
    await write(invocation, `${JSON.stringify(question)}\n`);
    return exitStatus.done;
  }
  const status = await printPlan(invocation, planGiven(withExplain(question, options.explain ?? false)));
  if (queue === undefined) {
    invocation.report(
      'assumed: who is below the fair share, and a node with more than its capacity, has been so for long enough; one look does not tell since when',
    );
  }
  return status;
}
