import { Alert, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { amountsText } from '../../parts/amounts.js';
import { Facts } from '../../parts/facts.tsx';
import { RunLink } from '../../parts/links.tsx';
import { outcomeText } from '../../parts/outcome-text.js';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { Elements } from './elements.tsx';
import { RoundShares } from './round-shares.tsx';

type Rounds = components['schemas']['Rounds'];

/** What a round does now. Others stand for themselves. */
const states: Readonly<Record<string, string>> = { wanted: 'due', planning: 'is planned', over: 'ended' };

const lengthText = (seconds: number) =>
  seconds < 1 ? `${Math.max(1, Math.round(1000 * seconds))} ms` : `${seconds.toFixed(1)} s`;

/** The last round of each policy that plans in rounds, and the pools of fair share. */
export function RoundsView() {
  const partition = usePartition();
  const rounds = useQuery({
    queryKey: ['rounds', partition],
    queryFn: () => api().get('/v1/rounds', { params: { query: { partition } } }),
  });
  return (
    <Stack>
      <Title order={1} size="h3">
        Rounds
      </Title>
      {rounds.error && <Problem error={rounds.error} />}
      {rounds.data?.items.length === 0 && (
        <Text size="sm">
          No policy of partition {partition} plans in rounds. A configuration names the policies of a
          partition.
        </Text>
      )}
      {rounds.data?.items.map((round) => (
        <Round key={round.policy} round={round} />
      ))}
      <Elements partition={partition} kind="pools" />
      <Elements partition={partition} kind="operations" />
    </Stack>
  );
}

function Round({ round }: { round: Rounds }) {
  const {
    policy,
    state,
    startedAt,
    nextDueAt,
    skipped,
    plannedAt,
    seconds,
    plan,
    failure,
    notified,
    exempt,
  } = round;
  return (
    <Card withBorder component="section" aria-label={`Rounds of ${policy}`}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5" className="foreign">
            {policy}
          </Title>
          <Text size="sm">
            round {round.round}, {states[state] ?? state}
          </Text>
        </Group>
        {failure && (
          <Alert color="red" title="The last round could not be planned" className="foreign">
            <Sentence of={failure.message} />
          </Alert>
        )}
        <Facts
          of={[
            ['Started', <When key="started" at={startedAt} />],
            ['Next', <When key="next" at={nextDueAt} />],
            ['Planned', <When key="planned" at={plannedAt} />],
            ['Took', seconds === null ? '–' : lengthText(seconds)],
            ['Skipped', skipped],
            ['Victims notified before', notified],
            ...(plan
              ? ([
                  ['Outcome', outcomeText({ state, outcome: plan.outcome })],
                  ['Victims', plan.victims],
                  ['Target', amountsText(plan.target)],
                  ['Taken', amountsText(plan.claimed)],
                  ['Short of', amountsText(plan.shortfall)],
                ] as const)
              : []),
          ]}
        />
        {(plan?.victims ?? 0) > 0 && <RunLink run={round.enforcement}>The run of this round</RunLink>}
        {plan && plan.shares.length > 0 && <RoundShares shares={plan.shares} />}
        {(plan?.reasons ?? []).map(({ cause, kind, name, answered, missing }) => (
          <Text key={`${cause} ${kind} ${name}`} size="sm" className="foreign">
            {kind} {name}: {cause}, {amountsText(missing)} missing, {answered ? 'answered' : 'not answered'}
          </Text>
        ))}
        {(plan?.notices ?? []).map(({ code, message }) => (
          <Text key={`${code} ${message}`} size="sm" className="foreign">
            <Sentence of={message} />
          </Text>
        ))}
        {exempt.length > 0 && (
          <Text size="sm" className="foreign">
            Not chosen for a while: {exempt.map(({ kind, name }) => `${kind} ${name}`).join(', ')}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
