/** A container runtime's periodic check: whether the service in this container is ready. Exit status 0 if it is. */
const port = process.env.CURTAIL_PORT || '8080';
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
