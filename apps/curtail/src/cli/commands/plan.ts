import type { Invocation } from '../invocation.js';
import { exitStatus } from '../terminal.js';
import type { Register } from './command.js';
import { eitherOf } from './either.js';

interface PlanOptions {
  input?: string;
  batch?: string;
  explain?: boolean;
}

/** `curtail plan`: what a planner decides, offline. docs/reference/cli.md */
export const plan: Register = (program, act) => {
  program
    .command('plan')
    .summary('work out which allocations would be evicted, and why')
    .description('Works out which allocations would be evicted to bring a queue down to its quota, and why.')
    .option('--input <file>', 'one {snapshot, trigger, settings} as JSON')
    .option('--batch <file>', 'one such object a line; one plan a line comes out, in the same order')
    .option('--explain', 'say of every allocation that stays why it stays')
    .addHelpText('after', '\nExample:\n  curtail plan --input case.json --explain -o wide')
    .action(act(planCommand));
};

async function planCommand(invocation: Invocation, options: PlanOptions) {
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch]);
  const { planInput } = await import('@curtail/planning');
  const { explain = false } = options;
  if (options.batch !== undefined) {
    const { runBatch } = await import('../batch.js');
    const { parseJson } = await import('../input/json.js');
    return runBatch(invocation, options.batch, (line) =>
      JSON.stringify(planInput(explained(parseJson(line), explain))),
    );
  }
  const { withJsonFile } = await import('../input/json.js');
  const planned = await withJsonFile(options.input ?? '-', invocation.terminal, (value) =>
    planInput(explained(value, explain)),
  );
  const { print } = await import('../output/print.js');
  const { planLines } = await import('../output/plan-lines.js');
  await print(invocation, {
    value: planned,
    table: () => planLines(planned, invocation),
    names: () => planned.victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  return planned.victims.length > 0 ? exitStatus.wouldEvict : exitStatus.done;
}

/** The same input with the setting `explain`; what is no input at all is left for the planner to refuse. */
function explained(input: unknown, explain: boolean): unknown {
  if (!explain || typeof input !== 'object' || input === null) return input;
  const settings = 'settings' in input ? input.settings : undefined;
  if (settings !== undefined && (typeof settings !== 'object' || Array.isArray(settings))) return input;
  return { ...input, settings: { ...settings, explain: true } };
}
