import { Table } from '@mantine/core';
import type { components } from '#api-client';
import { RunLink } from './links.tsx';
import { nameClass } from './name-class.js';
import { outcomeText } from './outcome-text.js';
import { Rows } from './rows.tsx';
import { When } from './when.tsx';

/** Runs, a row each. */
export function RunsTable({ runs }: { runs: readonly components['schemas']['Enforcement'][] }) {
  return (
    <Rows name="Runs" columns={['Queue', 'State', 'Evicted', 'Starts', 'Ended']}>
      {runs.map(({ enforcement, queue, victims, evicted, startedAt, startsAt, endedAt, ...run }) => (
        <Table.Tr key={enforcement}>
          <Table.Td className={nameClass(queue)}>
            <RunLink run={enforcement}>{queue}</RunLink>
          </Table.Td>
          <Table.Td>{outcomeText(run)}</Table.Td>
          <Table.Td className="whole">{victims === 0 ? '–' : `${evicted} of ${victims}`}</Table.Td>
          <Table.Td className="whole">
            <When at={startedAt ?? startsAt} />
          </Table.Td>
          <Table.Td className="whole">
            <When at={endedAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
