import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Kills at the end of its input, unless it read a line before. */
const script = 'read line || kill -s "$2" "$1" 2>/dev/null';

/**
 * Ties a server to this process: when this one ends, in whatever way, kill -9 included, the system closes the pipe, and the
 * shell at the other end ends the server. Let go of it as soon as the server has ended, for then its pid may be another's.
 *
 * @param signal without SIG: KILL
 */
export function holdOnLeash(pid: number, signal: 'KILL' | 'QUIT'): { release(): void } {
  const shell = spawn('/bin/sh', ['-c', script, 'leash', String(pid), signal], {
    // In a session of its own: Ctrl-C must not cut it.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const pipe = shell.stdin as Socket;
  pipe.on('error', () => {});
  pipe.unref();
  shell.unref();
  return { release: () => pipe.end('\n') };
}
