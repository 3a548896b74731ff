import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { QueueLink, RunLink, ViewLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RunLine } from '../../parts/run-line.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Start, StartMoved } from '../../parts/start.tsx';
import { useStatus } from '../../parts/status.js';
import { absoluteTime } from '../../parts/times.js';
import { lossText } from './loss-text.js';

type Partition = components['schemas']['PartitionSituation'];

/** Owners are named beside the first clocks only. */
const mostForeseen = 500;

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
  const foreseen = useQuery({
    queryKey: ['foreseen', partition],
    queryFn: () => api().get('/v1/foreseen', { params: { query: { partition, limit: mostForeseen } } }),
  });
  if (status.error) return <Problem error={status.error} />;
  return (
    <Stack gap="sm">
      {status.data?.attention
        // Runs that wait are listed below.
        .filter(({ code }) => code !== 'waits-for-approval')
        .map(({ code, message, remedy, runbook, about }) => (
          <Card key={`${code}/${about.name}`} withBorder padding="sm" role="alert">
            <Text size="sm" fw={600} className="foreign">
              <Sentence of={message} />
            </Text>
            <Text size="sm" className="foreign">
              <Sentence of={remedy} isCapital />.
            </Text>
            {runbook && <Text size="sm">Runbook: {runbook}</Text>}
            {about.kind === 'queue' && <QueueLink queue={about.name} />}
          </Card>
        ))}
      {own && <Parts own={own} foreseen={foreseen.data?.items ?? []} />}
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

function Parts({
  own: { waiting, running, due, above, mode, limited, freezes },
  foreseen,
}: {
  own: Partition;
  foreseen: readonly components['schemas']['Foreseen'][];
}) {
  const usersOf = (run: string | null) =>
    new Set(
      foreseen.filter(({ enforcement }) => enforcement === run).map(({ user }) => user ?? 'an unknown owner'),
    );
  return (
    <>
      {mode === 'observe' && (
        <Card withBorder padding="sm">
          <Text size="sm">
            This partition observes: plans are made, and nothing is evicted.
            {limited && ` The setting CURTAIL_MODE=observe limits the ${limited.by.join(' and the ')}`}
            {limited &&
              (limited.set === null ? '.' : `: the mode ${limited.set} that is set does not count.`)}
          </Text>
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
        {due.first.map((clock) => (
          <div key={clock.queue}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              {clock.enforcement === null ? (
                <QueueLink queue={clock.queue} />
              ) : (
                <RunLink run={clock.enforcement}>{clock.queue}</RunLink>
              )}
              <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
                <Start of={clock} />
              </Text>
            </Group>
            {clock.foresight && (
              <Text size="xs" className="foreign">
                {lossText(clock.foresight, usersOf(clock.enforcement))}
              </Text>
            )}
            <Text size="xs" c="dimmed" className="foreign">
              <StartMoved of={clock} />
            </Text>
          </div>
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
              <Sentence of={reason} />
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
