import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { ViewLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { When } from '../../parts/when.tsx';
import { stepsOf } from './steps.js';

/** The events of a run, oldest first; the many of its victims as one step. */
export function Timeline({ run, partition, queue }: { run: string; partition: string; queue: string }) {
  const events = useQuery({
    queryKey: ['events', partition, queue, run],
    queryFn: () => api().get('/v1/events', { params: { query: { partition, queue, limit: 1000 } } }),
  });
  const steps = stepsOf(events.data?.items ?? [], run);
  if (steps.length === 0) return null;
  return (
    <Section name="Timeline">
      <Stack gap={2} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ position, time, text }) => (
          <Group key={position} component="li" gap="sm" wrap="nowrap" align="baseline">
            <Text size="sm" c="dimmed" w={110} style={{ flexShrink: 0 }}>
              <When at={time} />
            </Text>
            <ViewLink to="/log" search={{ queue, event: position }}>
              {text}
            </ViewLink>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
