import { Accordion, Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { type Amounts, amountsText } from '../../parts/amounts.js';
import { AllocationLink } from '../../parts/links.tsx';
import { nameClass } from '../../parts/name-class.js';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { byNode, groupingsOf, groupsOf, type Selection } from './groups.js';
import { type VictimGrouping, victimGroupings } from './run-filters.js';

type Victim = components['schemas']['Victim'];

interface Props {
  enforcement: string;
  /** The first of them by rank. */
  victims: readonly Victim[];
  total: number;
  /** All of them. */
  summary: components['schemas']['VictimSummary'];
  /** By allocation, as far as the plan is at hand. */
  nodeOf: ReadonlyMap<string, string | undefined>;
}

/** The victims of a run in groups, all of them counted: who pays, and why. Those of an open group are read a page at a time. */
export function Victims({ enforcement, victims, total, summary, nodeOf }: Props) {
  const { by: wanted = 'owner' } = useSearch({ from: '/runs/$run' });
  const navigate = useNavigate({ from: '/runs/$run' });
  const offered = groupingsOf(victimGroupings, victims.length >= total);
  const by = offered.includes(wanted) ? wanted : 'owner';
  return (
    <Section
      name="Victims"
      heading={total === 1 ? '1 victim' : `${total.toLocaleString('en')} victims`}
      aside={
        <SegmentedControl
          aria-label="Group victims"
          size="xs"
          data={offered.map((value) => ({ value, label: `By ${value}` }))}
          value={by}
          onChange={(value) =>
            navigate({ search: (before) => ({ ...before, by: value as VictimGrouping }), replace: true })
          }
        />
      }
    >
      <Text size="sm" className="live-row" aria-live="polite">
        {summary.states.first.map(({ name, victims: count }) => `${count} ${name}`).join(', ')}
      </Text>
      {by === 'node' ? (
        <Groups
          key={by}
          groups={[
            ...byNode(victims.map((victim) => ({ ...victim, node: nodeOf.get(victim.allocation) }))),
          ].map(([name, of]) => ({
            name,
            victims: of.length,
            list: <Listed name={name} victims={of} nodeOf={nodeOf} />,
          }))}
        />
      ) : (
        <Counted key={by} enforcement={enforcement} by={by} total={total} summary={summary} nodeOf={nodeOf} />
      )}
    </Section>
  );
}

/** Groups as the server has counted them. */
function Counted({
  enforcement,
  by,
  total,
  summary,
  nodeOf,
}: Omit<Props, 'victims'> & { by: Exclude<VictimGrouping, 'node'> }) {
  const { groups, more } = groupsOf(summary, by, total);
  return (
    <>
      <Groups
        groups={groups.map(({ selection, ...group }) => ({
          ...group,
          list: <Pages name={group.name} enforcement={enforcement} selection={selection} nodeOf={nodeOf} />,
        }))}
      />
      {more && (
        <Text size="sm">
          {more.victims.toLocaleString('en')} victims are in {more.groups.toLocaleString('en')} smaller
          groups.
        </Text>
      )}
    </>
  );
}

interface Shown {
  name: string;
  victims: number;
  resources?: Amounts | undefined;
  list: ReactNode;
}

function Groups({ groups }: { groups: readonly Shown[] }) {
  const [open, setOpen] = useState<string[]>(groups.length === 1 ? [groups[0]!.name] : []);
  return (
    <Accordion
      multiple
      // Its values become parts of ids, which have no spaces.
      value={open.map(encodeURIComponent)}
      onChange={(values) => setOpen(values.map(decodeURIComponent))}
      chevronPosition="left"
    >
      {groups.map(({ name, victims, resources, list }) => (
        <Accordion.Item key={name} value={encodeURIComponent(name)}>
          <Accordion.Control>
            <Group justify="space-between" gap="sm">
              <Text size="sm" className="foreign">
                {name}
              </Text>
              <Text size="sm" className="live-row">
                {' '}
                {victims.toLocaleString('en')}
                {resources && Object.keys(resources).length > 0 && ` (${amountsText(resources)})`}
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>{open.includes(name) && list}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

const pageSize = 200;

function Pages({
  name,
  enforcement,
  selection,
  nodeOf,
}: { name: string; selection: Selection } & Pick<Props, 'enforcement' | 'nodeOf'>) {
  const pages = usePages(['run', enforcement, 'victims', selection], async (after) => {
    const { plannedVictims, next } = await api().get('/v1/enforcements/{enforcement}', {
      params: {
        path: { enforcement },
        query: { ...selection, limit: pageSize, ...(after !== undefined && { after }) },
      },
    });
    return { items: plannedVictims, next };
  });
  return (
    <>
      {pages.items.length > 0 && <Listed name={name} victims={pages.items} nodeOf={nodeOf} />}
      <EndOfPages pages={pages} none="No victim is in this group any more." />
    </>
  );
}

function Listed({
  name,
  victims,
  nodeOf,
}: { name: string; victims: readonly Victim[] } & Pick<Props, 'nodeOf'>) {
  return (
    <Rows
      name={`Victims of ${name}`}
      columns={['Rank', 'Allocation', 'Owner', 'Node', 'Amount', 'State', 'Why']}
      minWidth={920}
    >
      {victims.map(({ rank, allocation, owner, resources, state, reason, message }) => {
        const node = nodeOf.get(allocation);
        return (
          <Table.Tr key={rank}>
            <Table.Td>{rank}</Table.Td>
            <Table.Td className={nameClass(allocation)}>
              <AllocationLink allocation={allocation} />
            </Table.Td>
            <Table.Td className={nameClass(owner)}>{owner ?? '–'}</Table.Td>
            <Table.Td className={nameClass(node)}>{node ?? '–'}</Table.Td>
            <Table.Td>{amountsText(resources)}</Table.Td>
            <Table.Td className="foreign">
              <Sentence of={message ?? state} />
            </Table.Td>
            <Table.Td className="foreign">
              <Sentence of={reason} />
            </Table.Td>
          </Table.Tr>
        );
      })}
    </Rows>
  );
}
