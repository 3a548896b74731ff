import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { ViewLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';

type Step = components['schemas']['RunStep'];

/** What happened in a run, oldest first; the many events of its victims as one step. */
export function Timeline({ run }: { run: string }) {
  const timeline = useQuery({
    queryKey: ['timeline', run],
    queryFn: () =>
      api().get('/v1/enforcements/{enforcement}/timeline', { params: { path: { enforcement: run } } }),
  });
  if (!timeline.data || timeline.data.steps.length === 0) return null;
  const { steps, earlier } = timeline.data;
  return (
    <Section name="Timeline">
      {earlier > 0 && (
        <ViewLink to="/log" search={{ run }}>
          {earlier} earlier steps
        </ViewLink>
      )}
      <Stack gap={2} component="ol" m={0} p={0} className="timeline">
        {steps.map((step) => (
          <Group key={step.position} component="li" gap="sm" wrap="nowrap" align="baseline">
            <Text size="sm" c="dimmed" w={112} style={{ flexShrink: 0, whiteSpace: 'nowrap' }}>
              <When at={step.at} />
            </Text>
            <ViewLink to="/log" search={{ run, event: step.position }} className="foreign">
              <Sentence of={wordsOf(step)} isCapital={isWord(step.sentence)} />
            </ViewLink>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

/** What an event of a victim says of it. A name of a newer version stands for itself. */
const ofVictims: Readonly<Record<string, string>> = {
  VictimForeseen: 'foreseen',
  VictimOrdered: 'requested',
  VictimNotified: 'notified',
  VictimForgotten: 'no longer notified',
  VictimEvicted: 'evicted',
  VictimRefused: 'refused',
  VictimGone: 'gone by themselves',
  VictimSpared: 'spared after all',
  VictimFailed: 'failed',
};

function wordsOf({ sentence, victims }: Step): string {
  if (sentence !== null) return sentence;
  return `Victims: ${victims.map(({ event, count }) => `${count} ${ofVictims[event] ?? event}`).join(', ')}`;
}

/** Whether a sentence begins with a word: the name of a queue is written as it is. */
const isWord = (sentence: string | null): boolean => sentence !== null && /^[\p{L}-]+[ ,]/u.test(sentence);
