import type { components } from '@curtail/api-client';
import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { capitalized } from '../../parts/capitalized.js';
import { QueueLink, ViewLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RunLine } from '../../parts/run-line.tsx';
import { useStatus } from '../../parts/status.js';
import { absoluteTime, When } from '../../parts/when.tsx';
import { withoutTurns } from '../../parts/without-turns.js';

type Partition = components['schemas']['PartitionSituation'];

/** What waits for a person, runs, is due, is above its quota, and has ended. */
export function Situation({ partition }: { partition: string }) {
  const { status, own } = useStatus(partition);
  const ended = useQuery({
    queryKey: ['runs', partition, 'ended'],
    queryFn: () =>
      api().get('/v1/enforcements', {
        params: { query: { partition, state: 'ended', needed: 'true', limit: 8 } },
      }),
  });
  if (status.error) return <Problem error={status.error} />;
  return (
    <Stack gap="sm">
      {status.data?.attention
        // Runs that wait are listed below.
        .filter(({ code }) => code !== 'waits-for-approval')
        .map(({ code, message, remedy, about }) => (
          <Card key={`${code}/${about.name}`} withBorder padding="sm" role="alert">
            <Text size="sm" fw={600} className="foreign">
              {withoutTurns(message)}
            </Text>
            <Text size="sm" className="foreign">
              {capitalized(remedy)}.
            </Text>
            {about.kind === 'queue' && <QueueLink queue={about.name} />}
          </Card>
        ))}
      {own && <Parts own={own} />}
      <Part
        title="Recently ended"
        count={ended.data?.items.length ?? 0}
        isPart
        none="No run has evicted anything yet."
      >
        {ended.data?.items.map((run) => (
          <RunLine key={run.enforcement} run={run} />
        ))}
      </Part>
      <ViewLink to="/runs" search={{ state: 'ended' }}>
        All ended runs and clocks
      </ViewLink>
    </Stack>
  );
}

function Parts({ own: { waiting, running, due, above, mode, freezes } }: { own: Partition }) {
  return (
    <>
      {mode === 'observe' && (
        <Card withBorder padding="sm">
          <Text size="sm">This partition observes: plans are made, and nothing is evicted.</Text>
        </Card>
      )}
      {freezes.map(({ freeze, queue, until, by, reason }) => (
        <Card key={freeze} withBorder padding="sm">
          <Text size="sm" className="foreign">
            Frozen: {queue === null ? 'the whole partition' : <QueueLink queue={queue} />}
            {until && `, until ${absoluteTime(until)}`}, by {by}
            {reason && ` (${reason})`}.
          </Text>
        </Card>
      ))}
      <Part title="Waiting for a person" count={waiting.count} none="Nothing waits for approval.">
        {waiting.first.map((run) => (
          <RunLine
            key={run.enforcement}
            run={run}
            action={
              <ViewLink to="/runs/$run" params={{ run: run.enforcement }} fw={600}>
                Review, then approve or reject
              </ViewLink>
            }
          />
        ))}
      </Part>
      <Part title="Running" count={running.count} none="No run is in progress.">
        {running.first.map((run) => (
          <RunLine key={run.enforcement} run={run} />
        ))}
      </Part>
      <Part title="Due next" count={due.count} none="No clock runs.">
        {due.first.map(({ queue, dueAt, waiting: why }) => (
          <Group key={queue} gap="xs" wrap="nowrap" justify="space-between">
            <QueueLink queue={queue} />
            <Text size="sm" title={why.message} style={{ whiteSpace: 'nowrap' }}>
              <When at={dueAt} />
            </Text>
          </Group>
        ))}
      </Part>
      <Part title="Above their quota" count={above.count} none="Every queue is within its quota.">
        {above.first.map(({ queue, above: amounts, reason }) => (
          <div key={queue}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              <QueueLink queue={queue} />
              <Text size="sm">{amountsText(amounts)}</Text>
            </Group>
            <Text size="xs" c="dimmed" className="foreign">
              {withoutTurns(reason)}
            </Text>
          </div>
        ))}
      </Part>
    </>
  );
}

function Part({
  title,
  count,
  isPart = false,
  none,
  children,
}: {
  title: string;
  count: number;
  /** There are more than these. */
  isPart?: boolean;
  none: string;
  children: ReactNode;
}) {
  return (
    <Card withBorder padding="sm" component="section" aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h6">
          {title}
        </Title>
        {count > 0 && !isPart && <Text size="sm">{count}</Text>}
      </Group>
      {count === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Stack gap={4}>{children}</Stack>
      )}
    </Card>
  );
}
