import { Badge, Table } from '@mantine/core';
import type { components } from '#api-client';
import { api } from '../../api/client.js';
import { QueueLink } from '../../parts/links.tsx';
import { EndOfPages, usePages } from '../../parts/pages.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Section } from '../../parts/section.tsx';
import { When } from '../../parts/when.tsx';

type Element = components['schemas']['Element'];

const titles = { pools: 'Pools', operations: 'Operations' } as const;

/** Pools or operations as the last round of fair share found them; nothing where that policy does not run. */
export function Elements({ partition, kind }: { partition: string; kind: keyof typeof titles }) {
  const elements = usePages([kind, partition], (after) =>
    api().get(`/v1/${kind}`, { params: { query: { partition, limit: 100, ...(after && { after }) } } }),
  );
  if (elements.isRead && elements.items.length === 0) return null;
  return (
    <Section name={titles[kind]}>
      <Rows
        name={titles[kind]}
        columns={['Name', 'Fair share', 'Usage share', 'Demand', 'Satisfaction', 'Status', 'Since']}
        minWidth={720}
      >
        {elements.items.map((element) => (
          <Row key={element.name} element={element} />
        ))}
      </Rows>
      <EndOfPages pages={elements} none="" />
    </Section>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

function Row({ element }: { element: Element }) {
  const { kind, name, queue, fairShare, usageShare, demandShare, satisfaction, status, starvation } = element;
  return (
    <Table.Tr>
      <Table.Td className="foreign">{kind === 'pool' ? <QueueLink queue={queue} /> : name}</Table.Td>
      <Table.Td>{percent(fairShare)}</Table.Td>
      <Table.Td>{percent(usageShare)}</Table.Td>
      <Table.Td>{percent(demandShare)}</Table.Td>
      <Table.Td>{satisfaction === 'infinite' ? '∞' : satisfaction.toFixed(2)}</Table.Td>
      <Table.Td>
        {starvation === 'non_starving' ? (
          status.replaceAll('_', ' ')
        ) : (
          <Badge tt="none" color="red.9">
            {starvation.replaceAll('_', ' ')}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        <When at={element.starvingSince ?? element.belowFairShareSince} />
      </Table.Td>
    </Table.Tr>
  );
}
