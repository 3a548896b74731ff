import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Its name for screen readers. */
  name: string;
  columns: readonly string[];
  /** Narrower than this, the table scrolls by itself, in pixels. */
  minWidth?: number;
  /** `Table.Tr` each. */
  children: ReactNode;
}

/** A table. A narrow screen scrolls it alone, not the page. */
export function Rows({ name, columns, minWidth = 480, children }: Props) {
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table aria-label={name}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
