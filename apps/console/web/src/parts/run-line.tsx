import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '#api-client';
import { RunLink } from './links.tsx';
import { outcomeText } from './outcome-text.js';
import { Sentence } from './sentence.tsx';
import { When } from './when.tsx';

interface Props {
  run: components['schemas']['Enforcement'];
  /** The next step, if there is one. */
  action?: ReactNode;
}

/** A run in one line: its queue, how far it is, and since when. */
export function RunLine({ run, action }: Props) {
  const { enforcement, queue, victims, evicted, startedAt, startsAt, endedAt, waiting } = run;
  return (
    <div>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <RunLink run={enforcement}>{queue}</RunLink>
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          <When at={endedAt ?? startedAt ?? startsAt} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" className="foreign">
        {waiting ? (
          <Sentence of={waiting.message} />
        ) : (
          `${outcomeText(run)}${victims > 0 ? `, ${evicted} of ${victims} evicted` : ''}`
        )}
      </Text>
      {action}
    </div>
  );
}
