import { replayTimeline, type TimelineResult } from '#enforcement';
import { eitherOf, runBatch } from '../input/batch.js';
import { parseJsonText, withJsonFile } from '../input/json.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(
  invocation: Invocation,
  options: { input?: string; batch?: string },
): Promise<ExitStatus | undefined> {
  eitherOf(['--input FILE', options.input], ['--batch FILE', options.batch]);
  if (options.batch !== undefined) {
    return runBatch(invocation, options.batch, (line) => JSON.stringify(replayTimeline(parseJsonText(line))));
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

/** One row per step: its effect, the due time of the enforcement after it, and whether its check started one. */
export function timelineLines(
  input: unknown,
  result: TimelineResult,
  { style, width }: Invocation,
): string[] {
  const steps = (input as { steps: Record<string, unknown>[] }).steps;
  const columns = [{ title: 'AT' }, { title: 'STEP' }, { title: 'DUE' }, { title: 'STARTED' }];
  const rows = steps.map((step, index) => {
    const started = result.startedAtSteps[index];
    return [
      String(step.at),
      Object.keys(step)
        .filter((key) => key !== 'at')
        .map((key) => (key === 'event' ? String(step.event) : key))
        .join(', '),
      result.dueAtSteps[index] ?? '-',
      started === true ? { text: 'yes', tone: 'doubtful' as const } : started === false ? 'no' : '-',
    ];
  });
  return tableLines(columns, rows, { style, width });
}
