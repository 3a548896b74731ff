import type { components } from '@curtail/api-client';
import { sparedSentence } from '@curtail/planning/words';
import { Card, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { numbersOf } from './numbers-of.js';

export type Explanation = components['schemas']['AllocationExplanation'];

interface Props {
  explanation: Explanation;
  /** Below each run, for those who may read more. */
  more?: (enforcement: string) => ReactNode;
}

/** What happened to an allocation and why, in sentences with numbers. */
export function Answer({ explanation: { allocation, chosen, spared, tooLarge }, more }: Props) {
  return (
    <Stack aria-live="polite">
      {chosen.length === 0 && (
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
      {spared.map(({ enforcement, at, reason, queue }) => (
        <Card key={enforcement} withBorder component="section" aria-label={`Run ${enforcement}`}>
          <Text className="foreign">
            <When at={at} />, a run of {queue} spared it: {sparedSentence(reason)}.
          </Text>
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
