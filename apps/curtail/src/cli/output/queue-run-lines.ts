import type { QueueRunPreview } from '#api-client';
import { counted, nodeLabelsSentence } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { planLines } from './plan-lines.js';
import { clockText, withClockTimes } from './time.js';
import { hanging } from './wrapped.js';

/** What a run of a queue would do now: when it starts, what holds it, and its plan. */
export function queueRunLines(
  { queue, enforcement, quotaPreemptionEnabled, nodeLabels, run }: QueueRunPreview,
  invocation: Invocation,
): string[] {
  const { width } = invocation;
  if (nodeLabels) {
    return hanging(`No run of ${queue} is planned. ${printable(nodeLabelsSentence(nodeLabels))}`, width);
  }
  const evictsNothing = run?.plan?.victims.length === 0;
  const does = evictsNothing ? 'it evicts nothing:' : 'it evicts:';
  const when =
    enforcement === null
      ? `No clock runs for ${queue}. A run now would evict${evictsNothing ? ' nothing' : ''}:`
      : run?.dueAt
        ? `Run ${enforcement} of ${queue} is due at ${clockText(run.dueAt)}. With the current work, ${does}`
        : `Run ${enforcement} of ${queue} is held. With the current work, ${does}`;
  return [
    ...hanging(when, width),
    ...(quotaPreemptionEnabled
      ? []
      : hanging('Quota preemption is off in the configuration: no run starts.', width)),
    ...(run?.waitsFor ?? []).flatMap(({ because }) =>
      hanging(`It waits: ${withClockTimes(printable(because))}`, width),
    ),
    ...(run && run.held.length > 0
      ? hanging(`A stop spares ${counted(run.held.length, 'victim', 'victims')} of them.`, width)
      : []),
    ...(run?.plan ? ['', ...planLines(run.plan, invocation, { reasons: true })] : []),
  ];
}
