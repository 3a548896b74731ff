import type { TimelineResult } from '#enforcement';
import type { Invocation } from '../invocation/invocation.js';
import { tableLines } from './table.js';

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
