import type { components } from '@curtail/api-client';
import { sparedSentence } from '@curtail/planning/words';
import { Group, Stack, Text, Title } from '@mantine/core';

/** The allocations that stay, by reason. */
export function Spared({ groups }: { groups: readonly components['schemas']['SparedGroup'][] }) {
  if (groups.length === 0) return null;
  return (
    <section aria-label="Spared">
      <Title order={2} size="h5" mb="xs">
        Spared
      </Title>
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
    </section>
  );
}
