import { Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { QueueLink, RunLink, ViewLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { When } from '../../parts/when.tsx';

type EventLink = NonNullable<components['schemas']['EventInContext']['cause']>;

/** One event: what led to it, what it led to, and all of it as JSON. */
export function EventDialog({ position, onClose }: { position: string; onClose: () => void }) {
  const read = useQuery({
    queryKey: ['event', position],
    queryFn: () => api().get('/v1/events/at/{position}', { params: { path: { position } } }),
  });
  const event = read.data?.event;
  return (
    <Modal opened onClose={onClose} title={event?.name ?? `Event ${position}`} size="xl">
      {read.error && <Problem error={read.error} />}
      {read.data && event && (
        <Stack gap="sm">
          <Text size="sm" className="foreign">
            <When at={event.time} />, version {event.version} of {event.stream}
          </Text>
          <Group gap="md">
            {event.queue.startsWith('root') && <QueueLink queue={event.queue} />}
            {event.enforcement && <RunLink run={event.enforcement}>Its run</RunLink>}
            {event.enforcement && (
              <ViewLink to="/log" search={{ run: event.enforcement }}>
                Events of its run
              </ViewLink>
            )}
          </Group>
          <Links name="Caused by" events={read.data.cause ? [read.data.cause] : []} />
          <Links name="It led to" events={read.data.effects} />
          <Code block className="json" tabIndex={0} aria-label="The event as JSON">
            {JSON.stringify(event, null, 2)}
          </Code>
        </Stack>
      )}
    </Modal>
  );
}

function Links({ name, events }: { name: string; events: readonly EventLink[] }) {
  if (events.length === 0) return null;
  return (
    <Section name={name}>
      <Group gap="sm">
        {events.map((event) => (
          <ViewLink
            key={event.position}
            to="/log"
            search={(before) => ({ ...before, event: event.position })}
            className="foreign"
          >
            {event.name}, {event.queue}
          </ViewLink>
        ))}
      </Group>
    </Section>
  );
}
