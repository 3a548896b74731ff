import type { components } from '@curtail/api-client';
import { sparedSentence } from '@curtail/planning/words';
import { Group, Stack, Text } from '@mantine/core';
import { Section } from '../../parts/section.tsx';

/** The allocations that stay, by reason. */
export function Spared({ groups }: { groups: readonly components['schemas']['SparedGroup'][] }) {
  if (groups.length === 0) return null;
  return (
    <Section name="Spared">
      <Stack gap={4}>
        {groups.map(({ reason, count, first }) => (
          <Group key={reason} justify="space-between" gap="sm">
            <Text size="sm">
              {count}: {sparedSentence(reason)}
            </Text>
            <Text size="sm" c="dimmed" className="foreign">
              {first.join(', ')}
              {first.length < count ? ' …' : ''}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
