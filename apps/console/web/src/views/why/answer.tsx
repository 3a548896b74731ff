import { Card, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '#api-client';
import { sparedSentence } from '#planning/words';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { numbersOf } from './numbers-of.js';

export type Explanation = components['schemas']['AllocationExplanation'];

interface Props {
  explanation: Explanation;
  /** Below each run, for those who may read more. */
  more?: (enforcement: string) => ReactNode;
}

/** What happened to an allocation, or will happen, and why, in sentences with numbers. */
export function Answer({
  explanation: { allocation, chosen, foreseen = [], spared, tooLarge },
  more,
}: Props) {
  return (
    <Stack aria-live="polite">
      {foreseen.map((run) => (
        <Card key={run.enforcement} withBorder component="section" aria-label={`Run ${run.enforcement}`}>
          <ForeseenRun of={run} />
          {more?.(run.enforcement)}
        </Card>
      ))}
      {chosen.length === 0 && foreseen.every(({ verdict }) => verdict !== 'evicted') && (
        <Text className="foreign">No run has chosen {allocation}: Curtail has not evicted it.</Text>
      )}
      {chosen.map((victim) => (
        <Card
          key={victim.enforcement}
          withBorder
          component="section"
          aria-label={`Run ${victim.enforcement}`}
        >
          <Text fw={600} size="md" className="foreign">
            {victim.state === 'evicted'
              ? `It was evicted from ${victim.queue}.`
              : `A run chose it in ${victim.queue}: ${victim.state}.`}
          </Text>
          <Text className="foreign">
            <When at={victim.run.startedAt} />: {numbersOf(victim)}
          </Text>
          <Text className="foreign">
            Why this one: <Sentence of={victim.reason} />
          </Text>
          {victim.message && (
            <Text className="foreign">
              What happened: <Sentence of={victim.message} />
            </Text>
          )}
          {more?.(victim.enforcement)}
        </Card>
      ))}
      {spared.map(({ enforcement, at, reason, message, queue }) => (
        <Card key={enforcement} withBorder component="section" aria-label={`Run ${enforcement}`}>
          <Text className="foreign">
            <When at={at} />, a run of {queue} spared it: {sparedSentence(reason)}.
          </Text>
          {message && (
            <Text className="foreign">
              <Sentence of={message} />
            </Text>
          )}
          {more?.(enforcement)}
        </Card>
      ))}
      {tooLarge && (
        <Text size="sm" c="dimmed">
          {tooLarge.length} runs are too large to say here whether they spared it.
        </Text>
      )}
    </Stack>
  );
}

/** What a run that has not begun would do to it. */
function ForeseenRun({ of }: { of: NonNullable<Explanation['foreseen']>[number] }) {
  const { queue, startsAt, waiting, verdict, reason, needsApproval, checkedAt, fault } = of;
  const when = startsAt ? <When at={startsAt} /> : <>once nothing holds the run of {queue} any more</>;
  return (
    <>
      <Text fw={600} size="md" className="foreign">
        {verdict === 'evicted' && (
          <>It will be evicted {when}, unless the work or the quotas change before.</>
        )}
        {verdict === 'stays' && (
          <>
            A run of {queue} starts {when}. As things are, it spares this one.
          </>
        )}
        {verdict === 'unknown' && (
          <>
            A run of {queue} starts {when}. It is not known whether it evicts this one.
          </>
        )}
      </Text>
      {verdict === 'evicted' && reason && (
        <Text className="foreign">
          Why work of its application: <Sentence of={reason} />
        </Text>
      )}
      {waiting.code !== 'due' && (
        <Text className="foreign">
          <Sentence of={waiting.message} />
        </Text>
      )}
      {needsApproval && <Text>An operator has to approve the run before it evicts.</Text>}
      {checkedAt && (
        <Text size="sm" c="dimmed">
          Planned with the work of <When at={checkedAt} />.
          {fault && (
            <>
              {' '}
              No newer plan could be made: <Sentence of={fault} />
            </>
          )}
        </Text>
      )}
    </>
  );
}
