import { Anchor, ScrollArea, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';

const states = [
  { value: '', label: 'All' },
  { value: 'waiting', label: 'Waiting for a person' },
  { value: 'executing', label: 'Running' },
  { value: 'ended', label: 'Ended' },
];

/** The runs of a partition, latest change first. */
export function Runs() {
  const partition = usePartition();
  const { state = '' } = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const runs = useQuery({
    queryKey: ['runs', partition, state],
    queryFn: () =>
      api().get('/v1/enforcements', {
        params: { query: { partition, limit: 200, ...(state !== '' && { state: state as 'ended' }) } },
      }),
  });
  return (
    <Stack>
      <Title order={1} size="h3">
        Runs
      </Title>
      <SegmentedControl
        aria-label="State"
        data={states}
        value={state}
        onChange={(value) =>
          navigate({
            search: (before) => ({ partition: before.partition, ...(value && { state: value }) }) as never,
          })
        }
        style={{ alignSelf: 'flex-start', maxWidth: '100%', flexWrap: 'wrap' }}
      />
      {runs.error && <Problem error={runs.error} />}
      {runs.data?.items.length === 0 && <Text>No run is in this state.</Text>}
      {runs.data && runs.data.items.length > 0 && (
        <ScrollArea type="auto">
          <Table striped aria-label="Runs">
            <Table.Thead>
              <Table.Tr>
                {['Queue', 'State', 'Evicted', 'Started', 'Ended'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {runs.data.items.map(
                ({ enforcement, queue, state: now, outcome, victims, evicted, startedAt, endedAt }) => (
                  <Table.Tr key={enforcement}>
                    <Table.Td>
                      <Anchor
                        component={Link}
                        to={`/runs/${encodeURIComponent(enforcement)}`}
                        search={{ partition } as never}
                        size="sm"
                        className="foreign"
                      >
                        {queue}
                      </Anchor>
                    </Table.Td>
                    <Table.Td>{outcome ?? now}</Table.Td>
                    <Table.Td>
                      {evicted} of {victims}
                    </Table.Td>
                    <Table.Td>
                      <When at={startedAt} />
                    </Table.Td>
                    <Table.Td>
                      <When at={endedAt} />
                    </Table.Td>
                  </Table.Tr>
                ),
              )}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
    </Stack>
  );
}
