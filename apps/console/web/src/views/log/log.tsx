import { Button, Group, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { QueueLink, RunLink, ViewLink } from '../../parts/links.tsx';
import { nameClass } from '../../parts/name-class.js';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Rows } from '../../parts/rows.tsx';
import { When } from '../../parts/when.tsx';
import { EventDialog } from './event-dialog.tsx';
import { FilterField } from './filter-field.tsx';
import type { LogFilter } from './filters.js';

/** The log of a partition, latest first; new events appear as they are recorded. */
export function LogView() {
  const partition = usePartition();
  const { event: shown, partition: _, ...filters } = useSearch({ from: '/log' });
  const navigate = useNavigate({ from: '/log' });
  const { queue, type, since, until, run, owner, actor } = filters;
  const events = usePages(['events', partition, filters], (after) =>
    api().get('/v1/events', {
      params: {
        query: {
          partition,
          limit: 100,
          ...(queue && { queue }),
          ...(type && { type }),
          ...(since && { since }),
          ...(until && { until }),
          ...(run && { enforcement: run }),
          ...(owner && { user: owner }),
          ...(actor && { by: actor }),
          ...(after && { after }),
        },
      },
    }),
  );
  const set = (changed: Partial<Record<LogFilter | 'event', string>>) =>
    navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const fieldOf = (name: LogFilter) => ({
    value: filters[name],
    onChange: (value: string | undefined) => set({ [name]: value }),
  });
  const names = [...new Set(events.items.map(({ name }) => name))].sort();
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h3">
          Log
        </Title>
        {Object.values(filters).some((value) => value !== undefined) && (
          <Button variant="default" size="xs" onClick={() => navigate({ search: {}, replace: true })}>
            All events
          </Button>
        )}
      </Group>
      <SimpleGrid
        cols={{ base: 2, md: 4 }}
        spacing="sm"
        style={{ alignItems: 'end' }}
        role="search"
        aria-label="Filters"
      >
        <FilterField label="Queue and below" {...fieldOf('queue')} />
        <FilterField label="Event" example="such as VictimEvicted" options={names} {...fieldOf('type')} />
        <FilterField label="Run" example="such as e-99dr3sgdmmb0" {...fieldOf('run')} />
        <FilterField label="Owner of the work" {...fieldOf('owner')} />
        <FilterField label="Commanded or sent by" {...fieldOf('actor')} />
        <FilterField label="From" isTime {...fieldOf('since')} />
        <FilterField label="Before" isTime {...fieldOf('until')} />
      </SimpleGrid>
      {events.items.length > 0 && (
        <Rows name="Events" columns={['When', 'Event', 'Queue', 'Run']} minWidth={620}>
          {events.items.map((event) => (
            <Table.Tr key={event.position}>
              <Table.Td className="whole">
                <When at={event.time} />
              </Table.Td>
              <Table.Td>
                <ViewLink to="." search={(before) => ({ ...before, event: event.position })}>
                  {event.name}
                </ViewLink>
              </Table.Td>
              <Table.Td className={nameClass(event.queue)}>
                {event.queue.startsWith('root') ? (
                  <QueueLink queue={event.queue} />
                ) : (
                  `partition ${event.queue}`
                )}
              </Table.Td>
              <Table.Td className="whole">
                {event.enforcement && <RunLink run={event.enforcement} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <EndOfPages pages={events} none="The log has no such event." />
      {shown !== undefined && <EventDialog position={shown} onClose={() => set({ event: undefined })} />}
    </Stack>
  );
}
