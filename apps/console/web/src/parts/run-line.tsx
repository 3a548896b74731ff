import type { components } from '@curtail/api-client';
import { Group, Text } from '@mantine/core';
import { RunLink } from './links.tsx';
import { When } from './when.tsx';

/** A run in one line: its queue, how far it is, and since when. */
export function RunLine({ run }: { run: components['schemas']['Enforcement'] }) {
  const { enforcement, queue, state, outcome, victims, evicted, startedAt, endedAt, waiting } = run;
  return (
    <div>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <RunLink run={enforcement}>{queue}</RunLink>
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          <When at={endedAt ?? startedAt} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        {outcome ?? state}
        {victims > 0 && `, ${evicted} of ${victims} evicted`}
      </Text>
      {waiting && (
        <Text size="xs" className="foreign">
          {waiting.message}
        </Text>
      )}
    </div>
  );
}
