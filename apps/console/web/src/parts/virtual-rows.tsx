import './virtual-rows.css';
import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

interface Props<T> {
  /** Its name for screen readers. */
  name: string;
  columns: readonly string[];
  items: readonly T[];
  keyOf: (item: T) => string;
  /** `Table.Td` each. A row has one line. */
  cells: (item: T) => ReactNode;
  minWidth?: number;
  /** Asked for when the end comes near; undefined: this is all. */
  more?: (() => void) | undefined;
}

const rowHeight = 36;

/** A table of any length that scrolls by itself: only rows near what is seen exist. */
export function VirtualRows<T>({ name, columns, items, keyOf, cells, minWidth = 480, more }: Props<T>) {
  const scroll = useRef<HTMLDivElement>(null);
  const shown = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const rows = shown.getVirtualItems();
  const isAtEnd = (rows.at(-1)?.index ?? 0) >= items.length - 1;
  useEffect(() => {
    if (isAtEnd) more?.();
  }, [isAtEnd, more]);
  const space = (pixels: number) =>
    pixels > 0 && (
      <tr aria-hidden>
        <td colSpan={columns.length} style={{ height: pixels, padding: 0 }} />
      </tr>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus
    <section ref={scroll} className="scroll" aria-label={name} tabIndex={0}>
      <Table aria-label={name} aria-rowcount={items.length + 1} miw={minWidth} withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {space(rows[0]?.start ?? 0)}
          {rows.map(({ index }) => (
            <Table.Tr key={keyOf(items[index]!)} aria-rowindex={index + 2} h={rowHeight}>
              {cells(items[index]!)}
            </Table.Tr>
          ))}
          {space(shown.getTotalSize() - (rows.at(-1)?.end ?? 0))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
