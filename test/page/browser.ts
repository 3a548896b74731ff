import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);

/** Names under which systems install a browser that speaks the protocol of Chromium. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The browser of this machine, or how to get one. */
export async function findBrowser(): Promise<{ path: string } | { missing: string }> {
  const given = process.env.CURTAIL_BROWSER;
  for (const name of given ? [given] : names) {
    const { stdout } = await run('sh', ['-c', 'command -v -- "$1"', 'sh', name]).catch(() => ({
      stdout: '',
    }));
    if (stdout.trim() !== '') return { path: stdout.trim() };
  }
  return {
    missing: given
      ? `CURTAIL_BROWSER names ${given}, which is no program`
      : 'no browser; install one (Debian: apt-get install chromium), or name one in CURTAIL_BROWSER',
  };
}

/** Without the services of a browser's maker, and without a sandbox, which root may not have. */
const words = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
];

export function startBrowser(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: words, timeout: 120_000 });
}
