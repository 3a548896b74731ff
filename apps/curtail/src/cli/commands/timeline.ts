import type { Invocation } from '../invocation.js';
import { exitStatus } from '../terminal.js';
import type { Register } from './command.js';
import { eitherOf } from './either.js';

/** `curtail timeline`: the clock of one queue, replayed. docs/reference/cli.md */
export const timeline: Register = (program, act) => {
  program
    .command('timeline')
    .summary('replay the clock of a queue step by step')
    .description(
      'Replays the clock of one queue: when an enforcement is due after each step, and when one starts.',
    )
    .option('--input <file>', 'one timeline as JSON')
    .option('--batch <file>', 'one timeline a line; one result a line comes out, in the same order')
    .addHelpText('after', '\nExample:\n  curtail timeline --input clock.json -o table')
    .action(act(timelineCommand));
};

async function timelineCommand(invocation: Invocation, options: { input?: string; batch?: string }) {
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch]);
  const { replayTimeline } = await import('@curtail/enforcement');
  if (options.batch !== undefined) {
    const { runBatch } = await import('../batch.js');
    const { parseJson } = await import('../input/json.js');
    return runBatch(invocation, options.batch, (line) => JSON.stringify(replayTimeline(parseJson(line))));
  }
  const { withJsonFile } = await import('../input/json.js');
  const { input, result } = await withJsonFile(options.input ?? '-', invocation.terminal, (value) => ({
    input: value,
    result: replayTimeline(value),
  }));
  const { print } = await import('../output/print.js');
  const { timelineLines } = await import('../output/timeline-lines.js');
  await print(invocation, {
    value: result,
    table: () => timelineLines(input, result, invocation),
    names: () => (result.dueAt === null ? [] : [`due/${result.dueAt}`]),
  });
  return exitStatus.done;
}
