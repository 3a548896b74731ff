import { counted } from '#contracts';
import { faultText, RefusedFile, readPolicy } from '#platform';
import type { Invocation } from '../invocation/invocation.js';
import { print, printLine } from '../output/print.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(invocation: Invocation, file: string): Promise<ExitStatus> {
  try {
    const { counts, twoPersonRule } = readPolicy(file);
    await printLine(
      invocation,
      { file, valid: true, errors: [], ...counts, twoPersonRule },
      `${file} is valid: ${counted(counts.grants, 'grant')}, ${counted(counts.roles, 'role')} of its own${twoPersonRule ? ', two-person rule' : ''}${counts.senders === undefined ? '' : `, ${counted(counts.senders, 'sender')} over Kafka`}`,
    );
    return exitStatus.done;
  } catch (error) {
    if (!(error instanceof RefusedFile)) throw error;
    await print(invocation, {
      value: { file, valid: false, errors: error.faults },
      table: () => error.faults.map((fault) => faultText(file, fault)),
      names: () => [],
    });
    return exitStatus.failed;
  }
}
