import { Table } from '@mantine/core';
import type { components } from '#api-client';
import { amountsText } from '../../parts/amounts.js';
import { QueueLink } from '../../parts/links.tsx';
import { nameClass } from '../../parts/name-class.js';
import { Rows } from '../../parts/rows.tsx';

type Share = NonNullable<components['schemas']['Rounds']['plan']>['shares'][number];

/** What a round planned for each queue. */
export function RoundShares({ shares }: { shares: readonly Share[] }) {
  return (
    <Rows name="Queues of the round" columns={['Queue', 'Could release', 'Was to give', 'Gives']}>
      {shares.map(({ queue, releasable, target, claimed }) => (
        <Table.Tr key={queue}>
          <Table.Td className={nameClass(queue)}>
            <QueueLink queue={queue} />
          </Table.Td>
          <Table.Td>{amountsText(releasable)}</Table.Td>
          <Table.Td>{amountsText(target)}</Table.Td>
          <Table.Td>{amountsText(claimed)}</Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}
