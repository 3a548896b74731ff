import { Card, Group, SimpleGrid, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { components } from '#api-client';
import { waitingForApproval } from '#contracts';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { AmountBar, BarLegend } from '../../parts/amount-bar.tsx';
import { amountsText, usageText } from '../../parts/amounts.js';
import { durationText } from '../../parts/distance-text.js';
import { ForeseenVictims } from '../../parts/foreseen.tsx';
import { RunLink, ViewLink } from '../../parts/links.tsx';
import { NoView } from '../../parts/no-view.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RunsTable } from '../../parts/runs-table.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { SettingsTable } from '../../parts/settings-table.tsx';
import { StartMoved } from '../../parts/start.tsx';
import { useStatus } from '../../parts/status.js';
import { When } from '../../parts/when.tsx';
import { Allocations, Applications } from './allocations.tsx';
import { QueueHistoryView } from './history.tsx';
import { queueParts } from './period.js';

type Queue = components['schemas']['Queue'];

const titles: Record<(typeof queueParts)[number], string> = {
  history: 'History',
  allocations: 'Allocations',
  applications: 'Applications',
  settings: 'Settings',
  runs: 'Runs',
};

/** One queue: its limits and use, then and now; what runs in it; its settings and where each comes from; its clock and runs. */
export function QueueView() {
  const { queue: path } = useParams({ from: '/queues/$queue' });
  const { show = 'history' } = useSearch({ from: '/queues/$queue' });
  const navigate = useNavigate({ from: '/queues/$queue' });
  const partition = usePartition();
  const queue = useQuery({
    queryKey: ['queue', partition, path],
    queryFn: () => api().get('/v1/queues/{path}', { params: { path: { path }, query: { partition } } }),
  });
  if (queue.error) return <NoView title={path} error={queue.error} />;
  if (!queue.data) return <Text>Loading the queue…</Text>;
  const { usage, guaranteed, max } = queue.data;
  const types = [...new Set(Object.keys({ ...max, ...guaranteed, ...usage }))];
  return (
    <Stack>
      <Title order={1} size="h3" className="foreign">
        {path}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {types.map((type) => (
          <Amount key={type} type={type} queue={queue.data} />
        ))}
      </SimpleGrid>
      <BarLegend />
      <Now queue={queue.data} />
      <ForeseenVictims partition={partition} of={{ queue: path }} />
      <Group>
        <ViewLink to="/log" search={{ queue: path }}>
          Its log
        </ViewLink>
      </Group>
      <Tabs
        value={show}
        keepMounted={false}
        onChange={(value) =>
          navigate({ search: (before) => ({ ...before, show: value as typeof show }), replace: true })
        }
      >
        <Tabs.List>
          {queueParts.map((part) => (
            <Tabs.Tab key={part} value={part}>
              {titles[part]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={show} pt="md">
          <Stack gap="sm">
            {show === 'history' && <QueueHistoryView partition={partition} queue={path} types={types} />}
            {show === 'allocations' && <Allocations partition={partition} queue={path} />}
            {show === 'applications' && <Applications partition={partition} queue={path} />}
            {show === 'settings' && <Settings partition={partition} queue={path} />}
            {show === 'runs' && <Runs partition={partition} queue={path} />}
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Amount({ type, queue }: { type: string; queue: Queue }) {
  const { usage, max } = queue;
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between">
        <Text size="sm" fw={600} className="foreign">
          {type}
        </Text>
        <Text size="sm">
          {usageText(type, usage[type] ?? 0, max?.[type])}
          {max?.[type] === undefined && ', no quota'}
        </Text>
      </Group>
      <AmountBar type={type} queue={queue} />
    </Card>
  );
}

function Now({ queue }: { queue: Queue }) {
  const { partition, queue: path, dueAt, enforcement, delaySeconds, runState } = queue;
  const { own } = useStatus(partition);
  const above = own?.above.first.find(({ queue: of }) => of === path);
  return (
    <>
      {queue.configured === false && (
        <Text size="sm">
          The configuration in force does not have this queue. It is shown until its{' '}
          {queue.allocations === 1 ? 'allocation has' : `${queue.allocations} allocations have`} ended.
        </Text>
      )}
      <Text size="sm">
        Delay {durationText(delaySeconds)}.{' '}
        {dueAt === null ? (
          'No clock runs.'
        ) : queue.startsAt ? (
          <>
            Its run starts <When at={queue.startsAt} />.
          </>
        ) : (
          'Its clock has no due time now.'
        )}{' '}
        {above?.reason !== queue.waiting?.message && <StartMoved of={queue} />}{' '}
        {enforcement && (
          <RunLink run={enforcement} isInText>
            {runState === waitingForApproval ? 'A run waits for approval.' : 'A run is in progress.'}
          </RunLink>
        )}
      </Text>
      {above && (
        <Text size="sm" className="foreign">
          Above its quota by {amountsText(above.above)}. <Sentence of={above.reason} />
        </Text>
      )}
    </>
  );
}

interface Part {
  partition: string;
  queue: string;
}

function Settings({ partition, queue }: Part) {
  const settings = useQuery({
    queryKey: ['settings', partition, queue],
    queryFn: () =>
      api().get('/v1/partitions/{partition}/settings', {
        params: { path: { partition }, query: { queue } },
      }),
  });
  if (settings.error) return <Problem error={settings.error} />;
  return settings.data && <SettingsTable settings={settings.data.settings} />;
}

function Runs({ partition, queue }: Part) {
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
