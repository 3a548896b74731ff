import { Group, Stack, Text, Title } from '@mantine/core';
import { type Amounts, amountsText } from '../../parts/amounts.js';

interface Share {
  queue?: string;
  releasable?: Amounts;
  target?: Amounts;
  claimed?: Amounts;
  shares?: Share[];
}

/** How the target was shared out among the queues: what each can release, what falls to it, and what is taken. */
export function PlanTree({ plan }: { plan: { shares?: Share[] } }) {
  const shares = (plan.shares ?? [])
    .filter(({ target }) => Object.keys(target ?? {}).length > 0)
    .slice(0, 200);
  if (shares.length === 0) return null;
  return (
    <section aria-label="Plan">
      <Title order={2} size="h5" mb="xs">
        Plan
      </Title>
      <Stack gap={4}>
        {shares.map(({ queue = '', target, claimed, releasable }) => (
          <Group key={queue} gap="sm" justify="space-between">
            <Text
              size="sm"
              className="foreign"
              style={{ paddingInlineStart: 12 * (queue.split('.').length - 1) }}
            >
              {queue}
            </Text>
            <Text size="sm">
              {amountsText(claimed)} of {amountsText(target)}; can release {amountsText(releasable)}
            </Text>
          </Group>
        ))}
      </Stack>
    </section>
  );
}
