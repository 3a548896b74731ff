import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import type { Share } from '#contracts';
import { amountText } from '#contracts';
import { api } from '../../api/client.js';
import { QueueLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { typesOf } from './share-types.js';

type Queue = components['schemas']['Queue'];

/** More would be no picture any more; the API has all. */
const mostQueues = 200;

interface Props {
  partition: string;
  /** The queue of the run; its tree has those below it. */
  queue: string;
  run: string;
  shares: readonly Share[];
}

/** How the target was shared out among the queues: for each type what a queue could release, what fell to it, and what is taken. */
export function PlanTree({ partition, queue, run, shares }: Props) {
  const queues = useQuery({
    queryKey: ['queues', partition, 'below', queue],
    queryFn: () => api().get('/v1/queues', { params: { query: { partition, queue, limit: 1000 } } }),
  });
  if (shares.length === 0) return null;
  const queueOf = new Map(queues.data?.items.map((each) => [each.queue, each]));
  const depth = Math.min(...shares.map((share) => share.queue.split('.').length));
  return (
    <Section name="Plan">
      <Text size="xs" c="dimmed" mb="xs">
        A bar is what the queue could release when the plan was made. The filled part is what the plan takes,
        the line is the share of the queue.
      </Text>
      <Stack gap="xs">
        {shares.slice(0, mostQueues).map((share) => (
          <Group key={share.queue} gap="sm" align="flex-start">
            <Box
              style={{
                flex: '1 1 160px',
                paddingInlineStart: 12 * (share.queue.split('.').length - depth),
              }}
            >
              <QueueLink queue={share.queue} />
            </Box>
            <Stack gap={4} style={{ flex: '2 1 260px' }}>
              {typesOf(share).map((type) => (
                <ShareBar key={type} type={type} share={share} queue={queueOf.get(share.queue)} />
              ))}
            </Stack>
          </Group>
        ))}
      </Stack>
      {shares.length > mostQueues && (
        <Text size="sm" c="dimmed">
          {shares.length - mostQueues} more queues: curtail explain enforcement {run}
        </Text>
      )}
    </Section>
  );
}

interface BarProps {
  type: string;
  share: Share;
  /** As it is now; undefined: not known. */
  queue: Queue | undefined;
}

function ShareBar({ type, share: { releasable, target, claimed }, queue }: BarProps) {
  const [can, wanted, taken] = [releasable[type] ?? 0, target[type] ?? 0, claimed[type] ?? 0];
  const full = Math.max(can, wanted, taken, 1);
  const at = (amount: number) => `${(100 * amount) / full}%`;
  const floor = queue?.guaranteed?.[type];
  const words = [
    `${amountText(type, taken)} taken of ${amountText(type, wanted)}`,
    ...(releasable[type] === undefined ? [] : [`it could release ${amountText(type, can)}`]),
    ...(floor === undefined ? [] : [`${amountText(type, floor)} are guaranteed now`]),
  ].join('; ');
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
