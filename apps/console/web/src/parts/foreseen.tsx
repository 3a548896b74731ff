import { Group, Table, Text } from '@mantine/core';
import type { components } from '#api-client';
import { api } from '../api/client.js';
import { amountsText } from './amounts.js';
import { AllocationLink, ApplicationLink, QueueLink, RunLink } from './links.tsx';
import { EndOfPages, usePages } from './pages.tsx';
import { Rows } from './rows.tsx';
import { Section } from './section.tsx';
import { Sentence } from './sentence.tsx';
import { When } from './when.tsx';

type Foreseen = components['schemas']['Foreseen'];

interface Props {
  partition: string;
  /** Of a queue and those below it, of a run, of a user, or of an application. */
  of: { queue?: string; enforcement?: string; user?: string; application?: string };
  /** What stands where nothing is foreseen; absent: nothing at all. */
  none?: string;
}

/** What runs that have not begun would evict, if they began now. */
export const useForeseen = (partition: string, of: Props['of']) =>
  usePages(['foreseen', partition, of], (after) =>
    api().get('/v1/foreseen', {
      params: { query: { partition, ...of, limit: 100, ...(after && { after }) } },
    }),
  );

/** Who would lose what to runs that have not begun, and why. */
export function ForeseenVictims({ partition, of, none }: Props) {
  const pages = useForeseen(partition, of);
  const { items } = pages;
  if (pages.isRead && items.length === 0 && none === undefined) return null;
  const victims = items.reduce((sum, each) => sum + each.victims, 0);
  const isOfRun = of.enforcement !== undefined;
  const [first] = items;
  return (
    <Section
      name="Foreseen victims"
      heading={
        victims === 0
          ? 'Foreseen victims'
          : victims === 1
            ? '1 victim foreseen'
            : `${victims} victims foreseen`
      }
    >
      {items.length > 0 && (
        <>
          <Text size="xs" c="dimmed" mb="xs">
            What would be evicted if it were due now, as of <When at={first?.checkedAt} />. It changes with
            the work and the quotas.
          </Text>
          <Rows
            name="Foreseen victims"
            columns={['Application', 'User', 'Victims', 'Resources', 'Why', ...(isOfRun ? [] : ['Run'])]}
            minWidth={860}
          >
            {items.map((each) => (
              <Table.Tr key={`${each.enforcement} ${each.application}`}>
                <Table.Td>
                  <ApplicationLink application={each.application} />
                </Table.Td>
                <Table.Td className="foreign">{each.user ?? '–'}</Table.Td>
                <Table.Td>
                  <Named of={each} />
                </Table.Td>
                <Table.Td>{amountsText(each.resources)}</Table.Td>
                <Table.Td className="foreign">
                  <Sentence of={each.reason} />
                </Table.Td>
                {!isOfRun && (
                  <Table.Td>
                    <RunLink run={each.enforcement}>
                      <When at={each.dueAt} />
                    </RunLink>
                    {', '}
                    <QueueLink queue={each.queue} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Rows>
          {first?.fault && (
            <Text size="sm" className="foreign">
              The last check made no plan, and this is older: <Sentence of={first.fault} />
            </Text>
          )}
          {isOfRun && (first?.more ?? 0) > 0 && (
            <Text size="sm">{first?.more} more applications would lose work too.</Text>
          )}
        </>
      )}
      <EndOfPages pages={pages} none={none ?? ''} />
    </Section>
  );
}

function Named({ of: { victims, allocations } }: { of: Foreseen }) {
  return (
    <Group gap="xs">
      {allocations.map((allocation) => (
        <AllocationLink key={allocation} allocation={allocation} />
      ))}
      {victims > allocations.length && <Text size="sm">and {victims - allocations.length} more</Text>}
    </Group>
  );
}
