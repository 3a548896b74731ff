import { dumpKeys, snapshotOfDump } from '@curtail/agents/yunikorn';
import type { Plan } from '@curtail/contracts';
import { clockTrigger, InputError } from '@curtail/contracts';
import { planGiven } from '@curtail/planning';

import { runBatch } from '../input/batch.js';
import { parseJson, withJsonFile } from '../input/json.js';
import { wholeKeys } from '../input/json-text.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/place.js';
import { planLines } from '../output/plan-lines.js';
import { print } from '../output/print.js';
import { queueRunLines } from '../output/queue-run-lines.js';
import { clientOf } from '../server/client.js';
import { previewOfQueue } from '../server/queue-run.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { eitherOf } from './either.js';

interface PlanOptions {
  input?: string;
  batch?: string;
  statedump?: string;
  queue?: string;
  partition?: string;
  explain?: boolean;
}

export async function run(invocation: Invocation, options: PlanOptions): Promise<ExitStatus> {
  const { explain = false, queue } = options;
  const isLive = [options.input, options.batch, options.statedump].every((file) => file === undefined);
  if (isLive && queue !== undefined) {
    return planLive(invocation, queue, options.partition ?? invocation.partition);
  }
  eitherOf(
    ['--input FILE', options.input],
    ['--batch FILE', options.batch],
    ['--statedump FILE', options.statedump],
  );
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) =>
      JSON.stringify(planGiven(explained(parseJson(line), explain))),
    );
  }
  const planned = await plannedOf(invocation, options);
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
  { input = '-', explain = false, ...dump }: PlanOptions,
): Promise<Plan> {
  const { statedump, queue, partition = 'default' } = dump;
  if (statedump === undefined) {
    for (const [name, value] of Object.entries({ queue, partition: dump.partition })) {
      if (value !== undefined)
        throw new CommandError(
          `--${name} goes with --statedump, or without a file for a plan of a running Curtail`,
        );
    }
    return withJsonFile(input, terminal, (value) => planGiven(explained(value, explain)));
  }
  if (queue === undefined) {
    throw new CommandError(
      'a state dump is planned for one queue: give --queue, such as --queue root.research',
    );
  }
  const trigger = clockTrigger(queue);
  const use = (value: unknown) =>
    planGiven(explained({ snapshot: snapshotOfDump(value, partition), trigger }, explain));
  return withJsonFile(statedump, terminal, use, parseDump);
}

/** @throws InputError that names what a truncated dump lacks. */
function parseDump(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const whole = wholeKeys(text);
    const missing = dumpKeys.filter((key) => !whole.includes(key));
    const lost = missing.length > 0 ? `; of a whole state dump it lacks ${missing.join(', ')}` : '';
    throw new InputError(error.path, `${error.message}${lost}`, error.line, error.column);
  }
}

/** The same input with the setting `explain`; invalid input is passed on for the planner to refuse. */
function explained(input: unknown, explain: boolean): unknown {
  if (!explain || typeof input !== 'object' || input === null) return input;
  const settings = 'settings' in input ? input.settings : undefined;
  if (settings !== undefined && (typeof settings !== 'object' || Array.isArray(settings))) return input;
  return { ...input, settings: { ...settings, explain: true } };
}
