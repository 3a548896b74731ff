import type { components } from '@curtail/api-client';
import { Table, Text } from '@mantine/core';
import { api } from '../../api/client.js';
import { amountsText } from '../../parts/amounts.js';
import { AllocationLink } from '../../parts/links.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { When } from '../../parts/when.tsx';
import { applicationsOf } from './applications-of.js';

export type Allocation = components['schemas']['Allocation'];
interface Props {
  partition: string;
  queue: string;
}

const useAllocations = ({ partition, queue }: Props) =>
  usePages(['allocations', partition, queue], (after) =>
    api().get('/v1/allocations', {
      params: { query: { partition, queue, limit: 500, ...(after && { after }) } },
    }),
  );

/** What runs in the queue and below it, by id. */
export function Allocations(props: Props) {
  const pages = useAllocations(props);
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
export function Applications(props: Props) {
  const pages = useAllocations(props);
  return (
    <>
      {pages.items.length > 0 && (
        <>
          {pages.more && <Text size="sm">Of the first {pages.items.length} allocations.</Text>}
          <VirtualRows
            name="Applications"
            columns={['Application', 'Allocations', 'Resources', 'First started']}
            items={applicationsOf(pages.items)}
            keyOf={({ application }) => application}
            cells={({ application, allocations, resources, startedAt }) => (
              <>
                <Table.Td className="foreign">{application}</Table.Td>
                <Table.Td>{allocations}</Table.Td>
                <Table.Td>{amountsText(resources)}</Table.Td>
                <Table.Td>
                  <When at={startedAt} />
                </Table.Td>
              </>
            )}
          />
        </>
      )}
      <EndOfPages pages={pages} none="Nothing runs in this queue." />
    </>
  );
}
