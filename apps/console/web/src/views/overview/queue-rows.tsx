import type { components } from '@curtail/api-client';
import { ActionIcon, Badge, Box, Group, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { AmountBar } from '../../parts/amount-bar.tsx';
import { ViewLink } from '../../parts/links.tsx';
import { When } from '../../parts/when.tsx';
import { visibleRows } from './queue-tree.js';

type Queue = components['schemas']['Queue'];

const rowHeight = 40;

interface Props {
  queues: readonly Queue[];
  open: ReadonlySet<string>;
  find: string;
  onToggle: (path: string) => void;
}

/** The tree of queues. Only rows near the screen exist. */
export function QueueRows({ queues, open, find, onToggle }: Props) {
  const byPath = useMemo(() => new Map(queues.map((queue) => [queue.queue, queue])), [queues]);
  const rows = useMemo(() => visibleRows(byPath.keys(), open, find), [byPath, open, find]);
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const shown = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  if (rows.length === 0) return <Text>No queue has “{find}” in its name.</Text>;
  return (
    <div
      ref={list}
      role="tree"
      aria-label="Queues"
      style={{ position: 'relative', height: shown.getTotalSize() }}
    >
      {shown.getVirtualItems().map(({ index, start }) => {
        const row = rows[index]!;
        return (
          <div
            key={row.path}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-expanded={row.children > 0 ? row.isOpen : undefined}
            aria-label={row.path}
            tabIndex={-1}
            className="row"
            style={{
              position: 'absolute',
              insetInline: 0,
              top: start - top,
              height: rowHeight,
              paddingInlineStart: row.depth * 16,
            }}
          >
            {row.children > 0 ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`${row.isOpen ? 'Close' : 'Open'} ${row.path}`}
                onClick={() => onToggle(row.path)}
              >
                {row.isOpen ? '▾' : '▸'}
              </ActionIcon>
            ) : (
              <Box w={22} />
            )}
            <QueueCells name={row.name} path={row.path} queue={byPath.get(row.path)} />
          </div>
        );
      })}
    </div>
  );
}

function QueueCells({ name, path, queue }: { name: string; path: string; queue: Queue | undefined }) {
  return (
    <Group gap="sm" wrap="nowrap" style={{ flex: 1, minWidth: 0 }}>
      <ViewLink
        to="/queues/$queue"
        params={{ queue: path }}
        className="foreign"
        truncate
        style={{ flex: '1 1 30%', minWidth: 60 }}
      >
        {name}
      </ViewLink>
      {queue && <Badges queue={queue} />}
      {queue && (
        <Box style={{ flex: '1 1 45%', minWidth: 80 }}>
          {typesOf(queue).map((type) => (
            <Box key={type} py={2}>
              <AmountBar
                type={type}
                usage={queue.usage[type] ?? 0}
                leaving={queue.inFlight[type] ?? 0}
                guaranteed={queue.guaranteed?.[type]}
                quota={queue.max?.[type]}
              />
            </Box>
          ))}
        </Box>
      )}
    </Group>
  );
}

/** Those with a quota first; of the others, those in use. At most two fit into a row: the queue's own view has all. */
function typesOf({ max, guaranteed, usage }: Queue): string[] {
  const limited = Object.keys(max ?? {});
  const others = Object.keys({ ...guaranteed, ...usage }).filter((type) => !limited.includes(type));
  return [...limited, ...others].slice(0, 2);
}

function Badges({ queue: { dueAt, enforcement, stopped, suspended, notMet } }: { queue: Queue }) {
  return (
    <Group gap={4} wrap="nowrap" className="live-row">
      {dueAt !== null && !suspended && (
        <Badge tt="none" variant="default">
          due <When at={dueAt} />
        </Badge>
      )}
      {enforcement !== null && (
        <ViewLink to="/runs/$run" params={{ run: enforcement }} fw={600}>
          run
        </ViewLink>
      )}
      {stopped && (
        <Badge tt="none" color="red.9">
          stopped
        </Badge>
      )}
      {suspended && !stopped && (
        <Badge tt="none" variant="default">
          suspended
        </Badge>
      )}
      {notMet && (
        <Badge tt="none" color="red.9" title="Above its quota, with no clock and no reason to wait.">
          above its quota
        </Badge>
      )}
    </Group>
  );
}
