import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { AmountBar } from '../../parts/amount-bar.tsx';
import { amountsText } from '../../parts/amounts.js';
import { ViewLink } from '../../parts/links.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RunsTable } from '../../parts/runs-table.tsx';
import { SettingsTable } from '../../parts/settings-table.tsx';
import { When } from '../../parts/when.tsx';

/** One queue: its limits and use, its settings and where each comes from, its clock, runs and allocations. */
export function QueueView() {
  const { queue: path } = useParams({ from: '/queues/$queue' });
  const partition = usePartition();
  const queue = useQuery({
    queryKey: ['queue', partition, path],
    queryFn: () => api().get('/v1/queues/{path}', { params: { path: { path }, query: { partition } } }),
  });
  const settings = useQuery({
    queryKey: ['settings', partition, path],
    queryFn: () =>
      api().get('/v1/partitions/{partition}/settings', {
        params: { path: { partition }, query: { queue: path } },
      }),
  });
  if (queue.error) return <Problem error={queue.error} />;
  if (!queue.data) return <Text>Reading the queue…</Text>;
  const { usage, inFlight, guaranteed, max, dueAt, enforcement, delaySeconds } = queue.data;
  const types = [...new Set(Object.keys({ ...max, ...guaranteed, ...usage }))];
  return (
    <Stack>
      <Title order={1} size="h3" className="foreign">
        {path}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {types.map((type) => (
          <Card key={type} withBorder padding="sm">
            <Group justify="space-between">
              <Text size="sm" fw={600} className="foreign">
                {type}
              </Text>
              <Text size="sm">
                {amountsText({ [type]: usage[type] ?? 0 })} of{' '}
                {max?.[type] === undefined ? 'no quota' : amountsText({ [type]: max[type] })}
              </Text>
            </Group>
            <AmountBar
              type={type}
              usage={usage[type] ?? 0}
              leaving={inFlight[type] ?? 0}
              guaranteed={guaranteed?.[type]}
              quota={max?.[type]}
            />
          </Card>
        ))}
      </SimpleGrid>
      <Text size="sm">
        Delay {delaySeconds} s.{' '}
        {dueAt ? (
          <>
            Its clock is due <When at={dueAt} />.
          </>
        ) : (
          'No clock runs.'
        )}{' '}
        {enforcement && (
          <ViewLink to="/runs/$run" params={{ run: enforcement }} underline="always">
            A run is in progress.
          </ViewLink>
        )}
      </Text>
      <ViewLink to="/log" search={{ queue: path }}>
        Its log
      </ViewLink>
      {settings.data && <SettingsTable settings={settings.data.settings} />}
      <Runs partition={partition} queue={path} />
    </Stack>
  );
}

function Runs({ partition, queue }: { partition: string; queue: string }) {
  const runs = usePages(['runs', partition, 'of', queue], (after) =>
    api().get('/v1/enforcements', {
      params: { query: { partition, queue, limit: 50, ...(after && { after }) } },
    }),
  );
  return (
    <>
      {runs.items.length > 0 && <RunsTable runs={runs.items} />}
      <EndOfPages pages={runs} none="No run of this queue or one below it is on record." />
    </>
  );
}
