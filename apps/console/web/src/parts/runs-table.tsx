import type { components } from '@curtail/api-client';
import { Table } from '@mantine/core';
import { RunLink } from './links.tsx';
import { Rows } from './rows.tsx';
import { When } from './when.tsx';

/** Runs, a row each. */
export function RunsTable({ runs }: { runs: readonly components['schemas']['Enforcement'][] }) {
  return (
    <Rows name="Runs" columns={['Queue', 'State', 'Evicted', 'Started', 'Ended']}>
      {runs.map(({ enforcement, queue, state, outcome, victims, evicted, startedAt, endedAt }) => (
        <Table.Tr key={enforcement}>
          <Table.Td>
            <RunLink run={enforcement}>{queue}</RunLink>
          </Table.Td>
          <Table.Td>{outcome ?? state}</Table.Td>
          <Table.Td>
            {evicted} of {victims}
          </Table.Td>
          <Table.Td>
            <When at={startedAt} />
          </Table.Td>
          <Table.Td>
            <When at={endedAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
