import { Autocomplete, SegmentedControl, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { ForeseenVictims, useForeseen } from '../../parts/foreseen.tsx';
import { AllocationLink, QueueLink, RunLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { Answer } from './answer.tsx';
import { OwnerLink } from './owner-link.tsx';

const kinds = ['allocation', 'application', 'user'] as const;
type Kind = (typeof kinds)[number];
const labels: Record<Kind, string> = { allocation: 'Allocation', application: 'Application', user: 'User' };

/** The answer for the owner of an allocation: what happened to it, and why. The address of the page is a link to the answer. */
export function Why() {
  const partition = usePartition();
  const { of, application, user } = useSearch({ from: '/why' });
  const navigate = useNavigate({ from: '/why' });
  const [kind, setKind] = useState<Kind>(user ? 'user' : application ? 'application' : 'allocation');
  const asked = of ?? application ?? user ?? '';
  const [typed, setTyped] = useState(asked);
  useEffect(() => setTyped(asked), [asked]);
  const [prefix] = useDebouncedValue(typed, 200);
  const names = useQuery({
    queryKey: ['names', partition, prefix],
    queryFn: () =>
      api().get('/v1/names/{kind}', {
        params: { path: { kind: 'allocation' }, query: { prefix, partition } },
      }),
    enabled: prefix !== '' && kind === 'allocation',
  });
  const ask = (name: string) =>
    navigate({ search: { partition, [kind === 'allocation' ? 'of' : kind]: name.trim() } });
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
        <Stack gap="xs">
          <SegmentedControl
            aria-label="Look for"
            data={kinds.map((value) => ({ value, label: labels[value] }))}
            value={kind}
            onChange={(value) => setKind(value as Kind)}
            style={{ alignSelf: 'flex-start' }}
          />
          {kind === 'allocation' ? (
            <Autocomplete
              label="Allocation"
              description="The id that the cluster knows it by, such as the name of a pod. Press Enter to look."
              value={typed}
              onChange={setTyped}
              onOptionSubmit={ask}
              data={names.data?.items ?? []}
            />
          ) : (
            <TextInput
              label={labels[kind]}
              description="Its whole name. Press Enter to look."
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Stack>
      </form>
      {of !== undefined && <OfAllocation partition={partition} allocation={of} />}
      {of === undefined && (application !== undefined || user !== undefined) && (
        <Found partition={partition} application={application} user={user} />
      )}
    </Stack>
  );
}

function OfAllocation({ partition, allocation }: { partition: string; allocation: string }) {
  const answer = useQuery({
    queryKey: ['why', partition, allocation],
    queryFn: () =>
      api().get('/v1/allocations/{id}/explanation', {
        params: { path: { id: allocation }, query: { partition } },
      }),
  });
  if (answer.error) return <Problem error={answer.error} />;
  if (!answer.data) return <Text>Looking…</Text>;
  const { queue } = answer.data;
  return (
    <>
      <Answer
        explanation={answer.data}
        more={(enforcement) => <RunLink run={enforcement}>The run</RunLink>}
      />
      {queue && <QueueLink queue={queue}>Queue {queue}</QueueLink>}
      <OwnerLink partition={partition} allocation={allocation} />
    </>
  );
}

interface Wanted {
  partition: string;
  application: string | undefined;
  user: string | undefined;
}

/** What runs are to take, and have chosen, of an application or a user. */
function Found({ partition, application, user }: Wanted) {
  const of = { ...(application && { application }), ...(user && { user }) };
  const isForeseen = useForeseen(partition, of).items.length > 0;
  return (
    <>
      <ForeseenVictims partition={partition} of={of} />
      <Chosen partition={partition} application={application} user={user} isForeseen={isForeseen} />
    </>
  );
}

/** What runs chose of it. */
function Chosen({ partition, application, user, isForeseen }: Wanted & { isForeseen: boolean }) {
  const victims = useQuery({
    queryKey: ['victims', partition, application, user],
    queryFn: () =>
      api().get('/v1/victims', {
        params: { query: { partition, ...(application && { application }), ...(user && { user }) } },
      }),
  });
  if (victims.error) return <Problem error={victims.error} />;
  if (!victims.data) return <Text>Looking…</Text>;
  if (victims.data.items.length === 0)
    return (
      <Text className="foreign">
        {isForeseen
          ? `Nothing of ${application ?? user} has been evicted yet, as far back as runs are kept.`
          : `No run of partition ${partition} has chosen work of ${application ?? user}, as far back as runs are kept. Is the name right, and the partition?`}
      </Text>
    );
  return (
    <Rows name="Chosen by runs" columns={['Allocation', 'Application', 'What', 'When', 'Why']} minWidth={640}>
      {victims.data.items.map(({ allocation, application: of, enforcement, state, at, reason }) => (
        <Table.Tr key={`${enforcement} ${allocation}`}>
          <Table.Td>
            <AllocationLink allocation={allocation} />
          </Table.Td>
          <Table.Td className="foreign">{of}</Table.Td>
          <Table.Td>{state}</Table.Td>
          <Table.Td className="whole">
            <When at={at} />
          </Table.Td>
          <Table.Td className="foreign">
            <Sentence of={reason} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
