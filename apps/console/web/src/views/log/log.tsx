import { Anchor, Code, Group, Modal, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';
import { runOf } from './run-of.js';

/** The log of a partition, latest first; new events appear as they are recorded. */
export function LogView() {
  const partition = usePartition();
  const { queue = '', type = '', event: shown } = useSearch({ from: '/log' });
  const navigate = useNavigate({ from: '/log' });
  const events = useQuery({
    queryKey: ['events', partition, queue, type],
    queryFn: () =>
      api().get('/v1/events', {
        params: { query: { partition, limit: 200, ...(queue && { queue }), ...(type && { type }) } },
      }),
  });
  const set = (search: object) =>
    navigate({ search: (before) => ({ ...before, ...search }) as never, replace: true });
  const one = events.data?.items.find(({ position }) => position === shown);
  return (
    <Stack>
      <Title order={1} size="h3">
        Log
      </Title>
      <Group grow align="flex-start">
        <TextInput
          label="Queue"
          placeholder="any"
          description="It and all below it"
          defaultValue={queue}
          onBlur={({ currentTarget }) => set({ queue: currentTarget.value.trim() || undefined })}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
        <TextInput
          label="Event"
          placeholder="any"
          description="Such as VictimEvicted"
          defaultValue={type}
          onBlur={({ currentTarget }) => set({ type: currentTarget.value.trim() || undefined })}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
      </Group>
      {events.error && <Problem error={events.error} />}
      {events.data?.items.length === 0 && <Text>The log has no such event.</Text>}
      <Table.ScrollContainer minWidth={480}>
        <Table aria-label="Events">
          <Table.Thead>
            <Table.Tr>
              {['When', 'Event', 'Queue', 'Run'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(events.data?.items ?? []).map((event) => {
              const run = runOf(event);
              return (
                <Table.Tr key={event.position}>
                  <Table.Td>
                    <When at={event.time} />
                  </Table.Td>
                  <Table.Td>
                    <Anchor component="button" size="sm" onClick={() => set({ event: event.position })}>
                      {event.name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td className="foreign">{event.queue}</Table.Td>
                  <Table.Td>
                    {run && (
                      <Anchor
                        component={Link}
                        to={`/runs/${encodeURIComponent(run)}`}
                        search={{ partition } as never}
                        size="sm"
                        className="foreign"
                      >
                        {run}
                      </Anchor>
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal opened={one !== undefined} onClose={() => set({ event: undefined })} title={one?.name} size="xl">
        <Text size="sm" mb="xs">
          <When at={one?.time} />, version {one?.version} of {one?.stream}
        </Text>
        <Code block className="json">
          {JSON.stringify(one?.data, null, 2)}
        </Code>
      </Modal>
    </Stack>
  );
}
