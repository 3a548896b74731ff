import type { DeadLetter, DeadLetterDetail } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { type Cell, type Column, tableLines } from './table.js';
import { agoText, clockText } from './time.js';
import { hanging } from './width.js';

const columns: readonly Column[] = [
  { title: 'DEAD LETTER', holds: 'ids' as const },
  { title: 'TYPE' },
  { title: 'KEY' },
  { title: 'WHEN', holds: 'times' },
  { title: 'ATTEMPTS', align: 'right' },
  { title: 'RETRY' },
  { title: 'REASON', wraps: 'words', under: true },
];

/** `timer/0197f3c2-…`: the name that commands accept. */
export const letterName = ({ consumer, event }: { consumer: string; event: string }) =>
  `${consumer}/${event}`;

export function deadLetterLines(
  letters: readonly DeadLetter[],
  { style, width }: Pick<Invocation, 'style' | 'width'>,
  now: number,
): string[] {
  if (letters.length === 0) return ['no dead letters'];
  const rows = letters.map((letter): Cell[] => [
    letterName(letter),
    letter.type === '' ? '-' : letter.type,
    letter.key === '' ? '-' : letter.key,
    agoText(letter.parkedAt, now),
    String(letter.attempts),
    retryCell(letter),
    letter.reason,
  ]);
  return tableLines(columns, rows, { width, style });
}

/** All details of one. */
export function deadLetterDetailLines(
  letter: DeadLetterDetail,
  { style, width }: Pick<Invocation, 'style' | 'width'>,
  now: number,
): string[] {
  const { logged } = letter;
  return [
    ...deadLetterLines([letter], { style, width }, now),
    ...(letter.field === null ? [] : [`field: ${letter.field}`]),
    ...(letter.origin === null ? [] : [`origin: ${letter.origin}`]),
    ...(letter.source === null ? [] : [`source: ${letter.source}`]),
    `put aside: ${clockText(letter.parkedAt)}, topic ${letter.topic}`,
    ...(letter.retryAskedAt === null
      ? []
      : [`retry requested: ${clockText(letter.retryAskedAt)} by ${letter.retryBy}`]),
    ...(letter.retryAt === null ? [] : [`handled again: ${clockText(letter.retryAt)}, without a request`]),
    ...hanging(`remedy: ${letter.nextStep}`, width, '  '),
    ...(logged === null
      ? ['not in the log']
      : [
          `in the log: position ${logged.position}, stream ${logged.stream} ${logged.version}, ${clockText(logged.time)}`,
          ...JSON.stringify(logged.data, null, 2).split('\n'),
        ]),
  ];
}

function retryCell({ retryable, retryAskedAt }: DeadLetter): Cell {
  if (retryAskedAt !== null) return { text: 'asked', tone: 'doubtful' };
  return retryable ? 'possible' : 'no';
}
