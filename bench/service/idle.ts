import { setTimeout as delay } from 'node:timers/promises';
import { milliseconds } from '../measure.js';
import { cpuSeconds, wakeUps } from '../processes.js';
import { report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { startApplication } from './application.js';
import { countTransactions } from './transactions.js';

/** By then a process has compiled, and V8 has collected what its start left: it does so within 100 s of the last full collection. */
const settleMs = 120_000;
const measuredMs = 30_000;
const mostMs = 10;

/** The cost of everything in one idle process, and of its database separately. */
export async function benchIdle(): Promise<void> {
  await withFolder(async (folder) => {
    const application = await startApplication(folder);
    try {
      await delay(settleMs);
      const before = await measure();
      await delay(measuredMs);
      const after = await measure();
      if (!before.cpu || !after.cpu) return;
      const each = (of: number) => of / (measuredMs / 1000);
      const own = each((after.cpu.process - before.cpu.process) * 1000);
      report('Nothing to do, everything in one process, each second', [
        {
          what: 'time of a core',
          measured: milliseconds(own),
          target: `<= ${mostMs} ms`,
          met: own <= mostMs,
        },
        {
          what: 'the same of its PostgreSQL',
          measured: milliseconds(each((after.cpu.database - before.cpu.database) * 1000)),
        },
        { what: 'wake-ups of its main thread', measured: each(after.woken - before.woken).toFixed(0) },
        { what: 'transactions', measured: each(after.transactions - before.transactions).toFixed(0) },
      ]);
    } finally {
      await application.stop();
    }

    async function measure() {
      const { pid, databasePid, databaseUrl } = application;
      return {
        cpu: await cpuSeconds(pid, databasePid),
        woken: (await wakeUps(pid)) ?? 0,
        transactions: await countTransactions(databaseUrl),
      };
    }
  });
}
