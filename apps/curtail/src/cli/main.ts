import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from './run.js';
import { calledAs, withExamples } from './terminal/called.js';
import { packageFolder } from './version.js';

// A reader such as `head` closes the pipe when it has seen enough: no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const [cwd, home] = [process.cwd(), packageFolder() ?? process.cwd()];
// Packages and images have the built program alone.
const isCheckout = existsSync(join(home, 'apps'));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  call: calledAs({ program: process.argv[1] ?? '', cwd, home, isCheckout }),
  examplesIn: (text) => withExamples(text, { cwd, home }),
  untilInterrupted: () => {
    const interrupted = new AbortController();
    // Only once: a second Ctrl-C ends the process immediately.
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
    return interrupted.signal;
  },
});
