import './queue-rows.css';
import { ActionIcon, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { components } from '#api-client';
import { AmountBar } from '../../parts/amount-bar.tsx';
import { usageText } from '../../parts/amounts.js';
import { ViewLink } from '../../parts/links.tsx';
import { Badges } from './badges.tsx';
import { barTypesOf } from './bar-types.js';
import { type Freeze, freezeOver } from './freezes.js';
import { treeMove, treeOf, visibleRows } from './queue-tree.js';

type Queue = components['schemas']['Queue'];

/** Bars that fit into a row: the view of the queue has all. */
const mostBars = 4;
const barHeight = 16;
/** With the amounts above each bar, where there is no room beside it. */
const stackedHeight = 30;
/** A name, and badges below it. */
const leastHeight = 48;

interface Props {
  queues: readonly Queue[];
  open: ReadonlySet<string>;
  find: string;
  freezes: readonly Freeze[];
  /** Why queues stay above their quota. */
  above: ReadonlyMap<string, string>;
  onToggle: (path: string) => void;
}

/** The tree of queues. Only rows near the screen exist; one of them is active, and keys move it. */
export function QueueRows({ queues, open, find, freezes, above, onToggle }: Props) {
  const byPath = useMemo(() => new Map(queues.map((queue) => [queue.queue, queue])), [queues]);
  const tree = useMemo(() => treeOf(byPath.keys()), [byPath]);
  const rows = useMemo(() => visibleRows(tree, open, find), [tree, open, find]);
  const isWide = useMediaQuery('(min-width: 62em)') ?? true;
  const height = useMemo(() => rowHeight(queues, isWide ? barHeight : stackedHeight), [queues, isWide]);
  const list = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const [top, setTop] = useState(0);
  const [active, setActive] = useState<string>();
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const shown = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
  });
  // The virtualizer keeps the first heights of rows; measure again when the height changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is measured again when the height changes, and only then
  useLayoutEffect(() => shown.measure(), [height]);
  if (rows.length === 0) return <Text>No queue has “{find}” in its name.</Text>;
  const items = shown.getVirtualItems();
  const current = rows.find(({ path }) => path === active) ?? rows[0]!;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') {
      void navigate({ to: '/queues/$queue', params: { queue: current.path } });
      return;
    }
    const move = treeMove(rows, current.path, event.key);
    if (!move) return;
    event.preventDefault();
    if ('toggle' in move) {
      if (find === '') onToggle(move.toggle);
      return;
    }
    setActive(move.active);
    shown.scrollToIndex(rows.findIndex(({ path }) => path === move.active));
  };
  return (
    <div
      ref={list}
      role="tree"
      aria-label="Queues"
      tabIndex={0}
      aria-activedescendant={
        items.some(({ index }) => rows[index] === current) ? idOf(current.path) : undefined
      }
      onKeyDown={onKeyDown}
      style={{ position: 'relative', height: shown.getTotalSize() }}
    >
      {items.map(({ index, start }) => {
        const { path, name, depth, children, isOpen } = rows[index]!;
        const queue = byPath.get(path);
        return (
          <div
            key={path}
            id={idOf(path)}
            role="treeitem"
            aria-level={depth + 1}
            aria-expanded={children > 0 ? isOpen : undefined}
            data-path={path}
            data-active={path === current.path}
            tabIndex={-1}
            className="queue-row"
            style={{
              position: 'absolute',
              insetInline: 0,
              top: start - top,
              height,
            }}
          >
            <div style={{ width: 22, marginInlineStart: depth * 16 }}>
              {children > 0 && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  tabIndex={-1}
                  // The row says whether it is open, and has the keys for it.
                  aria-hidden
                  title={`${isOpen ? 'Close' : 'Open'} ${path}`}
                  onClick={() => onToggle(path)}
                >
                  {isOpen ? '▾' : '▸'}
                </ActionIcon>
              )}
            </div>
            <div className="name">
              <ViewLink
                to="/queues/$queue"
                params={{ queue: path }}
                tabIndex={-1}
                className="foreign"
                title={path}
                truncate
                style={{ maxWidth: '100%' }}
              >
                <VisuallyHidden>{path.slice(0, -name.length)}</VisuallyHidden>
                {name}
              </ViewLink>
              {queue && (
                <Badges
                  queue={queue}
                  freeze={freezeOver(path, freezes)}
                  above={above.get(path)}
                  tabIndex={-1}
                />
              )}
            </div>
            {queue && <Bars queue={queue} />}
          </div>
        );
      })}
    </div>
  );
}

function Bars({ queue }: { queue: Queue }) {
  const { usage, max } = queue;
  return (
    <div className="bars">
      {barTypesOf(queue, mostBars).map((type) => (
        <div key={type}>
          <AmountBar type={type} queue={queue} />
          <span className="amounts foreign" aria-hidden>
            {usageText(type, usage[type] ?? 0, max?.[type])}
          </span>
        </div>
      ))}
    </div>
  );
}

/** An id has no spaces. */
const idOf = (path: string) => `queue-${encodeURIComponent(path)}`;

/** The same for all, so that a row is found without measuring those above it. */
function rowHeight(queues: readonly Queue[], each: number): number {
  const bars = Math.max(0, ...queues.slice(0, 1000).map((queue) => barTypesOf(queue, mostBars).length));
  return Math.max(leastHeight, bars * each + 8);
}
