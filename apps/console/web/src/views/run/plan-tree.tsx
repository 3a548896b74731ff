import type { Share } from '@curtail/contracts';
import { amountText } from '@curtail/contracts';
import { Box, Group, Stack, Text } from '@mantine/core';
import { Section } from '../../parts/section.tsx';
import { typesOf } from './share-types.js';

/** More would be no picture any more; the API has all. */
const mostQueues = 200;

/** How the target was shared out among the queues: for each type what a queue could release, what fell to it, and what is taken. */
export function PlanTree({ shares }: { shares: readonly Share[] }) {
  if (shares.length === 0) return null;
  return (
    <Section name="Plan">
      <Stack gap="xs">
        {shares.slice(0, mostQueues).map((share) => (
          <Group key={share.queue} gap="sm" align="flex-start">
            <Text
              size="sm"
              className="foreign"
              style={{ flex: '1 1 160px', paddingInlineStart: 12 * (share.queue.split('.').length - 1) }}
            >
              {share.queue}
            </Text>
            <Stack gap={4} style={{ flex: '2 1 260px' }}>
              {typesOf(share).map((type) => (
                <ShareBar key={type} type={type} share={share} />
              ))}
            </Stack>
          </Group>
        ))}
      </Stack>
      {shares.length > mostQueues && (
        <Text size="sm" c="dimmed">
          {shares.length - mostQueues} more queues: curtail explain RUN
        </Text>
      )}
    </Section>
  );
}

function ShareBar({ type, share: { releasable, target, claimed } }: { type: string; share: Share }) {
  const [can, wanted, taken] = [releasable[type] ?? 0, target[type] ?? 0, claimed[type] ?? 0];
  const full = Math.max(can, wanted, taken, 1);
  const at = (amount: number) => `${(100 * amount) / full}%`;
  const words = `${amountText(type, taken)} taken of ${amountText(type, wanted)}; it can release ${amountText(type, can)}`;
  return (
    <Box>
      <div className="bar" role="img" aria-label={words} title={words}>
        <span style={{ left: 0, width: at(taken), background: 'var(--leaving)' }} />
        <span className="mark" style={{ left: at(wanted), background: 'var(--quota)' }} />
      </div>
      <Text size="xs" c="dimmed" className="foreign">
        {words}
      </Text>
    </Box>
  );
}
