import { Table } from '@mantine/core';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { AllocationLink, ApplicationLink } from '../../parts/links.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { When } from '../../parts/when.tsx';

interface Props {
  partition: string;
  queue: string;
}

/** What runs in the queue and below it, by id. */
export function Allocations({ partition, queue }: Props) {
  const pages = usePages(['allocations', partition, queue], (after) =>
    api().get('/v1/allocations', {
      params: { query: { partition, queue, limit: 500, ...(after && { after }) } },
    }),
  );
  return (
    <>
      {pages.items.length > 0 && (
        <VirtualRows
          name="Allocations"
          columns={['Allocation', 'Application', 'Queue', 'Resources', 'Priority', 'Started', 'State']}
          minWidth={860}
          items={pages.items}
          keyOf={({ id }) => id}
          more={pages.more?.read}
          cells={({ id, application, queue, resources, priority, startedAt, state }) => (
            <>
              <Table.Td>
                <AllocationLink allocation={id} />
              </Table.Td>
              <Table.Td className="foreign">{application}</Table.Td>
              <Table.Td className="foreign">{queue}</Table.Td>
              <Table.Td>{amountsText(resources)}</Table.Td>
              <Table.Td>{priority ?? 0}</Table.Td>
              <Table.Td>
                <When at={startedAt} />
              </Table.Td>
              <Table.Td>{state ?? 'running'}</Table.Td>
            </>
          )}
        />
      )}
      <EndOfPages pages={pages} none="Nothing runs in this queue." />
    </>
  );
}

/** What runs in the queue and below it, by application. */
export function Applications({ partition, queue }: Props) {
  const pages = usePages(['applications', partition, queue], (after) =>
    api().get('/v1/applications', {
      params: { query: { partition, queue, limit: 500, ...(after && { after }) } },
    }),
  );
  return (
    <>
      {pages.items.length > 0 && (
        <VirtualRows
          name="Applications"
          columns={['Application', 'User', 'Queue', 'Allocations', 'Resources', 'Leaving', 'First started']}
          minWidth={860}
          items={pages.items}
          keyOf={({ id }) => id}
          more={pages.more?.read}
          cells={({ id, user, queue: of, allocations, usage, inFlight, startedAt }) => (
            <>
              <Table.Td>
                <ApplicationLink application={id} />
              </Table.Td>
              <Table.Td className="foreign">{user ?? '–'}</Table.Td>
              <Table.Td className="foreign">{of}</Table.Td>
              <Table.Td>{allocations}</Table.Td>
              <Table.Td>{amountsText(usage)}</Table.Td>
              <Table.Td>{Object.keys(inFlight).length === 0 ? '–' : amountsText(inFlight)}</Table.Td>
              <Table.Td>
                <When at={startedAt} />
              </Table.Td>
            </>
          )}
        />
      )}
      <EndOfPages pages={pages} none="Nothing runs in this queue." />
    </>
  );
}
