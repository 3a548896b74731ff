import { type ConfigurationFormat, clockTrigger, type Plan } from '@curtail/contracts';
import { planGiven } from '@curtail/planning';

import { runBatch } from '../input/batch.js';
import { parseJson, withJsonFile } from '../input/json.js';
import { proposalOfDump, proposalOfFile, proposalOfQuotas } from '../input/proposals.js';
import { assertQueueOfDump, readDumpFile } from '../input/state-dump.js';
import { triedQuotas } from '../input/tried-quotas.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/place.js';
import { planLines } from '../output/plan-lines.js';
import { plannedChange } from '../output/planned-change.js';
import { previewLines } from '../output/preview-lines.js';
import { print } from '../output/print.js';
import { queueRunLines } from '../output/queue-run-lines.js';
import { zoneLines } from '../output/zone-lines.js';
import { clientOf } from '../server/client.js';
import { previewOfQueue } from '../server/queue-run.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { eitherOf } from './either.js';
import { foreseeDump, reportDifferences, reportOfDump } from './foresee-dump.js';

interface PlanOptions {
  input?: string;
  batch?: string;
  statedump?: string;
  /** Configurations to try against the dump. */
  file?: string[];
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  /** Words of quotas to try: `root.research`, `memory=120G`. */
  max?: string[];
  /** In seconds. */
  delay?: number;
  allowDifference?: boolean;
  queue?: string;
  partition?: string;
  explain?: boolean;
}

export async function run(invocation: Invocation, options: PlanOptions): Promise<ExitStatus> {
  const { explain = false, queue, statedump } = options;
  const isLive = [options.input, options.batch, statedump].every((file) => file === undefined);
  if (isLive && queue !== undefined) {
    assertOnly(options, '--statedump; for a running Curtail: curtail what-if', ['queue', 'partition']);
    return planLive(invocation, queue, options.partition ?? invocation.partition);
  }
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch], ['--statedump FILE', statedump]);
  if (statedump !== undefined) return planDump(invocation, statedump, options);
  assertOnly(options, '--statedump', []);
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) =>
      JSON.stringify(planGiven(explained(parseJson(line), explain))),
    );
  }
  return printPlan(invocation, await plannedOf(invocation, options));
}

async function printPlan(invocation: Invocation, planned: Plan): Promise<ExitStatus> {
  await print(invocation, {
    value: planned,
    table: () => planLines(planned, invocation),
    names: () => planned.victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  // With `observeOnly` the victims are only listed.
  return planned.victims.length > 0 && !planned.observeOnly ? exitStatus.wouldEvict : exitStatus.done;
}

/** Plans against the cluster of a running Curtail. */
async function planLive(invocation: Invocation, queue: string, partition: string): Promise<ExitStatus> {
  const preview = await previewOfQueue(clientOf(invocation), partition, queue);
  const victims = preview.run.plan?.victims ?? [];
  await print(invocation, {
    value: preview,
    table: () => queueRunLines(preview, invocation),
    names: () => victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  if (victims.length === 0) return exitStatus.done;
  invocation.report(
    preview.enforcement === null
      ? `next: request this run: curtail enforce ${queue}${placeOf({ partition })}`
      : `next: prevent it: curtail cancel ${preview.enforcement}`,
  );
  return exitStatus.wouldEvict;
}

async function plannedOf(
  { terminal }: Invocation,
  { input = '-', explain = false }: PlanOptions,
): Promise<Plan> {
  return withJsonFile(input, terminal, (value) => planGiven(explained(value, explain)));
}

/** @throws CommandError for options that this form of the call does not have. */
function assertOnly(options: PlanOptions, form: string, names: readonly (keyof PlanOptions)[]): void {
  const given = ofDump.find(([name]) => options[name] !== undefined && !names.includes(name));
  if (given) throw new CommandError(`${given[1]} goes with ${form}`);
}

const ofDump = [
  ['file', '-f'],
  ['max', '--max'],
  ['delay', '--delay'],
  ['allowDifference', '--allow-difference'],
  ['format', '--format'],
  ['allowUnknown', '--allow-unknown'],
  ['queue', '--queue'],
  ['partition', '--partition'],
] as const;

/** One queue down to its max in the dump, or everything that a proposal leads to. */
async function planDump(
  invocation: Invocation,
  file: string,
  { partition = invocation.partition, queue, max, file: configurations, ...options }: PlanOptions,
): Promise<ExitStatus> {
  const { explain = false, delay, allowDifference } = options;
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
  const dump = await readDumpFile(file, invocation.terminal, { partition, allowDifference });
  if (queue !== undefined && !proposes) {
    assertQueueOfDump(queue, dump.snapshot, file);
    const planned = planGiven(explained({ snapshot: dump.snapshot, trigger: clockTrigger(queue) }, explain));
    reportDifferences(invocation, dump.differences);
    return printPlan(invocation, planned);
  }
  const proposal =
    configuration !== undefined
      ? await proposalOfFile(configuration, dump, invocation, { partition, ...options })
      : max === undefined
        ? proposalOfDump(dump, file)
        : proposalOfQuotas(quotas, file, dump, invocation, { partition, ...options });
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
  return value.victims.length > 0 ? exitStatus.wouldEvict : exitStatus.done;
}

/** The same input with the setting `explain`; invalid input is passed on for the planner to refuse. */
function explained(input: unknown, explain: boolean): unknown {
  if (!explain || typeof input !== 'object' || input === null) return input;
  const settings = 'settings' in input ? input.settings : undefined;
  if (settings !== undefined && (typeof settings !== 'object' || Array.isArray(settings))) return input;
  return { ...input, settings: { ...settings, explain: true } };
}
