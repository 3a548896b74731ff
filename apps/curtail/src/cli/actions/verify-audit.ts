import { counted } from '#contracts';
import { checkAudit } from '../input/audit-file.js';
import { keysOf, textOfFile } from '../input/checkpoints.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

/** `curtail verify --audit`: whether a file is what the console signed. @throws CommandError for a file that cannot be read. */
export async function verifyAudit(
  invocation: Invocation,
  path: string,
  keyPath: string,
): Promise<ExitStatus> {
  const found = checkAudit(await textOfFile(path), await keysOf(keyPath));
  const { records, pages, faults } = found;
  const compared = `${counted(records, 'record')}: compared with ${counted(pages, 'signature')}`;
  await print(invocation, {
    value: found,
    table: () =>
      faults.length === 0
        ? [compared, 'they are as they were signed']
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
                message,
              ]),
              invocation,
            ),
            compared,
            `${counted(faults.length, 'fault')} found`,
          ],
    names: () => faults.map(({ line }) => `line/${line}`),
  });
  return faults.length > 0 ? exitStatus.needsAttention : exitStatus.done;
}
