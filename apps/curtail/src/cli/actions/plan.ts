import type { QueueRunPreview } from '#api-client';
import { planGiven } from '#planning';
import { eitherOf, runBatch } from '../input/batch.js';
import { parseJsonText, withJsonFile } from '../input/json.js';
import { isDumpGiven } from '../input/state-dump.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { previewOfQueue, queueRunLines } from '../server/queue-run.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { type PlanOptions, printPlan, withExplain } from './print-plan.js';

export async function run(invocation: Invocation, options: PlanOptions): Promise<ExitStatus | undefined> {
  const { explain = false, queue } = options;
  const ofTree = (options.ytsaurusUrl ?? options.ytsaurusAnswers) !== undefined;
  const ofDump = ofTree || isDumpGiven(options);
  const isLive = [options.input, options.batch].every((file) => file === undefined) && !ofDump;
  if (isLive && queue !== undefined) {
    assertOnly(options, `${states}; for a running Curtail: curtail what-if`, ['queue', 'partition']);
    return planLive(invocation, queue, options.partition ?? invocation.partition);
  }
  eitherOf(
    ['--input FILE', options.input],
    ['--batch FILE', options.batch],
    ['--statedump FILE', options.statedump],
    ['--yarn-url URL', options.yarnUrl],
    ['--yarn-answers FILE', options.yarnAnswers?.join(' ')],
    ['--ytsaurus-url URL', options.ytsaurusUrl],
    ['--ytsaurus-answers FILE', options.ytsaurusAnswers?.join(' ')],
  );
  if (ofTree) {
    const { planTree } = await import('./plan-tree.js');
    return planTree(invocation, options);
  }
  if (ofDump) {
    // Runs of many queues take more to load than one plan.
    const { planDump } = await import('./plan-dump.js');
    return planDump(invocation, options);
  }
  assertOnly(options, states, []);
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) =>
      JSON.stringify(planGiven(withExplain(parseJsonText(line), explain))),
    );
  }
  const use = (value: unknown) => planGiven(withExplain(value, explain));
  return printPlan(invocation, await withJsonFile(options.input ?? '-', invocation.terminal, use));
}

/** Plans against the cluster of a running Curtail. */
async function planLive(
  invocation: Invocation,
  queue: string,
  partition: string,
): Promise<ExitStatus | undefined> {
  const preview = await previewOfQueue(clientOf(invocation), partition, queue);
  const victims = preview.run.plan?.victims ?? [];
  await print(invocation, {
    value: preview,
    table: () => queueRunLines(preview, invocation),
    names: () => victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  if (victims.length === 0) return exitStatus.done;
  invocation.report(`next: ${nextOf(preview, placeOf({ partition }))}`);
  return exitStatus.wouldEvict;
}

/** Where a request would be refused, what has to come first. */
function nextOf(
  { queue, enforcement, quotaPreemptionEnabled, delaySeconds }: QueueRunPreview,
  place: string,
): string {
  if (enforcement !== null) return `prevent it: curtail cancel ${enforcement}`;
  if (!quotaPreemptionEnabled)
    return 'to have it enforced, set quotapreemptionenabled in the configuration of the partition, and apply it';
  if (delaySeconds === 0)
    return `its delay is 0, so no run starts: to have it enforced, give ${queue} a quota.preemption.delay, and apply the configuration`;
  return `request this run: curtail enforce ${queue}${place}`;
}

const states = '--statedump, --yarn-url, --yarn-answers, --ytsaurus-url or --ytsaurus-answers';

/** @throws CommandError for options that this form of the call does not have. */
function assertOnly(options: PlanOptions, form: string, names: readonly (keyof PlanOptions)[]): void {
  const given = optionsOfDump.find(([name]) => options[name] !== undefined && !names.includes(name));
  if (given) throw new CommandError(`${given[1]} goes with ${form}`);
}

const optionsOfDump = [
  ['file', '-f'],
  ['max', '--max'],
  ['delay', '--delay'],
  ['allowDifference', '--allow-difference'],
  ['format', '--format'],
  ['allowUnknown', '--allow-unknown'],
  ['snapshot', '--snapshot'],
  ['yarnUser', '--yarn-user'],
  ['yarnSettings', '--yarn-settings'],
  ['ytsaurusTokenFile', '--ytsaurus-token-file'],
  ['ytsaurusTree', '--ytsaurus-tree'],
  ['queue', '--queue'],
  ['partition', '--partition'],
] as const;
