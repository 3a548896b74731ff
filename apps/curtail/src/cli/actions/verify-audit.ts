import { counted } from '#contracts';
import { type AuditedFile, checkAudit } from '../input/audit-file.js';
import { keysOf, textOfFile } from '../input/checkpoints.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { agoText, clockText, withClockTimes, zoneLines } from '../output/time.js';
import { printable } from '../terminal/printable.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

/**
 * `curtail verify --audit`: whether a file is what the console signed, and when it was exported.
 *
 * @param newerThan an older file is a fault. @throws CommandError for a file that cannot be read.
 */
export async function verifyAudit(
  invocation: Invocation,
  { audit, key, newerThan }: { audit: string; key: string; newerThan?: string | undefined },
): Promise<ExitStatus> {
  const found = checkAudit(await textOfFile(audit), await keysOf(key), newerThan);
  const { records, pages, faults } = found;
  const compared = [
    `${counted(records, 'record')}: compared with ${counted(pages, 'signature')}`,
    ...scopeLines(found),
  ];
  const lines = () =>
    faults.length === 0
      ? [...compared, 'they are as they were signed']
      : [
          ...tableLines(
            [
              { title: 'WHAT' },
              { title: 'LINE', align: 'right' },
              { title: 'MESSAGE', wraps: 'words', under: true },
            ],
            faults.map(({ kind, line, message }) => [
              { text: kind, tone: 'bad' as const },
              String(line),
              withClockTimes(message),
            ]),
            invocation,
          ),
          ...compared,
          `${counted(faults.length, 'fault')} found`,
        ];
  await print(invocation, {
    value: found,
    table: () => withZone(lines(), invocation),
    names: () => faults.map(({ line }) => `line/${line}`),
  });
  return faults.length > 0 ? exitStatus.needsAttention : exitStatus.done;
}

const withZone = (lines: string[], invocation: Invocation): string[] => [
  ...lines,
  ...zoneLines(lines, invocation),
];

function scopeLines({ export: scope }: AuditedFile): string[] {
  if (scope === null) return [];
  const { at, end, since, until, partition, by } = scope;
  const limits = [
    `since ${clockText(since)}`,
    ...(until === null ? [] : [`until ${clockText(until)}`]),
    ...(partition === null ? [] : [`of partition ${printable(partition)} alone`]),
    ...(by === null ? [] : [`of ${printable(by)} alone`]),
  ];
  return [
    `exported ${clockText(at)} (${agoText(at, Date.now())}), when the log ended at position ${end}`,
    `with all commands and configurations ${limits.join(', ')}`,
  ];
}
