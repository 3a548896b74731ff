import { join } from 'node:path';
import { peakMemory, startProgram } from './processes.js';
import { type Row, report } from './report.js';
import { freePort, untilReady } from './service/application.js';
import { withFolder } from './temporary-folder.js';

const TARGET_MS = 10_000;

/** Measures `npm start` on a machine that has the packages: from the call to the first answer that it is ready. */
export async function benchStart(): Promise<void> {
  const rows: Row[] = [];
  await withFolder(async (folder) => {
    for (const what of [
      'first start, a new data folder and the sample',
      'second start, the data are there',
    ]) {
      const { readyMs, peakBytes } = await startOnce(join(folder, 'data'));
      rows.push({
        what,
        measured: `${(readyMs / 1000).toFixed(2)} s`,
        target: `<= ${TARGET_MS / 1000} s`,
        met: readyMs <= TARGET_MS,
      });
      if (peakBytes !== undefined) {
        rows.push({ what: '  its memory at most', measured: `${Math.round(peakBytes / 2 ** 20)} MB` });
      }
    }
  });
  report('npm start, to the first answer on /readyz', rows);
}

async function startOnce(dataFolder: string): Promise<{ readyMs: number; peakBytes: number | undefined }> {
  const port = await freePort();
  const began = performance.now();
  const program = startProgram(['scripts/start.mjs'], {
    CURTAIL_DATA: dataFolder,
    CURTAIL_PORT: String(port),
    CURTAIL_LOG_LEVEL: 'warn',
  });
  await untilReady(`http://127.0.0.1:${port}`, program);
  const readyMs = performance.now() - began;
  const peakBytes = await peakMemory(program.process.pid!);
  program.process.kill('SIGTERM');
  await program.ended;
  return { readyMs, peakBytes };
}
