const checkEveryMs = 200;

/**
 * Sends SIGTERM to this process when the npm that started it has ended, so that nothing stays behind it. npm passes SIGINT and SIGTERM on, and
 * waits; SIGHUP and SIGKILL end it at once, and nothing tells its script. The script must be `exec node …`, so that npm and
 * not a shell is our parent. Without npm it does nothing: the parent may then have every right to end first.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, checkEveryMs);
  timer.unref();
}
