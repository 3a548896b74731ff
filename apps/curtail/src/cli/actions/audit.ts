import type { Invocation } from '../invocation/invocation.js';
import { print, write } from '../output/print.js';
import { tableLines } from '../output/table.js';
import { clientOf } from '../server/client.js';
import { printable } from '../terminal/printable.js';

interface AuditOptions {
  since: string;
  until?: string;
  by?: string;
  partition?: string;
}

interface AuditRecord {
  position: string;
  time: string;
  event: string;
  partition: string;
  key: string;
  by: string | null;
  actor: { issuer: string; address?: string } | null;
}

export async function run(
  invocation: Invocation,
  { since, until, by, partition }: AuditOptions,
): Promise<undefined> {
  const client = clientOf(invocation);
  const items: AuditRecord[] = [];
  let isUnsigned = false;
  for (let after = '0'; ; ) {
    const page = await client.get('/v1/audit', {
      params: { query: { since, until, by, partition, after } },
    });
    const { next, records } = page.page;
    isUnsigned ||= page.signature === null && records > 0;
    // As they are: the signature is over these bytes.
    if (invocation.inLines) {
      await write(invocation, page.lines);
      if (page.signature !== null)
        await write(invocation, `${JSON.stringify({ page: page.page, signature: page.signature })}\n`);
    } else {
      for (const line of page.lines.split('\n')) if (line !== '') items.push(JSON.parse(line) as AuditRecord);
    }
    if (next === null) break;
    after = next;
  }
  if (!invocation.inLines) {
    const columns = ['TIME', 'BY', 'ISSUER', 'ADDRESS', 'EVENT', 'PARTITION', 'ABOUT'].map((title) => ({
      title,
    }));
    await print(invocation, {
      value: { items },
      table: () =>
        items.length === 0
          ? ['no commands and no configurations in this period']
          : tableLines(
              columns,
              items.map(({ time, by, actor, event, partition, key }) =>
                [time, by ?? '-', actor?.issuer ?? '-', actor?.address ?? '-', event, partition, key].map(
                  printable,
                ),
              ),
              invocation,
            ),
      names: () => items.map(({ position }) => `event/${position}`),
    });
  }
  if (isUnsigned)
    invocation.report('warning: the records are not signed: set CURTAIL_SIGNING_KEY_FILE of the console');
}
