import { replayTimeline } from '#enforcement';
import { runBatch } from '../input/batch.js';
import { parseJson, withJsonFile } from '../input/json.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { timelineLines } from '../output/timeline-lines.js';
import { exitStatus } from '../terminal/terminal.js';
import { eitherOf } from './either.js';

export async function run(invocation: Invocation, options: { input?: string; batch?: string }) {
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch]);
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) => JSON.stringify(replayTimeline(parseJson(line))));
  }
  const { input, result } = await withJsonFile(options.input ?? '-', invocation.terminal, (value) => ({
    input: value,
    result: replayTimeline(value),
  }));
  await print(invocation, {
    value: result,
    table: () => timelineLines(input, result, invocation),
    names: () => (result.dueAt === null ? [] : [`due/${result.dueAt}`]),
  });
  return exitStatus.done;
}
