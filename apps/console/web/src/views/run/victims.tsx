import type { components } from '@curtail/api-client';
import { Accordion, Anchor, Group, SegmentedControl, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { amountsText } from '../../parts/amounts.js';
import { groupsOf } from './groups.js';

type Victim = components['schemas']['Victim'];

const groupings = [
  { value: 'rule', label: 'By rule' },
  { value: 'owner', label: 'By owner' },
  { value: 'queue', label: 'By queue' },
];

/** The victims of a run with their reasons, in groups. */
export function Victims({ victims, total }: { victims: readonly Victim[]; total: number }) {
  const { by = 'rule' } = useSearch({ from: '/runs/$run' });
  const navigate = useNavigate({ from: '/runs/$run' });
  if (total === 0) return null;
  const groups = groupsOf(victims, by);
  return (
    <section aria-label="Victims">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {total === 1 ? '1 victim' : `${total} victims`}
        </Title>
        <SegmentedControl
          aria-label="Group victims"
          size="xs"
          data={groupings}
          value={by}
          onChange={(value) =>
            navigate({ search: (before) => ({ ...before, by: value as 'rule' }), replace: true })
          }
        />
      </Group>
      {victims.length < total && (
        <Text size="sm" c="dimmed">
          The first {victims.length} by rank. All: curtail explain RUN --all
        </Text>
      )}
      <Accordion multiple defaultValue={groups.length === 1 ? [groups[0]!.name] : []} chevronPosition="left">
        {groups.map(({ name, of }) => (
          <Accordion.Item key={name} value={name}>
            <Accordion.Control>
              <Group justify="space-between" gap="sm">
                <Text size="sm" className="foreign">
                  {name}
                </Text>
                <Text size="sm">{of.length}</Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Rows victims={of} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}

/** More in one group would make the page slow; the groups themselves are complete. */
const mostRows = 200;

function Rows({ victims }: { victims: readonly Victim[] }) {
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table aria-label="Victims of the group">
        <Table.Thead>
          <Table.Tr>
            {['Rank', 'Allocation', 'Amount', 'State', 'Why'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {victims.slice(0, mostRows).map(({ rank, allocation, resources, state, reason, message }) => (
            <Table.Tr key={rank}>
              <Table.Td>{rank}</Table.Td>
              <Table.Td>
                <Anchor
                  component={Link}
                  to="/why"
                  search={
                    ((before: { partition?: string }) => ({
                      partition: before.partition,
                      of: allocation,
                    })) as never
                  }
                  size="sm"
                  className="foreign"
                >
                  {allocation}
                </Anchor>
              </Table.Td>
              <Table.Td>{amountsText(resources)}</Table.Td>
              <Table.Td className="foreign">{message ?? state}</Table.Td>
              <Table.Td className="foreign">{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
