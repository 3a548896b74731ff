import { Group, Stack, Text } from '@mantine/core';
import type { components } from '#api-client';
import { sparedSentence } from '#planning/words';
import { AllocationLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';

interface Props {
  run: string;
  /** null: they were not computed again. */
  groups: readonly components['schemas']['SparedGroup'][] | null;
}

/** The allocations that stay, by reason. */
export function Spared({ run, groups }: Props) {
  if (groups?.length === 0) return null;
  return (
    <Section name="Spared">
      {groups === null && (
        <Text size="sm" c="dimmed">
          The input of this plan is no longer kept, or too large to be planned again here: curtail explain
          enforcement {run}
        </Text>
      )}
      <Stack gap={4}>
        {groups?.map(({ reason, count, first }) => (
          <div key={reason}>
            <Text size="sm">
              {count}: {sparedSentence(reason)}
            </Text>
            <Group gap="xs">
              {first.slice(0, mostNamed).map((allocation) => (
                <AllocationLink key={allocation} allocation={allocation} />
              ))}
              {count > mostNamed && (
                <Text size="sm">and {count - Math.min(first.length, mostNamed)} more</Text>
              )}
            </Group>
          </div>
        ))}
      </Stack>
    </Section>
  );
}

const mostNamed = 10;
