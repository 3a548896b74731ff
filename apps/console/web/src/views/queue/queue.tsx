import type { components } from '@curtail/api-client';
import { Anchor, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { AmountBar } from '../../parts/amount-bar.tsx';
import { amountsText } from '../../parts/amounts.js';
import { Problem } from '../../parts/problem.tsx';
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
          <Anchor
            component={Link}
            to={`/runs/${encodeURIComponent(enforcement)}`}
            search={{ partition } as never}
            size="sm"
            underline="always"
          >
            A run is in progress.
          </Anchor>
        )}
      </Text>
      <Anchor component={Link} to="/log" search={{ partition, queue: path } as never} size="sm">
        Its log
      </Anchor>
      <Settings settings={settings.data} />
      <Runs partition={partition} queue={path} />
    </Stack>
  );
}

function Settings({ settings }: { settings: components['schemas']['Settings'] | undefined }) {
  if (!settings) return null;
  const list = settings.settings;
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label="Settings">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th>From</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.map(({ setting: name, value, from }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td className="foreign">
                {typeof value === 'string' ? value : JSON.stringify(value)}
              </Table.Td>
              <Table.Td className="foreign">
                {typeof from === 'string' ? from : JSON.stringify(from)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Runs({ partition, queue }: { partition: string; queue: string }) {
  const runs = useQuery({
    queryKey: ['runs', partition, 'of', queue],
    queryFn: () => api().get('/v1/enforcements', { params: { query: { partition, queue, limit: 50 } } }),
  });
  if (!runs.data || runs.data.items.length === 0)
    return <Text size="sm">No run of this queue or one below it is on record.</Text>;
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label="Runs">
        <Table.Tbody>
          {runs.data.items.map(({ enforcement, queue: of, state, outcome, evicted, victims, startedAt }) => (
            <Table.Tr key={enforcement}>
              <Table.Td>
                <Anchor
                  component={Link}
                  to={`/runs/${encodeURIComponent(enforcement)}`}
                  search={{ partition } as never}
                  size="sm"
                  className="foreign"
                >
                  {of}
                </Anchor>
              </Table.Td>
              <Table.Td>{outcome ?? state}</Table.Td>
              <Table.Td>
                {evicted} of {victims} evicted
              </Table.Td>
              <Table.Td>
                <When at={startedAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
