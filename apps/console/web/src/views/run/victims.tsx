import type { components } from '@curtail/api-client';
import { Accordion, Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { amountsText } from '../../parts/amounts.js';
import { AllocationLink } from '../../parts/links.tsx';
import { nameClass } from '../../parts/name-class.js';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { groupsOf } from './groups.js';
import { type VictimGrouping, victimGroupings } from './run-filters.js';

type Victim = components['schemas']['Victim'] & { node?: string | undefined };

interface Props {
  /** The first of them by rank. */
  victims: readonly Victim[];
  total: number;
  /** How many are in each state. */
  states: readonly { name: string; victims: number }[];
}

/** The victims of a run with their reasons, in groups. */
export function Victims({ victims, total, states }: Props) {
  const { by = 'rule' } = useSearch({ from: '/runs/$run' });
  const navigate = useNavigate({ from: '/runs/$run' });
  if (total === 0) return null;
  const groups = groupsOf(victims, by);
  return (
    <Section
      name="Victims"
      heading={total === 1 ? '1 victim' : `${total} victims`}
      aside={
        <SegmentedControl
          aria-label="Group victims"
          size="xs"
          data={victimGroupings.map((value) => ({ value, label: `By ${value}` }))}
          value={by}
          onChange={(value) =>
            navigate({ search: (before) => ({ ...before, by: value as VictimGrouping }), replace: true })
          }
        />
      }
    >
      <Text size="sm" className="live-row" aria-live="polite">
        {states.map(({ name, victims: count }) => `${count} ${name}`).join(', ')}
      </Text>
      {victims.length < total && (
        <Text size="sm" c="dimmed">
          The first {victims.length} by rank. All: curtail explain RUN --all
        </Text>
      )}
      <Accordion key={by} multiple defaultValue={groups.length === 1 ? ['0'] : []} chevronPosition="left">
        {groups.map(({ name, of }, index) => (
          // Its value becomes part of ids, which have no spaces.
          <Accordion.Item key={name} value={String(index)}>
            <Accordion.Control>
              <Group justify="space-between" gap="sm">
                <Text size="sm" className="foreign">
                  {name}
                </Text>
                <Text size="sm">{of.length}</Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Listed victims={of} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

/** More in one group would make the page slow; the groups themselves are complete. */
const mostRows = 200;

function Listed({ victims }: { victims: readonly Victim[] }) {
  return (
    <Rows
      name="Victims of the group"
      columns={['Rank', 'Allocation', 'Owner', 'Node', 'Amount', 'State', 'Why']}
      minWidth={920}
    >
      {victims
        .slice(0, mostRows)
        .map(({ rank, allocation, owner, node, resources, state, reason, message }) => (
          <Table.Tr key={rank}>
            <Table.Td>{rank}</Table.Td>
            <Table.Td className={nameClass(allocation)}>
              <AllocationLink allocation={allocation} />
            </Table.Td>
            <Table.Td className={nameClass(owner)}>{owner ?? '–'}</Table.Td>
            <Table.Td className={nameClass(node)}>{node ?? '–'}</Table.Td>
            <Table.Td>{amountsText(resources)}</Table.Td>
            <Table.Td className="foreign">{message ?? state}</Table.Td>
            <Table.Td className="foreign">
              <Sentence of={reason} />
            </Table.Td>
          </Table.Tr>
        ))}
    </Rows>
  );
}
