import { isDeepStrictEqual } from 'node:util';
import type { Setting, Settings } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { type Column, tableLines } from './table.js';
import { agoText } from './time.js';

type Layout = Pick<Invocation, 'style' | 'width'>;

const settingColumns: Column[] = [
  { title: 'SETTING', holds: 'ids' },
  { title: 'VALUE', wraps: 'items' },
  { title: 'FROM' },
  { title: 'QUEUE', holds: 'paths' },
  { title: 'BY' },
  { title: 'SET', wraps: 'words' },
  { title: 'REASON', wraps: 'words', under: true },
];

/** The settings of a queue, then the overrides of other queues of the partition. */
export function settingsLines({ settings, overrides, queue }: Settings, layout: Layout): string[] {
  const now = Date.now();
  const rows = settings.map((one) => [
    one.setting,
    valueText(one.value),
    one.from === 'override' ? { text: one.from, tone: 'doubtful' as const } : one.from,
    one.queue ?? '-',
    ...setBy(one, now),
  ]);
  const others = overrides.filter((one) => one.queue !== queue);
  return [
    ...tableLines(settingColumns, rows, layout),
    ...(others.length === 0
      ? []
      : [
          '',
          'OVERRIDES OF OTHER QUEUES',
          ...tableLines(
            overrideColumns,
            others.map((one) => overrideRow(one, now)),
            layout,
          ),
        ]),
  ];
}

const overrideColumns: Column[] = [
  { title: 'QUEUE', holds: 'paths' },
  { title: 'SETTING', holds: 'ids' },
  { title: 'VALUE', wraps: 'items' },
  { title: 'BY' },
  { title: 'SET', wraps: 'words' },
  { title: 'REASON', wraps: 'words', under: true },
];

const overrideRow = (one: Settings['overrides'][number], now: number) => [
  one.configured ? one.queue : `${one.queue} (not configured)`,
  one.setting,
  valueText(one.value),
  ...setBy(one, now),
];

const setBy = ({ by, at, reason }: Pick<Setting, 'by' | 'at' | 'reason'>, now: number) => [
  by ?? '-',
  at === undefined ? '-' : agoText(at, now),
  reason ?? '-',
];

/** The settings that differ, before and after. */
export function changedLines(before: Settings, after: Settings, layout: Layout): string[] {
  const names = [...new Set([...before.settings, ...after.settings].map(({ setting }) => setting))];
  const rows = names.flatMap((name) => {
    const [old, now] = [before, after].map(({ settings }) =>
      settings.filter(({ setting }) => setting === name),
    );
    return isDeepStrictEqual(old, now) ? [] : [[name, allText(old!), allText(now!)]];
  });
  if (rows.length === 0) return [];
  return tableLines(
    [
      { title: 'SETTING', holds: 'ids' },
      { title: 'BEFORE', wraps: 'words' },
      { title: 'NOW', wraps: 'words' },
    ],
    rows,
    layout,
  );
}

/** Protections add up: there may be several. */
const allText = (settings: readonly Setting[]): string =>
  settings
    .map(
      ({ value, from, queue }) => `${valueText(value)} (${from}${queue === undefined ? '' : ` of ${queue}`})`,
    )
    .join('; ') || '-';

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
