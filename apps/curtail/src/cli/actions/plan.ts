import { planInput } from '@curtail/planning';
import { runBatch } from '../batch.js';
import { parseJson, withJsonFile } from '../input/json.js';
import type { Invocation } from '../invocation.js';
import { planLines } from '../output/plan-lines.js';
import { print } from '../output/print.js';
import { type ExitStatus, exitStatus } from '../terminal.js';
import { eitherOf } from './either.js';

interface PlanOptions {
  input?: string;
  batch?: string;
  explain?: boolean;
}

export async function run(invocation: Invocation, options: PlanOptions): Promise<ExitStatus> {
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch]);
  const { explain = false } = options;
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) =>
      JSON.stringify(planInput(explained(parseJson(line), explain))),
    );
  }
  const planned = await withJsonFile(options.input ?? '-', invocation.terminal, (value) =>
    planInput(explained(value, explain)),
  );
  await print(invocation, {
    value: planned,
    table: () => planLines(planned, invocation),
    names: () => planned.victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  // With `observeOnly` the victims are only named.
  return planned.victims.length > 0 && !planned.observeOnly ? exitStatus.wouldEvict : exitStatus.done;
}

/** The same input with the setting `explain`; what is no input at all is left for the planner to refuse. */
function explained(input: unknown, explain: boolean): unknown {
  if (!explain || typeof input !== 'object' || input === null) return input;
  const settings = 'settings' in input ? input.settings : undefined;
  if (settings !== undefined && (typeof settings !== 'object' || Array.isArray(settings))) return input;
  return { ...input, settings: { ...settings, explain: true } };
}
