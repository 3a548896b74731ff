import type { components } from '@curtail/api-client';
import { Text } from '@mantine/core';
import { amountsText } from '../../parts/amounts.js';
import { useQueues } from '../../parts/use-queues.js';
import type { Preview } from './use-comparison.js';

const mostNamed = 20;

/** The queues that a configuration removes, with the work that they hold: whoever confirms it has to see that. */
export function RemovedQueues({ partition, removed }: { partition: string; removed: Preview['removed'] }) {
  const queues = useQueues(partition);
  if (removed.length === 0) return null;
  const known = new Map((queues.data ?? []).map((queue) => [queue.queue, queue]));
  const texts = removed.map(({ queue }) => ({ queue, held: heldText(known.get(queue)) }));
  const named = [...texts.filter(({ held }) => held), ...texts.filter(({ held }) => !held)];
  const more = named.length - mostNamed;
  return (
    <Text className="foreign">
      Removed: {named.slice(0, mostNamed).map(nameOf).join(', ')}
      {more > 0 && ` and ${more} more`}. They lose their quotas and guaranteed amounts; their work continues.
    </Text>
  );
}

const nameOf = ({ queue, held }: { queue: string; held: string | undefined }) =>
  held === undefined ? queue : `${queue} (holds work: ${held})`;

function heldText(queue: components['schemas']['Queue'] | undefined): string | undefined {
  return queue && Object.keys(queue.usage).length > 0 ? amountsText(queue.usage) : undefined;
}
