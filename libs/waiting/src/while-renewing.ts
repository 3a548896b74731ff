/**
 * Does work that may take longer than its lease.
 *
 * @param renew renews the lease. Its errors are ignored: the next call retries, and the code that records the work checks the lease.
 */
export async function whileRenewing<T>(
  everyMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const renewal = setInterval(() => void renew().catch(() => {}), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}
