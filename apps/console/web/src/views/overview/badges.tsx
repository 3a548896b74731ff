import { Badge } from '@mantine/core';
import type { components } from '#api-client';
import { nodeLabelsSentence } from '#contracts';
import { ViewLink } from '../../parts/links.tsx';
import { runWords } from '../../parts/run-words.js';
import { sentenceText } from '../../parts/sentence-parts.js';
import { When } from '../../parts/when.tsx';
import type { Freeze } from './freezes.js';

type Queue = components['schemas']['Queue'];

interface Props {
  queue: Queue;
  /** In effect for it. */
  freeze: Freeze | undefined;
  /** Why it stays above its quota, as far as that is known here. */
  above: string | undefined;
  /** Links get the focus by themselves, not through a row. */
  tabIndex?: number;
}

/** What happens to a queue now. */
export function Badges({ queue, freeze, above, tabIndex }: Props) {
  const { dueAt, startsAt, waiting, enforcement, runState, stopped, suspended, notMet } = queue;
  const { nodeLabels, configured, allocations } = queue;
  const moved = waiting && waiting.code !== 'due' ? sentenceText(waiting.message) : undefined;
  return (
    <>
      {configured === false && (
        <Badge
          tt="none"
          variant="default"
          title="The configuration in force does not have this queue; it is shown until it is empty."
        >
          not in the configuration, {allocations === 1 ? '1 allocation' : `${allocations} allocations`}
        </Badge>
      )}
      {dueAt !== null && !suspended && (
        <Badge tt="none" variant="default" className="live-row" title={moved}>
          {startsAt ? (
            <>
              {freeze && 'frozen, '}due <When at={startsAt} />
            </>
          ) : (
            'due, waits'
          )}
        </Badge>
      )}
      {enforcement !== null && (
        <ViewLink
          to="/runs/$run"
          params={{ run: enforcement }}
          fw={600}
          size="xs"
          {...(tabIndex !== undefined && { tabIndex })}
        >
          {runWords(runState)}
        </ViewLink>
      )}
      {stopped && (
        <Badge tt="none" color="red.9">
          stopped
        </Badge>
      )}
      {/* With a due time, the badge of that says so. */}
      {freeze && (dueAt === null || suspended) && (
        <Badge tt="none" variant="default" title={freeze.reason ?? undefined}>
          frozen{freeze.until && ', ends '}
          {freeze.until && <When at={freeze.until} />}
        </Badge>
      )}
      {suspended && !stopped && (
        <Badge tt="none" variant="default">
          suspended
        </Badge>
      )}
      {nodeLabels && (
        <Badge tt="none" variant="default" title={nodeLabelsSentence(nodeLabels)}>
          not enforced: node labels
        </Badge>
      )}
      {(notMet || (isAbove(queue) && !nodeLabels)) && (
        <Badge
          tt="none"
          color="red.9"
          title={
            (above && sentenceText(above)) ?? (notMet ? 'With no clock and no reason to wait.' : undefined)
          }
        >
          above its quota
        </Badge>
      )}
    </>
  );
}

/** Work that is leaving does not count. */
function isAbove({ max, usage, inFlight }: Queue): boolean {
  return Object.entries(max ?? {}).some(
    ([type, quota]) => (usage[type] ?? 0) - (inFlight[type] ?? 0) > quota,
  );
}
