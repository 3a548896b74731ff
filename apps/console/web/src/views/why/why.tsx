import { sparedSentence } from '@curtail/planning/words';
import { Autocomplete, Card, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { QueueLink, RunLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { When } from '../../parts/when.tsx';

/** The answer for the owner of an allocation: what happened to it, and why. The address of the page is a link to the answer. */
export function Why() {
  const partition = usePartition();
  const { of = '' } = useSearch({ from: '/why' });
  const navigate = useNavigate({ from: '/why' });
  const [typed, setTyped] = useState(of);
  const [prefix] = useDebouncedValue(typed, 200);
  const names = useQuery({
    queryKey: ['names', partition, prefix],
    queryFn: () =>
      api().get('/v1/names/{kind}', {
        params: { path: { kind: 'allocation' }, query: { prefix, partition } },
      }),
    enabled: prefix !== '',
  });
  const ask = (name: string) => navigate({ search: (before) => ({ ...before, of: name.trim() }) });
  return (
    <Stack maw={760}>
      <Title order={1} size="h3">
        Why was mine evicted?
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask(typed);
        }}
      >
        <Autocomplete
          label="Allocation"
          description="The id that the cluster knows it by, such as the name of a pod."
          value={typed}
          onChange={setTyped}
          onOptionSubmit={ask}
          data={names.data?.items ?? []}
          data-autofocus
        />
      </form>
      {of !== '' && <Answer partition={partition} allocation={of} />}
    </Stack>
  );
}

function Answer({ partition, allocation }: { partition: string; allocation: string }) {
  const answer = useQuery({
    queryKey: ['why', partition, allocation],
    queryFn: () =>
      api().get('/v1/allocations/{id}/explanation', {
        params: { path: { id: allocation }, query: { partition } },
      }),
  });
  if (answer.error) return <Problem error={answer.error} />;
  if (!answer.data) return <Text>Looking…</Text>;
  const { chosen, spared, queue } = answer.data;
  return (
    <Stack aria-live="polite">
      {chosen.length === 0 && <Text>No run has chosen {allocation}.</Text>}
      {chosen.map(({ enforcement, state, reason, message, queue: from, rank }) => (
        <Card key={enforcement} withBorder component="section" aria-label={`Run ${enforcement}`}>
          <Text fw={600} className="foreign">
            {state === 'evicted' ? `It was evicted from ${from}.` : `A run chose it in ${from}: ${state}.`}
          </Text>
          <Text className="foreign">{reason}</Text>
          {message && <Text className="foreign">{message}</Text>}
          <Text size="sm">
            It was number {rank} in the order of{' '}
            <RunLink run={enforcement} isInText>
              this run
            </RunLink>
            .
          </Text>
        </Card>
      ))}
      {spared.map(({ enforcement, at, reason, queue: of }) => (
        <Card key={enforcement} withBorder component="section" aria-label={`Run ${enforcement}`}>
          <Text className="foreign">
            <When at={at} />, a run of {of} spared it: {sparedSentence(reason)}.
          </Text>
          <RunLink run={enforcement}>The run</RunLink>
        </Card>
      ))}
      {queue && <QueueLink queue={queue}>Queue {queue}</QueueLink>}
    </Stack>
  );
}
