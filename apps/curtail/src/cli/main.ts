import { run } from './run.js';
import { calledAs } from './terminal/called.js';

// A reader such as `head` closes the pipe when it has seen enough: no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  call: calledAs({ program: process.argv[1] ?? '', cwd: process.cwd() }),
  untilInterrupted: () => {
    const interrupted = new AbortController();
    // Only once: a second Ctrl-C ends the process immediately.
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
    return interrupted.signal;
  },
});
